// SPDX-License-Identifier: MIT
// random_seed: a seed for a keyed table that nobody can foresee, from the system. It makes a system
// call, and may block while the system starts and has no random numbers yet, so call it once, when
// the table is made. If the system refuses to give any, it says so and ends the program: a seed
// that can be foreseen would leave the table open to whoever chooses the keys.
#pragma once

#include <cstdint>

#include <weir/table/key_hash.hpp>

#if defined(__linux__)
#include <cerrno>
#include <sys/random.h>

#include <weir/base/end_program.hpp>
#else
#include <random>  // compiles ten times slower
#endif

namespace weir {

[[nodiscard]] inline seed random_seed() {
#if defined(__linux__)
    std::uint64_t value = 0;
    for (;;) {
        if (getrandom(&value, sizeof(value), 0) == sizeof(value)) return seed(value);
        if (errno != EINTR) detail::end_program("the system gives no random numbers for a seed");
    }
#else
    std::random_device system;
    const std::uint64_t high = system();
    return seed(high << 32U | system());
#endif
}

}  // namespace weir
