// SPDX-License-Identifier: MIT
// The parts of a soak: each is a function that makes a round.
#pragma once

#include <span>

#include "round.hpp"

namespace weir::soak {

// One limit of each kind of cell in the catalogue.
template <class Kind>
void soak_cell(round& r);

// What is made of limits.
void soak_reservations(round& r);
void soak_waiting(round& r);
void soak_lease(round& r);
void soak_all_of(round& r);
void soak_adjustable(round& r);
void soak_pacer(round& r);

[[nodiscard]] std::span<const part> all_parts();

// What is not among them, and why; empty if all are.
[[nodiscard]] const char* left_out();

}  // namespace weir::soak
