// SPDX-License-Identifier: MIT
// The claims that the solver decides about what rates make of a scale; with the stand-in for
// scale.hpp that seam/ has.
#include <cstdint>
#define WEIR_SCALE_IS_TOLD

#include "claims/scale.hpp"

#define WEIR_EXPORT(rule, Word, Claims, low_bits)                                                  \
    extern "C" [[gnu::flatten]] bool rule##_a_rate_is_as_the_proofs_want_it(                       \
        std::int64_t period, std::int64_t guard, std::int64_t burst, std::int64_t debt,            \
        std::int64_t queue, std::uint8_t shift) {                                                  \
        return proof::rates<Claims>::a_rate_is_as_the_proofs_want_it(                              \
            {period, guard, burst, debt, queue, shift}, low_bits);                                 \
    }
using gcra_64 = proof::backlog<std::uint64_t, 3>;
using gcra_32 = proof::backlog<std::uint32_t, 0>;
WEIR_EXPORT(gcra_64, std::uint64_t, gcra_64, 3)
WEIR_EXPORT(gcra_32, std::uint32_t, gcra_32, 0)
