// SPDX-License-Identifier: MIT
#include "soak.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "report.hpp"

namespace weir::soak {
namespace {

using command::arguments;
using command::write_out;

plan plan_of(const soak_options& o, std::span<const part> parts) {
    // 32 bits, which are enough to be different each time and short enough to be typed.
    return {o.seed ? *o.seed : std::random_device()(),
            std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double, std::ratio<60>>(o.minutes)),
            std::max(2U, std::thread::hardware_concurrency()), parts};
}

}  // namespace

int run_soak(arguments all) { return run_soak_of(all_parts(), all); }

int run_soak_of(std::span<const part> parts, arguments all) {
    const soak_options o = parse_soak(all);
    if (o.help) {
        write_out(soak_help);
        return 0;
    }
    const command::style out = command::style_of_output();
    const plan p = plan_of(o, parts);
    if (!o.json) write_out(plan_text(p, out));

    command::progress line;
    command::interruption asked;
    const results r = run(p, [&](const results& so_far) {
        line.show(progress_text(p, so_far));
        return !asked;
    });
    line.erase();
    write_out(o.json ? json_text(p, r, bool(asked)) : results_text(p, r, bool(asked), out));
    if (!r.broken.empty()) return 1;
    asked.end_by_it();
    return 0;
}

}  // namespace weir::soak
