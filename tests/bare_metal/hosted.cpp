// SPDX-License-Identifier: MIT
// A microcontroller with a C library (newlib), as vendors' tools set it up: weir needs no
// -ffreestanding there. There is no default clock, so a limiter names one.
#include <weir/clock/systick.hpp>
#include <weir/weir.hpp>

constinit weir::limiter<weir::gcra<>, weir::systick_clock<1'000>> limit{weir::per_second(20)};

bool hosted() { return limit.try_acquire().admitted(); }
