// SPDX-License-Identifier: MIT
// What `weir run` can be asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/adapter/shm.hpp>
#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr std::string_view run_help =
    "usage: weir run --name NAME [--quota Q] [--wait D] [--permissions MODE]\n"
    "                [--] COMMAND [ARGUMENT]...\n"
    "\n"
    "Runs COMMAND as soon as the limit NAME admits it. All processes of this machine\n"
    "share the limit: shells, cron jobs, and programs that open it by weir's library\n"
    "as shared_limiter (\"/NAME\").\n"
    "\n"
    "  weir run --name api --quota 5/s -- curl -s https://example.com\n"
    "  weir run --name backup --quota 1/h --wait 0 -- ./backup    or exits with 75\n"
    "  weir run --name ci --quota 20/min --wait 2min -- make deploy\n"
    "\n"
    "  --name NAME   a word, or the path of a file in memory, such as /run/ci/limit\n"
    "  --quota Q     5/s, 300/min; '20/min, burst 3'. As many as the burst may start\n"
    "                at once: the units of the period if it does not say. May be left\n"
    "                out if there is such a limit. If there is one with another\n"
    "                quota, that is an error: all have the same\n"
    "  --wait D      waits no longer than that: 0, 500ms, 10s, 2min. As long as it\n"
    "                takes if not given\n"
    "  --permissions MODE  of the limit when it is made: 0660 lets a group have it.\n"
    "                0600 if not given\n"
    "  --help        this text\n"
    "\n"
    "Whoever is killed, waiting or not, harms nobody. Those who wait are not in a\n"
    "queue: who asks first after a unit has come is admitted.\n"
    "\n"
    "The exit status is COMMAND's; or 75 if it would have had to wait longer than D,\n"
    "and standard error tells how long; 125 if something else could not be done, or\n"
    "the command line is wrong; 126 if COMMAND cannot be run, 127 if it is not there.\n"
    "\"weir limits\" shows and removes limits.\n";

struct run_options {
    bool help = false;
    std::string name;
    std::optional<weir::quota> quota;
    nanoseconds wait = nanoseconds::longest();
    shm_access access;
    std::vector<std::string> command;
};

// Throws usage_error.
[[nodiscard]] run_options parse_run(arguments all);

}  // namespace weir::command
