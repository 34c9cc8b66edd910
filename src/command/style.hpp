// What standard output can show.
#pragma once

#include <cstddef>

namespace weir::command {

struct style {
    std::size_t width = 80;  // columns
    bool colour = false;
    bool unicode = false;
};

// Asks the terminal, the locale and the environment; call it before the first thread starts.
[[nodiscard]] style style_of_output();

// Can a line on standard error be overwritten?
[[nodiscard]] bool error_is_terminal();

}  // namespace weir::command
