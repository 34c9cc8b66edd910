// SPDX-License-Identifier: MIT
// What `weir pace` can be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/cell/quota.hpp>
#include <weir/pacer/schedule.hpp>

#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr std::string_view pace_help =
    "usage: weir pace RATE [--burst B] [--unit lines|bytes|items0] [--deadline D]\n"
    "                 [--stats] [--json] [--quiet]\n"
    "\n"
    "Copies standard input to standard output at RATE, and changes nothing: each line\n"
    "leaves whole, in its order, as soon as it may.\n"
    "\n"
    "  weir pace 5/s < urls | xargs -n1 curl -s      five lines a second\n"
    "  weir pace 300/min --burst 20 < jobs > queue   20 at once, then one each 200 ms\n"
    "  weir pace 10MB/s < backup.tar | ssh host 'cat > backup.tar'\n"
    "  find . -print0 | weir pace 100/s --unit items0 | xargs -0 -n1 touch\n"
    "  tail -f log | weir pace 1/s --deadline 10s | notify   drops what is too late\n"
    "\n"
    "  RATE          5/s, 300/min, 20/100ms; of bytes 500kB/s, 10MB/s, 1.5GiB/s.\n"
    "                k, M and G are thousands, millions and billions; Ki, Mi and Gi\n"
    "                are 1024, 1024 Ki and 1024 Mi\n"
    "  --burst B     as many may pass at once; they do at the start. If not given,\n"
    "                nothing goes ahead of RATE, and a delay of 50 ms is made good\n"
    "  --unit UNIT   what RATE counts: lines, or items0, which end with a zero byte,\n"
    "                or bytes. Lines if not given, or bytes if RATE says B\n"
    "  --deadline D  drops a line that cannot go within D of its coming, and tells\n"
    "                how many: 500ms, 10s, 2min. Reads as fast as lines come\n"
    "  --stats       tells on standard error what has passed\n"
    "  --json        the same as one JSON object\n"
    "  --quiet       no progress line, which is for terminals only\n"
    "  --help        this text\n"
    "\n"
    "^C ends it, and tells how much was read and has not passed. The exit status is\n"
    "0, 1 if something could not be read or written, or 2 for a wrong command line.\n";

struct pace_options {
    enum class unit_type : unsigned char { lines, bytes, items0 };

    bool help = false;
    quota rate = per_second(1);  // with the burst that was given, or 1
    bool has_burst = false;
    unit_type unit = unit_type::lines;
    std::optional<nanoseconds> deadline;
    bool stats = false;
    bool json = false;
    bool quiet = false;
};

// Throws usage_error.
[[nodiscard]] pace_options parse_pace(arguments all);

// In bytes, as wide as everybody may make one; no more bytes are moved at once.
inline constexpr std::size_t widest_pipe = 1U << 20;

// How many units go together at most.
[[nodiscard]] std::uint64_t grain_of(const pace_options& o) noexcept;

[[nodiscard]] result<schedule<>, pacer_error> schedule_of(const pace_options& o) noexcept;

// No more units can go in that time.
[[nodiscard]] std::uint64_t most_within(const pace_options& o, nanoseconds time) noexcept;

}  // namespace weir::command
