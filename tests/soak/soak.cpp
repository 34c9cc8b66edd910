// SPDX-License-Identifier: MIT
#include "soak.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>

#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "report.hpp"
#include "stacks.hpp"

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

int run_soak_of(std::span<const part> parts, arguments all, unsigned patience) {
    const soak_options o = parse_soak(all);
    if (o.help) {
        write_out(soak_help);
        return 0;
    }
    const command::style out = command::style_of_output();
    plan p = plan_of(o, parts);
    if (patience != 0) p.patience = patience;
    if (!o.json) write_out(plan_text(p, out));

    command::progress line;
    command::interruption asked;
    const auto report = [&](const results& r) {
        line.erase();
        write_out(o.json ? json_text(p, r, bool(asked)) : results_text(p, r, bool(asked), out));
    };
    const auto watch = [&](const results& so_far) {
        line.show(progress_text(p, so_far));
        return !asked;
    };
    // Nobody waits for the stuck thread, also if nothing can be written.
    const auto bark = [&](const results& so_far) noexcept {
        try {
            report(so_far);
        } catch (const std::exception& e) {
            command::complain(std::string("weir soak: ") + e.what());
        }
        write_stacks(so_far.threads);
        ::_exit(1);
    };
    const results r = run(p, watch, bark);
    report(r);
    if (!r.broken.empty()) return 1;
    asked.end_by_it();
    return 0;
}

}  // namespace weir::soak
