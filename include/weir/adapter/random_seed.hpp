// random_seed: a seed for a keyed table that nobody can foresee, from the system. It may make a
// system call, so call it once, when the table is made. Throws what std::random_device throws if
// the system has no random numbers.
#pragma once

#include <cstdint>
#include <random>

#include <weir/table/key_hash.hpp>

namespace weir {

[[nodiscard]] inline seed random_seed() {
    std::random_device system;
    const std::uint64_t high = system();
    return seed(high << 32U | system());
}

}  // namespace weir
