// SPDX-License-Identifier: MIT
// interruption: a ^C, or another signal that asks the program to end, taken as a wish. The first is
// only noted; a second does what the first would have done without this.
//
// `wait` waits for a time or a file, and ends as soon as there is a wish. A call that blocks, such
// as a write, ends with EINTR: at once, or within a second if it began just before the wish.
#pragma once

#include <weir/base/duration.hpp>

namespace weir::command {

// One at a time.
class interruption {
public:
    interruption();  // throws std::system_error
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;
    ~interruption();

    [[nodiscard]] explicit operator bool() const noexcept;

    // Waits for so long, for the wish, or until the file can be read or written (`events` of poll).
    // True if the file is ready.
    bool wait(nanoseconds longest, int other = -1, short events = 0) const noexcept;

    // If there was one, ends the program by it, in the usual way: the shell sees what ended it.
    void end_by_it() const noexcept;
};

}  // namespace weir::command
