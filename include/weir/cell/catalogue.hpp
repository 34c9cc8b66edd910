// SPDX-License-Identifier: MIT
// The catalogue: every cell of weir, a line each. Typed tests, contention, kills, models, fuzzing,
// hot paths and their budgets, sizes, benches, the demo and the soak read these lines: C++ through
// kinds.hpp, CMake through toolchains/catalogue.cmake. So a new cell is its header, its include and
// its line here, and its unit test. What the type of a cell can tell by itself (whether it is a
// window or a log, whether it reserves or refunds) is no column: kinds.hpp asks the type.
#pragma once

#include <weir/cell/fixed_window.hpp>  // and aligned_window
#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/sliding_log.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

// name       of the class
// bits       of the narrowest word that holds its state
// budgets    the most instructions of a decision on x86-64, a call and a loop around it included:
//            what GCC 12 makes, and a tenth more for other compilers. tests/hot_path/budget.cpp
//            says what is admitted, denied, refilled and idle; 0: it is not asked that. (A log
//            exchanges two words: the place of the unit is the second)
// character  what to look for in the picture of what passes (`weir demo`)
//
// clang-format off
#define WEIR_CELLS(CELL)                                                                           \
    /*   name            bits  admit deny refill idle  character */                                \
    CELL(gcra,           32,     38,  38,  38,  36, "lets a burst pass whole, then keeps the pace") \
    CELL(leaky_bucket,   32,     38,  38,  38,  36, "lets a burst pass whole, then keeps the pace") \
    CELL(token_bucket,   32,     64,  56,  82,  81, "lets a burst pass whole, then keeps the pace") \
    CELL(fixed_window,   32,     64,  57,   0,  81, "all at once from the first action on; twice at a seam") \
    CELL(aligned_window, 64,     64,  57,   0,  81, "counts as the clock's seconds do")            \
    CELL(sliding_window, 64,     98,  83,   0,  99, "weighs the second before: nearly exact")      \
    CELL(sliding_log,    32,    186,  83,   0, 180, "exact: never more in any second")
// clang-format on
