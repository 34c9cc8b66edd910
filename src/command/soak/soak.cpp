#include "command/soak/soak.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/soak/options.hpp"
#include "command/soak/parts.hpp"
#include "command/soak/report.hpp"

namespace weir::command {
namespace {

soak::plan plan_of(const soak_options& o, std::span<const soak::part> parts) {
    // 32 bits, which are enough to be different each time and short enough to be typed.
    return {o.seed ? *o.seed : std::random_device()(),
            std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double, std::ratio<60>>(o.minutes)),
            std::max(2U, std::thread::hardware_concurrency()), parts};
}

}  // namespace

int run_soak(arguments all) { return run_soak_of(soak::all_parts(), all); }

int run_soak_of(std::span<const soak::part> parts, arguments all) {
    const soak_options o = parse_soak(all);
    if (o.help) {
        write_out(soak_help);
        return 0;
    }
    const style out = style_of_output();
    const soak::plan p = plan_of(o, parts);
    if (!o.json) write_out(plan_text(p, out));

    progress line;
    interruption asked;
    const soak::results r = soak::run(p, [&](const soak::results& so_far) {
        line.show(progress_text(p, so_far));
        return !asked;
    });
    line.erase();
    write_out(o.json ? json_text(p, r, bool(asked)) : results_text(p, r, bool(asked), out));
    if (!r.broken.empty()) return 1;
    asked.end_by_it();
    return 0;
}

}  // namespace weir::command
