// SPDX-License-Identifier: MIT
// The claims that the solver decides, as functions of integers: tests/proof/run compiles this at
// -O2 and reads what the compiler has made of it. Each is {rule}_{bits of the word}_{claim}.
#include <cstdint>

#include "claims/backlog.hpp"
#include "claims/log.hpp"
#include "claims/numbers.hpp"

// True of each rate that is as `make` makes it.
#define WEIR_EXPORT(rule, Word, Claims, claim)                                                     \
    extern "C" [[gnu::flatten]] bool rule##_##claim(                                               \
        Word period, Word depth, Word horizon, Word deepest, Word longest, std::uint8_t shift,     \
        Word state, Word now, Word n, Word x, Word y) {                                            \
        const Claims::fields made{period, depth, horizon, deepest, longest, shift};                \
        if (!made.are_made()) return true;                                                         \
        return Claims::claim({Claims::made_of(made), state, now, n, x, y});                        \
    }

using gcra_64 = proof::backlog<std::uint64_t, 3>;
using gcra_32 = proof::backlog<std::uint32_t, 0>;
#define WEIR_GCRA_64(claim, numbers) WEIR_EXPORT(gcra_64, std::uint64_t, gcra_64, claim)
WEIR_CLAIMS_OF_BACKLOG(WEIR_GCRA_64)
WEIR_CLAIMS_OF_REFUNDS(WEIR_GCRA_64)
#define WEIR_GCRA_32(claim, numbers) WEIR_EXPORT(gcra_32, std::uint32_t, gcra_32, claim)
WEIR_CLAIMS_OF_BACKLOG(WEIR_GCRA_32)

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
#define WEIR_LOG_64(claim) WEIR_EXPORT_LOG(log_64, std::uint64_t, claim)
WEIR_CLAIMS_OF_LOG(WEIR_LOG_64)
#define WEIR_LOG_32(claim) WEIR_EXPORT_LOG(log_32, std::uint32_t, claim)
WEIR_CLAIMS_OF_LOG(WEIR_LOG_32)

__extension__ typedef unsigned __int128 twice_64;
#define WEIR_EXPORT_NUMBERS(rule, Word, claims, claim)                                             \
    extern "C" [[gnu::flatten]] bool rule##_##claim(Word a, Word b, Word c, Word d, Word e) {      \
        return claims::claim({a, b, c, d, e});                                                     \
    }
using fine_time_64 = proof::numbers<std::uint64_t, twice_64>;
using fine_time_32 = proof::numbers<std::uint32_t, std::uint64_t>;
using wide = proof::wides<twice_64>;
#define WEIR_FINE_64(claim) WEIR_EXPORT_NUMBERS(fine_time_64, std::uint64_t, fine_time_64, claim)
WEIR_CLAIMS_OF_FINE_TIME(WEIR_FINE_64)
#define WEIR_FINE_32(claim) WEIR_EXPORT_NUMBERS(fine_time_32, std::uint32_t, fine_time_32, claim)
WEIR_CLAIMS_OF_FINE_TIME(WEIR_FINE_32)
#define WEIR_WIDE(claim) WEIR_EXPORT_NUMBERS(wide, std::uint64_t, wide, claim)
WEIR_CLAIMS_OF_WIDE(WEIR_WIDE)
