// SPDX-License-Identifier: MIT
// A line above a part of a text, bold where there are colours.
#pragma once

#include <string>
#include <string_view>

#include "command/style.hpp"
#include "command/text.hpp"

namespace weir::command {

[[nodiscard]] inline std::string heading(std::string_view text, const style& out) {
    const std::string lines = wrapped(text, line_width(out));
    return out.colour ? "\n\x1b[1m" + lines + "\x1b[0m" : "\n" + lines;
}

}  // namespace weir::command
