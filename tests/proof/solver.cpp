// SPDX-License-Identifier: MIT
// The claims that the solver decides, as functions of integers: tests/proof/run compiles this at
// -O2 and reads what the compiler has made of it. Each is {rule}_{bits of the word}_{claim}.
//
// WEIR_ABOUT_{rule} says which rules it is about. A part that the headers keep out of line, because
// it runs seldom, is compiled in line here.
#include <cstdint>
#define noinline always_inline

#include "claims/backlog.hpp"
#include "claims/log.hpp"
#include "claims/numbers.hpp"
#include "claims/pace.hpp"
#include "claims/scale.hpp"
#include "claims/schedule.hpp"

// True of each rate that is as `make` makes it.
#define WEIR_EXPORT(rule, Word, Claims, claim)                                                     \
    extern "C" [[gnu::flatten]] bool rule##_##claim(                                               \
        Word period, Word depth, Word horizon, Word deepest, Word longest, std::uint8_t shift,     \
        Word state, Word now, Word n, Word x, Word y) {                                            \
        const Claims::fields made{period, depth, horizon, deepest, longest, shift};                \
        if (!made.are_made()) return true;                                                         \
        return Claims::claim({Claims::made_of(made), state, now, n, x, y});                        \
    }

#ifdef WEIR_ABOUT_gcra
using gcra_64 = proof::backlog<std::uint64_t, 3>;
using gcra_32 = proof::backlog<std::uint32_t, 0>;
#define WEIR_GCRA_64(claim, numbers) WEIR_EXPORT(gcra_64, std::uint64_t, gcra_64, claim)
WEIR_CLAIMS_OF_BACKLOG(WEIR_GCRA_64)
WEIR_CLAIMS_OF_REFUNDS(WEIR_GCRA_64)
#define WEIR_GCRA_32(claim, numbers) WEIR_EXPORT(gcra_32, std::uint32_t, gcra_32, claim)
WEIR_CLAIMS_OF_BACKLOG(WEIR_GCRA_32)
#endif

// `shift` is how many bits an index has. Times of a log do not depend on it but in how they lie.
#define WEIR_EXPORT_LOG(rule, Word, claim)                                                         \
    extern "C" [[gnu::flatten]] bool rule##_##claim(                                               \
        Word units, Word period, Word debt, Word beyond, Word longest, std::uint8_t shift,         \
        std::uint8_t coarseness, Word state, Word now, Word n, Word x, Word y) {                   \
        using claims = proof::log<Word>;                                                           \
        const claims::fields made{units,                                                           \
                                  period,                                                          \
                                  debt,                                                            \
                                  beyond,                                                          \
                                  longest,                                                         \
                                  shift,                                                           \
                                  static_cast<std::uint8_t>(shift + claims::round_bits),           \
                                  coarseness};                                                     \
        if (!made.are_made()) return true;                                                         \
        return claims::claim({claims::made_of(made), state, now, n, x, y});                        \
    }
#ifdef WEIR_ABOUT_log
#define WEIR_LOG_64(claim) WEIR_EXPORT_LOG(log_64, std::uint64_t, claim)
WEIR_CLAIMS_OF_LOG(WEIR_LOG_64)
#define WEIR_LOG_32(claim) WEIR_EXPORT_LOG(log_32, std::uint32_t, claim)
WEIR_CLAIMS_OF_LOG(WEIR_LOG_32)
#endif

__extension__ typedef unsigned __int128 twice_64;
#define WEIR_EXPORT_NUMBERS(rule, Word, claims, claim)                                             \
    extern "C" [[gnu::flatten]] bool rule##_##claim(Word a, Word b, Word c, Word d, Word e) {      \
        return claims::claim({a, b, c, d, e});                                                     \
    }
#ifdef WEIR_ABOUT_numbers
using fine_time_64 = proof::numbers<std::uint64_t, twice_64>;
using fine_time_32 = proof::numbers<std::uint32_t, std::uint64_t>;
using wide = proof::wides<twice_64>;
#define WEIR_FINE_64(claim) WEIR_EXPORT_NUMBERS(fine_time_64, std::uint64_t, fine_time_64, claim)
WEIR_CLAIMS_OF_FINE_TIME(WEIR_FINE_64)
#define WEIR_FINE_32(claim) WEIR_EXPORT_NUMBERS(fine_time_32, std::uint32_t, fine_time_32, claim)
WEIR_CLAIMS_OF_FINE_TIME(WEIR_FINE_32)
#define WEIR_WIDE(claim) WEIR_EXPORT_NUMBERS(wide, std::uint64_t, wide, claim)
WEIR_CLAIMS_OF_WIDE(WEIR_WIDE)
#endif

// A schedule whose clock has a billion ticks a second, or a million; one speed of a pace.
#define WEIR_EXPORT_SCHEDULE(rule, Word, Claims, claim)                                            \
    extern "C" [[gnu::flatten]] bool rule##_##claim(                                               \
        Word next, Word next_parts, Word interval, Word interval_parts, Word tau, Word tau_parts,  \
        Word most_units, Word furthest, bool started, Word now, Word n, Word x) {                  \
        const Claims::fields made{{next, next_parts},                                              \
                                  {interval, interval_parts},                                      \
                                  {tau, tau_parts},                                                \
                                  {},                                                              \
                                  most_units,                                                      \
                                  furthest,                                                        \
                                  started,                                                         \
                                  {1, weir::seconds(1), 1},                                        \
                                  {}};                                                             \
        if (!made.are_made()) return true;                                                         \
        return Claims::claim({made, now, n, x});                                                   \
    }
#ifdef WEIR_ABOUT_schedule
using schedule_64 = proof::schedules<std::uint64_t, twice_64, 1'000'000'000>;
using schedule_32 = proof::schedules<std::uint32_t, std::uint64_t, 1'000'000>;
#define WEIR_SCHEDULE_64(claim, numbers)                                                           \
    WEIR_EXPORT_SCHEDULE(schedule_64, std::uint64_t, schedule_64, claim)
WEIR_CLAIMS_OF_SCHEDULE(WEIR_SCHEDULE_64)
#define WEIR_SCHEDULE_32(claim, numbers)                                                           \
    WEIR_EXPORT_SCHEDULE(schedule_32, std::uint32_t, schedule_32, claim)
WEIR_CLAIMS_OF_SCHEDULE(WEIR_SCHEDULE_32)
#endif

#define WEIR_PACE(claim, numbers)                                                                  \
    extern "C" [[gnu::flatten]] bool pace_##claim(                                                 \
        std::uint64_t end, std::uint64_t value, std::uint64_t speed, std::uint8_t shift,           \
        std::uint64_t rest, std::uint64_t now, std::uint64_t n, std::uint64_t x) {                 \
        const proof::paces::fields made{end, value, speed, speed, 0, shift, rest};                 \
        if (!made.are_made()) return true;                                                         \
        return proof::paces::claim({made, now, n, x});                                             \
    }
#ifdef WEIR_ABOUT_pace
WEIR_CLAIMS_OF_PACE(WEIR_PACE)
#endif

#define WEIR_EXPORT_SCALE(rule, Word, low_bits)                                                    \
    extern "C" [[gnu::flatten]] bool rule##_what_is_made_fits(                                     \
        std::uint64_t exact_high, std::uint64_t exact, std::uint64_t one_high, std::uint64_t one,  \
        std::uint64_t usual_high, std::uint64_t usual, std::uint64_t guard_high,                   \
        std::uint64_t guard, std::int64_t units, std::int64_t burst, std::int64_t debt,            \
        std::int64_t queue, bool by_word, std::uint8_t shift) {                                    \
        return proof::scales<Word>::what_is_made_fits({{exact_high, exact},                        \
                                                       {one_high, one},                            \
                                                       {usual_high, usual},                        \
                                                       {guard_high, guard},                        \
                                                       units,                                      \
                                                       burst,                                      \
                                                       debt,                                       \
                                                       queue,                                      \
                                                       by_word,                                    \
                                                       shift},                                     \
                                                      low_bits);                                   \
    }
#ifdef WEIR_ABOUT_scale
WEIR_EXPORT_SCALE(scale_64, std::uint64_t, 3)
WEIR_EXPORT_SCALE(scale_32, std::uint32_t, 0)
#endif
