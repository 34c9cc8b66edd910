// SPDX-License-Identifier: MIT
// What the proofs take for granted. `made <n>`: is what `make` makes of n random quotas, clocks and
// options as the claims say that a rate is? And divisors of 8 and 16 bits, of which all are tried.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <weir/base/divisor.hpp>
#include <weir/pacer/fine_time.hpp>

#include "claims/backlog.hpp"
#include "claims/log.hpp"
#include "claims/models.hpp"

namespace {

long failed = 0;

void expect(bool holds, const char* what, unsigned long long a, unsigned long long b) {
    if (holds) return;
    if (++failed < 10) std::printf("  refuted: %s: %llu, %llu\n", what, a, b);
}

using generator = std::mt19937_64;

// Of each size alike.
std::int64_t any(generator& random, unsigned bits) {
    return static_cast<std::int64_t>(random() >> (64 - 1 - random() % bits));
}

struct asked_of_make {
    weir::quota quota;
    weir::options options;
    std::uint64_t hertz;
};

asked_of_make draw(generator& random) {
    for (;;) {
        const std::int64_t units = 1 + any(random, 40);
        const bool same = random() % 2 == 0;
        const auto q = weir::quota::make(units, weir::nanoseconds(1 + any(random, 56)),
                                         same ? units : 1 + any(random, 40));
        if (!q) continue;
        weir::options o;
        o.whole_periods = random() % 8 == 0;
        if (random() % 2 == 0) o.debt = any(random, 40) - 1;
        if (random() % 2 == 0) o.queue = any(random, 40) - 1;
        if (random() % 2 == 0) o.guard = weir::nanoseconds(any(random, 60) - 1);
        if (o.debt < 0) o.debt = 0;
        if (o.queue < 0) o.queue = 0;
        if (o.guard < weir::nanoseconds{}) o.guard = {};
        return {*q, o, static_cast<std::uint64_t>(1 + any(random, 34))};
    }
}

// With the largest burst that is not refused: there all that is rounded has the least room.
template <class Rate>
asked_of_make at_the_brink(asked_of_make a) {
    std::int64_t accepted = 0;
    for (std::int64_t step = std::int64_t{1} << 40; step != 0; step /= 2) {
        const auto q = weir::quota::make(a.quota.units(), a.quota.period(), accepted + step);
        if (q && Rate::make(*q, a.hertz, a.options)) accepted += step;
    }
    const auto q = weir::quota::make(a.quota.units(), a.quota.period(), accepted);
    if (q) a.quota = *q;
    return a;
}

template <class Claims>
long rates(const char* rule, long count) {
    generator random(22);
    long made = 0;
    for (long i = 0; i < count; ++i) {
        asked_of_make a = draw(random);
        if (i % 8 == 0) {
            a.options.guard = {};
            a = at_the_brink<typename Claims::rate>(a);
        }
        const auto r = Claims::rate::make(a.quota, a.hertz, a.options);
        if (!r) continue;
        ++made;
        expect(Claims::of(*r).are_made(), rule, static_cast<unsigned long long>(i), a.hertz);
    }
    std::printf("%s: %ld rates of %ld quotas are as the proofs want them\n", rule, made, count);
    return made;
}

template <class Word>
void divisors(unsigned long long values, unsigned long long every) {
    for (unsigned long long value = 1; value < values; value += every) {
        const weir::divisor<Word> d(static_cast<Word>(value));
        for (unsigned long long x = 0; x < values; ++x) {
            if (static_cast<unsigned long long>(d.quotient(static_cast<Word>(x))) == x / value)
                continue;
            expect(false, "a quotient", x, value);
        }
    }
}

// Times of 8 bits and as many below them are numbers of 16 bits.
void fine_times(unsigned every) {
    using word = unsigned _BitInt(8);
    using time = weir::fine_time<word>;
    const auto number = [](time t) {
        return static_cast<std::uint16_t>(static_cast<unsigned>(t.ticks) << 8 | unsigned(t.parts));
    };
    const auto of = [](unsigned x) { return time{word(x >> 8), word(x & 255)}; };
    for (unsigned a = 0; a < 65536; a += every) {
        for (unsigned b = 0; b < 65536; ++b) {
            expect(number(of(a) + of(b)) == std::uint16_t(a + b), "a sum of times", a, b);
            expect(number(of(a) - of(b)) == std::uint16_t(a - b), "a difference of times", a, b);
            const bool earlier = a >> 8 == b >> 8 ? a < b : std::uint8_t((a >> 8) - (b >> 8)) > 127;
            expect(of(a).earlier_than(of(b)) == earlier, "the earlier of two times", a, b);
        }
        for (unsigned n = 0; n < 256; ++n) {
            expect(number(of(a) * word(n)) == std::uint16_t(a * n), "a product of a time", a, n);
        }
    }
    for (unsigned a = 0; a < 65536; ++a) {
        expect(number(of(a).half()) == a / 2, "half of a time", a, 0);
        expect(unsigned(of(a).rounded_up()) == ((a + 255) / 256) % 256, "a time rounded up", a, 0);
    }
}

}  // namespace

int main(int count, char** words) {
    const long quotas = count == 3 ? std::atol(words[1]) : 0;
    const int every = count == 3 ? std::atoi(words[2]) : 0;
    if (quotas < 1 || every < 1) {
        std::fputs("usage: made <random quotas> <n>: each n-th divisor of 16 bits\n", stderr);
        return 2;
    }
    rates<proof::backlog<std::uint64_t, 3>>("gcra_64", quotas);
    rates<proof::backlog<std::uint32_t, 0>>("gcra_32", quotas);
    rates<proof::log<std::uint64_t>>("log_64", quotas);
    rates<proof::log<std::uint32_t>>("log_32", quotas);
    using proof::window_model;
    using weir::opens;
    rates<proof::token_bucket_model<std::uint64_t>>("token_bucket_64", quotas);
    rates<proof::token_bucket_model<std::uint32_t>>("token_bucket_32", quotas);
    rates<window_model<std::uint64_t, opens::with_first_action>>("fixed_window_64", quotas);
    rates<window_model<std::uint32_t, opens::with_first_action>>("fixed_window_32", quotas);
    rates<window_model<std::uint64_t, opens::with_clock>>("aligned_window_64", quotas);
    rates<proof::sliding_window_model<std::uint64_t>>("sliding_window_64", quotas);
    divisors<unsigned _BitInt(8)>(256, 1);
    divisors<unsigned _BitInt(16)>(65536, static_cast<unsigned>(every));
    fine_times(static_cast<unsigned>(every));
    std::printf("divisors and fine times: each of 8 bits, one in %d of 16 bits\n", every);
    return failed == 0 ? 0 : 1;
}
