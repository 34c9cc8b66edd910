// SPDX-License-Identifier: MIT
#ifdef SINGLE_HEADERS
#include "weir.hpp"
#else
#include <weir/weir.hpp>
#endif

int main() {
    weir::limiter api{weir::per_second(100)};
    return api.try_acquire() ? 0 : 1;
}
