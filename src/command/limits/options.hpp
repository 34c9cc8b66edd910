// SPDX-License-Identifier: MIT
// What `weir limits` can be asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/option.hpp"
#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr std::string_view limits_help =
    "usage: weir limits [--json] [NAME]...\n"
    "       weir limits --remove NAME...\n"
    "\n"
    "Shows the limits in shared memory that you may use: those that \"weir run\" and\n"
    "programs with weir's library share on this machine. Looking takes no unit.\n"
    "\n"
    "  weir limits                  all in /dev/shm\n"
    "  weir limits api /run/ci/api  these; a path is a limit that lies elsewhere\n"
    "  weir limits --json | jq '.[] | select(.there == 0) | .name'\n"
    "  weir limits --remove api     for another quota, say\n"
    "\n"
    "  --remove  takes the names away. Who has a limit open goes on with it, and the\n"
    "            next who opens the name makes a new one: so first stop who uses it\n"
    "  --json    a JSON array with all that is known\n"
    "  --help    this text\n"
    "\n"
    "The exit status is 0, 1 if a limit that was named is not there or cannot be\n"
    "removed, or 2 for a wrong command line.\n";

struct limits_options {
    bool help = false;
    bool json = false;
    bool remove = false;
    std::vector<std::string> names;
};

// Their names, for a shell that completes a line.
[[nodiscard]] std::vector<offer> limits_there();

// Throws usage_error.
[[nodiscard]] limits_options parse_limits(arguments all);

}  // namespace weir::command
