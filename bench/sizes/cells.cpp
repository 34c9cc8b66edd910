// One decision of each cell, as a function of its own, and its state and its quota as objects of
// their sizes: sizes.cmake compiles this for each target and reads the symbol table.
#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/sliding_log.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

#define MEASURE(name, ...)                                                                         \
    using name##_cell = __VA_ARGS__;                                                               \
    extern "C" {                                                                                   \
    bool code_##name(name##_cell& cell, weir::tick now, const name##_cell::rate& rate) noexcept {  \
        return cell.try_acquire(now, 1, rate).admitted();                                          \
    }                                                                                              \
    char state_##name[sizeof(name##_cell)];                                                        \
    char rate_##name[sizeof(name##_cell::rate)];                                                   \
    }

MEASURE(gcra, weir::gcra<>)
MEASURE(leaky_bucket, weir::leaky_bucket<>)
MEASURE(token_bucket, weir::token_bucket<>)
MEASURE(fixed_window, weir::fixed_window<>)
MEASURE(sliding_log_16, weir::sliding_log<16>)
// Windows of the clock need 64 bits.
#if __SIZEOF_POINTER__ == 8 || !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M'
MEASURE(aligned_window, weir::aligned_window<>)
MEASURE(sliding_window, weir::sliding_window<>)
#endif
