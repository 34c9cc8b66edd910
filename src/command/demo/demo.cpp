// SPDX-License-Identifier: MIT
#include "command/demo/demo.hpp"

#include <chrono>
#include <filesystem>
#include <string>

#include "command/demo/options.hpp"
#include "command/demo/report.hpp"
#include "command/demo/svg.hpp"
#include "command/file.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

struct durations {
    std::chrono::milliseconds rivals;
    std::chrono::milliseconds contention;  // all together
    int things_paced;                      // by each way of waiting
    std::chrono::milliseconds costs;
};

using std::chrono::milliseconds;
constexpr durations thorough = {milliseconds(800), milliseconds(700), 200, milliseconds(700)};
constexpr durations rough = {milliseconds(50), milliseconds(60), 20, milliseconds(50)};

void draw(findings& f, const std::string& path) {
    // Absolute in the report, for whoever was started in a folder that its user does not know.
    const std::string where = std::filesystem::absolute(path).lexically_normal().string();
    replace_file(path, svg_of(*f.played, f.shapes));
    f.svg = where;
}

}  // namespace

int run_demo(arguments all) {
    const demo_options o = parse_demo(all);
    if (o.help) {
        write_out(demo_help);
        return 0;
    }
    const style out = style_of_output();
    const durations times = o.quick ? rough : thorough;
    const std::vector<quota> quotas = o.asked ? std::vector<quota>{*o.asked} : contended_quotas();
    progress line(quotas.size() + (o.all ? 3 : 2));
    const auto show = [&](const std::string& text) {
        if (o.json) return;
        line.erase();
        write_out(text);
    };

    findings f{};
    f.quick = o.quick;
    f.has_all = o.all;
    // The shapes come first, though they are shown later: they take no time, and a path that cannot
    // be written is best told at once.
    if (o.all || o.svg) {
        f.played = scene_for(o.asked.value_or(per_second(usual_rate)));
        f.shapes = shapes_of(*f.played);
    }
    if (o.svg) draw(f, *o.svg);

    f.where = this_machine();
    show(machine_text(f, out));
    line.step("two threads");
    f.rivals = measure_rivals(times.rivals);
    show(rivals_text(f, out));
    for (const quota& q : quotas) {
        line.step("contention: " + in_words(q));
        const auto share = times.contention / static_cast<int>(quotas.size());
        f.contended.push_back(contend(q, f.where.cores, share));
    }
    show(contention_text(f.contended, out));
    line.step("pacing");
    f.paced.push_back(lateness_of_sleep_for(times.things_paced));
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin})
        f.paced.push_back(lateness_of(how, times.things_paced));
    show(pacing_text(f, out));
    if (o.all) {
        show(shapes_text(f, out));
        line.step("costs of a decision");
        f.costs = measure_costs(times.costs);
        add_pairs(f.costs, f.rivals);
        show(costs_text(f, out));
    } else {
        show(more_text(out));
    }
    show(svg_text(f));

    line.erase();
    if (o.json) write_out(json_text(f));
    return 0;
}

}  // namespace weir::command
