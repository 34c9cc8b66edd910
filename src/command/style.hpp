// SPDX-License-Identifier: MIT
// What standard output can show.
#pragma once

#include <cstddef>

namespace weir::command {

struct style {
    std::size_t width = 80;  // columns
    bool colour = false;
    bool unicode = false;
};

// For text: longer lines are hard to read, however wide the terminal is.
[[nodiscard]] constexpr std::size_t line_width(const style& out) {
    constexpr std::size_t readable = 100;
    return out.width < readable ? out.width : readable;
}

// Asks the terminal, the locale and the environment; call it before the first thread starts.
[[nodiscard]] style style_of_output();

// Can a line on standard error be overwritten?
[[nodiscard]] bool error_is_terminal();

}  // namespace weir::command
