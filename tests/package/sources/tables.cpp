// SPDX-License-Identifier: MIT
#include "weir_tables.hpp"

constinit weir::limiter_array<64> players{weir::per_second(10)};

int main() {
    weir::keyed_limits<64> clients(weir::per_second(10), weir::when_full::deny,
                                   weir::random_seed());
    return players[3].try_acquire() && clients["10.0.0.1"].try_acquire() ? 0 : 1;
}
