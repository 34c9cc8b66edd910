// SPDX-License-Identifier: MIT
// progress: one line on standard error that says what is being done, overwritten by the next and
// erased at the end, also when a signal ends the program. Not shown unless a terminal is there.
// Nor beside a pipe, unless that is what it is for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::command {

class progress {
public:
    // Of so many steps; none if it only shows what it is told.
    explicit progress(std::size_t steps = 0, bool beside_pipe = false);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { erase(); }

    // The next step begins.
    void step(std::string_view what);

    // A line in place of the last one.
    void show(std::string line);

    // Nothing of it is left; call it before anything else is written.
    void erase() noexcept;

private:
    std::size_t steps_;
    std::size_t done_ = 0;
    std::size_t width_ = 0;  // columns; 0: not shown
};

}  // namespace weir::command
