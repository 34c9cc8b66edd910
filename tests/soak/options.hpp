// SPDX-License-Identifier: MIT
// What `weir soak` can be asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "command/subcommand.hpp"

namespace weir::soak {

inline constexpr std::string_view soak_help =
    "usage: weir soak [--minutes N] [--seed S] [--json]\n"
    "\n"
    "Uses all parts of the library at once, with random quotas and several threads\n"
    "each, and checks all along that they keep what they promise: never more than\n"
    "the quota in any span of time, nothing lost, nobody early. A thread that makes\n"
    "no progress for a minute ends it, with the calls that each thread is in.\n"
    "\n"
    "  --minutes N  how long; parts of a minute too. Half a minute if not given\n"
    "  --seed S     the quotas of the run that told this seed\n"
    "  --json       one JSON object instead of text\n"
    "  --help       this text\n"
    "\n"
    "A progress line is for terminals only. ^C ends it with a report on what was done,\n"
    "and then by the signal. The exit status is 0, 1 if a promise was broken or\n"
    "something could not be done or written, or 2 for a wrong command line.\n";

struct soak_options {
    bool help = false;
    bool json = false;
    double minutes = 0.5;
    std::optional<std::uint64_t> seed;
};

// Throws usage_error.
[[nodiscard]] soak_options parse_soak(command::arguments all);

}  // namespace weir::soak
