// SPDX-License-Identifier: MIT
// interruption: a ^C, or another signal that asks the program to end, taken as a wish. The first is
// only noted; a second does what the first would have done without this.
#pragma once

namespace weir::command {

// One at a time.
class interruption {
public:
    interruption();
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;
    ~interruption();

    [[nodiscard]] explicit operator bool() const noexcept;

    // If there was one, ends the program by it, in the usual way: the shell sees what ended it.
    void end_by_it() const noexcept;
};

}  // namespace weir::command
