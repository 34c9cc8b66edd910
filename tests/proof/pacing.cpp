// SPDX-License-Identifier: MIT
// The claims about schedule in words of 8 bits, of all times of its next item and all counts; and
// those about pace in small numbers.
//
//   pacing <n>            each n-th rate
//   pacing <n> <rule> [<claim>]   of schedule or pace_changes
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "claims/pace.hpp"
#include "claims/schedule.hpp"

namespace {

using word = unsigned _BitInt(8);
using twice = unsigned _BitInt(16);
constexpr std::uint64_t hertz = 100;  // so that the guard has five ticks
using schedules = proof::schedules<word, twice, hertz>;
using paces = proof::paces;

long failed = 0;
unsigned long long tried = 0;
const char* only = nullptr;  // the claim that is looked at

bool is_wanted(const char* claim) { return only == nullptr || std::strcmp(only, claim) == 0; }

enum numbers { no_x, x_only };

bool refute(const char* name, unsigned a, unsigned b, unsigned c, unsigned d) {
    ++failed;
    std::printf("  refuted: %s: %u, %u, %u, %u\n", name, a, b, c, d);
    return false;
}

// T is all that a state has; a time of now stands for all, as times lie on a circle.
template <class Claim>
bool try_items(const schedules::fields& made, Claim claim, const char* name, numbers reads) {
    if (!is_wanted(name)) return true;
    const unsigned last_n = unsigned(made.most_units) + 2;
    const unsigned last_x = reads == x_only ? unsigned(schedules::guard()) + 2 : 1;
    schedules::asked a{made, word(3), word(0), word(0)};
    for (unsigned started = 0; started < 2; ++started) {
        a.state.started = started == 1;
        for (unsigned t = 0; t < 65536; ++t) {
            a.state.next = {word(t >> 8), word(t & 255)};
            for (unsigned n = 0; n < last_n; ++n) {
                for (unsigned x = 0; x < last_x; ++x) {
                    ++tried;
                    a.n = word(n);
                    a.x = word(x);
                    if (!claim(a)) return refute(name, started, t, n, x);
                }
            }
        }
    }
    return true;
}
template <class Claim>
bool try_rates(const schedules::fields& made, const std::vector<weir::quota>& others, Claim claim,
               const char* name) {
    if (!is_wanted(name)) return true;
    for (std::size_t i = 0; i < others.size(); ++i) {
        schedules::changed a{made, word(3), others[i]};
        a.state.started = true;
        for (unsigned t = 0; t < 65536; t += 5) {
            ++tried;
            a.state.next = {word(t >> 8), word(t & 255)};
            if (!claim(a)) return refute(name, t, unsigned(i), 0, 0);
        }
    }
    return true;
}

void all_schedules(int every) {
    std::vector<weir::quota> quotas;
    for (std::int64_t units : {1, 2, 3, 7, 10, 100})
        for (std::int64_t ticks : {1, 2, 3, 7, 20, 31, 200})
            for (std::int64_t burst : {1, 2, 5, 60})
                quotas.push_back(
                    *weir::quota::make(units, weir::nanoseconds(ticks * 10'000'000), burst));
    const weir::catch_up each[] = {weir::catch_up::none(), weir::catch_up::half_an_interval(),
                                   weir::catch_up::items(1), weir::catch_up::items(5),
                                   weir::catch_up::within(weir::milliseconds(25))};
    int rates = 0;
    int chosen = 0;
    for (const weir::catch_up& c : each) {
        for (std::size_t i = 0; i < quotas.size(); ++i) {
            const auto made = schedules::rule::make(quotas[i], c);
            if (!made || rates++ % every != 0) continue;
            ++chosen;
            const auto f = schedules::of(*made);
            if (!f.are_made()) {
                refute("a_rate_is_as_the_proofs_want_it", unsigned(i), 0, 0, 0);
                continue;
            }
            std::vector<weir::quota> others;
            for (std::size_t j = i % 5; j < quotas.size(); j += 5) others.push_back(quotas[j]);
            const long before = failed;
#define WEIR_TRY(claim, reads) try_items(f, schedules::claim, #claim, reads);
            WEIR_CLAIMS_OF_SCHEDULE(WEIR_TRY)
#undef WEIR_TRY
#define WEIR_TRY(claim, reads) try_rates(f, others, schedules::claim, #claim);
            WEIR_CLAIMS_OF_SCHEDULE_RATES(WEIR_TRY)
#undef WEIR_TRY
            if (failed != before) {
                std::printf("  of schedule: %s, half intervals %lld, ns %lld\n",
                            weir::to_text(quotas[i]).c_str(),
                            static_cast<long long>(c.half_intervals),
                            static_cast<long long>(c.time.count()));
            }
        }
    }
    std::printf("schedule: %d rates of %d\n", chosen, rates);
}

bool try_speed(std::int64_t units, std::int64_t period, std::uint64_t frequency, unsigned bits) {
    ++tried;
    const auto q = *weir::quota::make(units, weir::nanoseconds(period), 1);
    const auto s = weir::speed::of(q, frequency, bits);
    if (!s) return true;
    __extension__ typedef unsigned __int128 exact;
    const exact grains = (exact(units) * 1'000'000'000 << bits) << s->shift;
    const exact ticks = exact(period) * frequency;
    const bool holds = s->multiplier * ticks <= grains &&
                       (exact(s->multiplier) + 1) * ticks > grains &&
                       s->multiplier >= weir::speed::lowest;
    return holds || refute("a_speed_is_rounded_down", unsigned(units), unsigned(period),
                           unsigned(frequency), bits);
}

void all_paces(int every) {
    int kinds = 0;
    int chosen = 0;
    const auto multiplier = [](unsigned m) { return std::uint64_t{m} << 17; };
    for (unsigned m : {1U, 2U, 3U, 5U, 8U, 13U})
        for (unsigned k : {1U, 2U, 3U, 8U, 13U})
            for (unsigned shift : {16U, 17U, 18U, 20U})
                for (unsigned other_shift : {17U, 19U})
                    for (std::uint64_t over : {1, 2, 3, 4, 7, 16, 23})
                        for (std::uint64_t value : {std::uint64_t{0}, UINT64_MAX - 3})
                            for (std::uint64_t begin : {UINT64_MAX - 8, std::uint64_t{2}}) {
                                if (kinds++ % every != 0) continue;
                                ++chosen;
                                const weir::speed from{multiplier(m), shift};
                                const weir::speed to{multiplier(k), other_shift};
                                const weir::pace before(weir::tick{begin - 5}, value, from);
                                const auto after = before.changed(weir::tick{begin}, to, over);
                                if (!after) continue;
                                const paces::change a{before, *after, from, to, begin, over};
                                ++tried;
#define WEIR_TRY(claim, numbers)                                                                   \
    if (is_wanted(#claim) && !paces::claim(a))                                                     \
        refute(#claim, m, k, shift << 8 | other_shift, unsigned(over));
                                WEIR_CLAIMS_OF_PACE_CHANGES(WEIR_TRY)
#undef WEIR_TRY
                            }
    std::printf("pace_changes: %d changes of %d\n", chosen, kinds);
    int speeds = 0;
    for (std::int64_t units = 1; units <= 24; ++units)
        for (std::int64_t period = 1; period <= 24; ++period)
            for (std::int64_t times : {1, 1000, 1'000'000'000})
                for (std::uint64_t frequency = 1; frequency <= 24; ++frequency)
                    for (std::uint64_t faster : {1, 1'000'000})
                        for (unsigned bits : {0U, 3U, 20U}) {
                            if (speeds++ % every != 0) continue;
                            if (!try_speed(units, period * times, frequency * faster, bits)) return;
                        }
}

}  // namespace

int main(int count, char** words) {
    const int every = count > 1 ? std::atoi(words[1]) : 0;
    if (every < 1) {
        std::fputs("usage: pacing <n> [<rule> [<claim>]]: each n-th rate\n", stderr);
        return 2;
    }
    only = count > 3 ? words[3] : nullptr;
    const auto wanted = [&](const char* rule) {
        return count == 2 || std::strcmp(words[2], rule) == 0;
    };
    if (wanted("schedule")) all_schedules(every);
    if (wanted("pace_changes")) all_paces(every);
    std::printf("%llu questions, %ld claims refuted\n", tried, failed);
    return failed == 0 ? 0 : 1;
}
