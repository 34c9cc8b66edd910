// SPDX-License-Identifier: MIT
// The parts of a soak: each is a function that makes a round.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <weir/base/word.hpp>

#include "round.hpp"

namespace weir::soak {

// One limit of each kind of cell in the catalogue.
template <class Kind>
void soak_cell(round& r);

// The same across the moment at which the time comes round, in a word of that width.
template <class Kind, class Word>
void soak_turning(round& r);

// What is made of limits.
void soak_reservations(round& r);
void soak_waiting(round& r);
void soak_lease(round& r);
void soak_all_of(round& r);
void soak_adjustable(round& r);
void soak_array(round& r);
void soak_keyed(round& r);
void soak_striped(round& r);
void soak_shared_memory(round& r);
void soak_shared_memory_of(round& r, bool each_its_own);  // a mistake that a test plants
void soak_pacer(round& r);
void soak_priorities(round& r);

[[nodiscard]] std::span<const part> all_parts();

// What is not among them, and why; empty if all are.
[[nodiscard]] std::string left_out();

// Null if this machine lets the soak have some.
[[nodiscard]] const char* why_no_shared_memory();

}  // namespace weir::soak
