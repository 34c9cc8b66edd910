// SPDX-License-Identifier: MIT
#include <weir/adapter/stripe_of_core.hpp>

#include "parts.hpp"
#include "tables.hpp"

namespace weir::soak {

void soak_striped(round& r) {
    if (r.random().one_in(2)) return soak_striped_of<stripe_of_core>(r);
    soak_striped_of<stripe_of_thread>(r);
}

}  // namespace weir::soak
