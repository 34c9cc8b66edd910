// SPDX-License-Identifier: MIT
// Histories that once showed a mistake; every cell replays them first. Add the seed that a failing
// run prints, with a word on what was wrong. (A change of history.hpp or scenario.hpp turns seeds
// into other histories: what matters has a test of its own beside its seed.)
#pragma once

#include <cstdint>

namespace oracle {

inline constexpr std::uint64_t kept_seeds[] = {
    4294967356,  // a meter without a guard took what it had just restored for a relic
    4294967304,  // so did a token bucket
    8589936431,  // a charge of more portions than 32 bits of tokens could be rounded up to
    4294967303,  // a full bucket's time, rounded up, lay beyond the guard of a late clock
};

}  // namespace oracle
