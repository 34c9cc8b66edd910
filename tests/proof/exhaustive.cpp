// SPDX-License-Identifier: MIT
// The claims in words of 8 bits, of which all states, times and counts can be tried. For many
// rates:
//
//   exhaustive <n>            each n-th rate of each rule
//   exhaustive <n> <rule> [<claim>]
//
// WEIR_ABOUT_{rule} says which of them are compiled: each takes a second. Clang's _BitInt is a word
// that is not promoted to int, just as the words that are shipped.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "claims/backlog.hpp"
#include "claims/decisions.hpp"
#include "claims/models.hpp"

namespace {

using word = unsigned _BitInt(8);
constexpr int values = 256;

long failed = 0;
unsigned long long tried = 0;
const char* only = nullptr;  // the claim that is looked at

bool is_wanted(const char* claim) { return only == nullptr || std::strcmp(only, claim) == 0; }

// Which numbers a claim reads.
enum numbers { no_x, x_only, x_and_y, x_and_flag };

// The ends of what is tried, which lie beyond what makes any difference to the rate.
struct ends {
    int x;        // of how long, or how late
    int y;        // of how much later, or how many units
    int n;        // units beyond these are as good as these, where there are x and y as well
    bool by_now;  // is there a difference between times?
};

template <class Rate, class Possible, class Claim>
void try_all(const Rate& rate, Possible possible, Claim claim, const char* name, numbers reads,
             const ends& e) {
    if (!is_wanted(name)) return;
    const int last_x = reads == no_x ? 1 : e.x;
    const int last_y = reads == x_and_y ? e.y : reads == x_and_flag ? 2 : 1;
    const int last_n = reads == no_x ? values : e.n;
    const int step = e.by_now ? (reads == no_x ? 1 : 7) : 90;
    for (int now = 0; now < values; now += step) {
        for (int state = 0; state < values; ++state) {
            if (!possible(rate, word(state), word(now))) continue;
            for (int i = 0; i <= last_n; ++i) {
                const int n = i < last_n ? i : values - 1;
                for (int x = 0; x < last_x; ++x) {
                    for (int y = 0; y < last_y; ++y) {
                        ++tried;
                        if (claim({rate, word(state), word(now), word(n), word(x), word(y)}))
                            continue;
                        ++failed;
                        std::printf("  refuted: %s: state %d, now %d, n %d, x %d, y %d\n", name,
                                    state, now, n, x, y);
                        return;
                    }
                }
            }
        }
    }
}

template <class Model>
void windows_and_buckets(const char* rule, int every) {
    using claims = proof::decisions<Model>;
    int rates = 0;
    int chosen = 0;
    for (unsigned shift : {0U, 1U, 2U})
        for (unsigned burst : {1U, 2U, 3U, 5U})
            for (unsigned period : {1U, 2U, 3U, 5U})
                for (unsigned debt : {0U, 1U, 2U, 4U})
                    for (unsigned queue : {0U, 1U, 3U})
                        for (unsigned guard : {0U, 3U, 7U})
                            for (unsigned portion : {1U, 2U, 3U}) {
                                const proof::small_rate s{period, burst,   debt, queue,
                                                          guard,  portion, shift};
                                typename Model::rate rate;
                                if (!Model::make(s, rate)) continue;
                                if (!Model::of(rate).are_made()) std::abort();
                                if (rates++ % every != 0) continue;
                                ++chosen;
                                const long before = failed;
                                const auto possible = [](const auto& r, word state, word now) {
                                    return Model::is_reachable(r, state, now, Model::guard(r));
                                };
                                const ends e{128 >> shift, int(Model::most(rate)) + 1,
                                             int(Model::most(rate)) + 2, Model::counts_by_clock};
#define WEIR_TRY(claim, reads) try_all(rate, possible, claims::claim, #claim, reads, e);
                                WEIR_CLAIMS_OF_DECISIONS(WEIR_TRY)
                                if constexpr (Model::reserves) {
                                    WEIR_CLAIMS_OF_RESERVATIONS(WEIR_TRY)
                                }
#undef WEIR_TRY
                                const auto counts = [](const auto& r, word state, word /*now*/) {
                                    return Model::has_units(r, state);
                                };
#define WEIR_TRY(claim, reads) try_all(rate, counts, claims::claim, #claim, reads, e);
                                WEIR_CLAIMS_OF_RELICS(WEIR_TRY)
#undef WEIR_TRY
                                if (failed != before) {
                                    std::printf(
                                        "  of %s: period %u, burst %u, debt %u, queue %u, guard "
                                        "%u, portion %u, shift %u\n",
                                        rule, period, burst, debt, queue, guard, portion, shift);
                                }
                            }
    std::printf("%s: %d rates of %d\n", rule, chosen, rates);
}

[[maybe_unused]] void backlogs(const char* rule, int every) {
    using claims = proof::backlog<word, 0>;
    int rates = 0;
    int chosen = 0;
    for (unsigned shift : {0U, 1U, 2U, 3U})
        for (unsigned period : {1U, 2U, 3U, 5U, 8U, 13U, 40U, 127U})
            for (unsigned burst : {1U, 2U, 3U, 9U, 127U})
                for (unsigned debt : {0U, 1U, 6U})
                    for (unsigned queue : {0U, 1U, 20U})
                        for (unsigned guard : {0U, 3U, 10U}) {
                            const unsigned depth = period * burst;
                            const unsigned deepest = period * (burst + debt);
                            const unsigned furthest =
                                deepest < depth + queue ? depth + queue : deepest;
                            if (furthest + (guard << shift) > 127) continue;
                            unsigned horizon = furthest + (guard << shift) + (1U << shift) - 1;
                            if (horizon > 128) horizon = 128;
                            const claims::fields f{word(period),  word(depth), word(horizon),
                                                   word(deepest), word(queue), std::uint8_t(shift)};
                            if (!f.are_made()) std::abort();
                            if (rates++ % every != 0) continue;
                            ++chosen;
                            const auto rate = claims::made_of(f);
                            const long before = failed;
                            const ends e{128 >> shift, 128 >> shift, values - 1, false};
                            const auto any = [](const auto&, word, word) { return true; };
#define WEIR_TRY(claim, reads) try_all(rate, any, claims::claim, #claim, reads, e);
                            WEIR_CLAIMS_OF_BACKLOG(WEIR_TRY)
#undef WEIR_TRY
                            if (failed != before) {
                                std::printf(
                                    "  of %s: period %u, burst %u, debt %u, queue %u, guard %u, "
                                    "shift %u\n",
                                    rule, period, burst, debt, queue, guard, shift);
                            }
                        }
    std::printf("%s: %d rates of %d\n", rule, chosen, rates);
}

}  // namespace

int main(int count, char** words) {
    const int every = count > 1 ? std::atoi(words[1]) : 0;
    if (every < 1) {
        std::fputs("usage: exhaustive <n> [<rule> [<claim>]]: each n-th rate\n", stderr);
        return 2;
    }
    only = count > 3 ? words[3] : nullptr;
    const auto wanted = [&](const char* rule) {
        return count == 2 || std::strcmp(words[2], rule) == 0;
    };
#ifdef WEIR_ABOUT_gcra
    if (wanted("gcra")) backlogs("gcra", every);
#endif
#ifdef WEIR_ABOUT_token_bucket
    if (wanted("token_bucket"))
        windows_and_buckets<proof::token_bucket_model<word>>("token_bucket", every);
#endif
#ifdef WEIR_ABOUT_fixed_window
    if (wanted("fixed_window"))
        windows_and_buckets<proof::window_model<word, weir::opens::with_first_action>>(
            "fixed_window", every);
#endif
#ifdef WEIR_ABOUT_aligned_window
    if (wanted("aligned_window"))
        windows_and_buckets<proof::window_model<word, weir::opens::with_clock>>("aligned_window",
                                                                                every);
#endif
#ifdef WEIR_ABOUT_sliding_window
    if (wanted("sliding_window"))
        windows_and_buckets<proof::sliding_window_model<word>>("sliding_window", every);
#endif
    std::printf("%llu questions, %ld claims refuted\n", tried, failed);
    return failed == 0 ? 0 : 1;
}
