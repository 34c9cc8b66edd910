// SPDX-License-Identifier: MIT
// What each thread of the process is doing, for whoever looks for the one that is stuck.
#pragma once

#include <span>

#include "pulse.hpp"

namespace weir::soak {

// To standard error: the calls that each thread is in, each thread but the calling one. A thread
// that does not answer a signal is told by its name alone. Where the C library cannot tell a stack
// there are only the names.
void write_stacks(std::span<const watched_thread> known) noexcept;

}  // namespace weir::soak
