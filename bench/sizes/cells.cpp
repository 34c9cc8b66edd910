// SPDX-License-Identifier: MIT
// One decision of each cell, as a function of its own, and its state and its quota as objects of
// their sizes: sizes.cmake compiles this for each target and reads the symbol table.
#include <weir/cell/kinds.hpp>

// A log of 16 units.
#define MEASURE(name)                                                                              \
    using name##_cell = weir::kinds::name::cell<16>;                                               \
    extern "C" {                                                                                   \
    bool code_##name(name##_cell& cell, weir::tick now, const name##_cell::rate& rate) noexcept {  \
        return cell.try_acquire(now, 1, rate).admitted();                                          \
    }                                                                                              \
    char state_##name[sizeof(name##_cell)];                                                        \
    char rate_##name[sizeof(name##_cell::rate)];                                                   \
    }

// Windows of the clock need 64 bits.
#define MEASURE_32(name) MEASURE(name)
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define MEASURE_64(name) MEASURE(name)
#else
#define MEASURE_64(name)
#endif
#define MEASURE_CELL(name, bits, ...) MEASURE_##bits(name)
WEIR_CELLS(MEASURE_CELL)
