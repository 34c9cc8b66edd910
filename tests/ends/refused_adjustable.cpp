// SPDX-License-Identifier: MIT
// An invalid option for a limit that is made at run time, where there are no exceptions.
#include <weir/limiter/adjustable.hpp>

int main(int count, char**) {
    weir::adjustable<> limit{weir::per_second(10), {.start = 10 + count}};
    return limit.try_acquire() ? 0 : 1;
}
