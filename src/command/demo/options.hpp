// SPDX-License-Identifier: MIT
// What `weir demo` can be asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr std::string_view demo_help =
    "usage: weir demo [--quick] [--json] [--svg=PATH]\n"
    "\n"
    "Shows what the library does on this machine, in some seconds: what one limiter\n"
    "admits while all cores ask it at once, what each algorithm makes of the same\n"
    "bursty arrivals, and what a decision costs.\n"
    "\n"
    "  --svg=PATH  where the chart goes as an image; ./weir-demo.svg if not given\n"
    "  --json      one JSON object instead of text; an image only with --svg\n"
    "  --quick     a rough run in less than a second\n"
    "  --help      this text\n"
    "\n"
    "Colours and a progress line are for terminals only; NO_COLOR turns the colours\n"
    "off. The exit status is 0, 1 if something could not be done or written, or 2\n"
    "for a wrong command line.\n";

struct demo_options {
    bool help = false;
    bool json = false;
    bool quick = false;
    std::optional<std::string> svg;
};

// Throws usage_error.
[[nodiscard]] demo_options parse_demo(arguments all);

}  // namespace weir::command
