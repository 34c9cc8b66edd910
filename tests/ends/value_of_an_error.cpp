// SPDX-License-Identifier: MIT
// Takes the quota of a result that has none: 1 if that goes on, 0 or 1 by what was read.
#include <weir/cell/quota.hpp>

int main(int count, char**) {
    const auto none = weir::quota::make(1 - count, weir::seconds(1), count);
    return (*none).burst() == 0 ? 0 : 1;
}
