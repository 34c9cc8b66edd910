// SPDX-License-Identifier: MIT
// What `weir demo` can be asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <weir/cell/quota.hpp>

#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr std::string_view demo_help =
    "usage: weir demo [QUOTA] [--burst B] [--all] [--svg=PATH] [--json] [--quick]\n"
    "\n"
    "Shows what the library does on this machine, in some seconds: a limit beside a\n"
    "mutex when two threads ask it, what is admitted beside what the quota allows,\n"
    "and how late things go that are paced.\n"
    "\n"
    "  weir demo\n"
    "  weir demo 100/s                   with a quota of your own\n"
    "  weir demo 300/min --burst 20 --all\n"
    "\n"
    "  QUOTA       as in 100/s, 300/min or '1.5M/s, burst 20k'\n"
    "  --burst B   so many may pass at once; the period's units if not given\n"
    "  --all       also what each algorithm makes of the same bursty arrivals, and\n"
    "              what a decision costs\n"
    "  --svg=PATH  draws what each algorithm makes of these, as an image\n"
    "  --json      the same figures as one JSON object\n"
    "  --quick     a rough run in less than a second\n"
    "  --help      this text\n"
    "\n"
    "Colours and a progress line are for terminals only; NO_COLOR turns the colours\n"
    "off. The exit status is 0, 1 if something could not be done or written, or 2\n"
    "for a wrong command line.\n";

struct demo_options {
    bool help = false;
    std::optional<quota> asked;
    bool all = false;
    bool json = false;
    bool quick = false;
    std::optional<std::string> svg;
};

// Throws usage_error.
[[nodiscard]] demo_options parse_demo(arguments all);

}  // namespace weir::command
