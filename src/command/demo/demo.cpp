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
    std::chrono::milliseconds contention;  // each
    std::chrono::milliseconds costs;
};

constexpr durations thorough = {std::chrono::milliseconds(700), std::chrono::milliseconds(1000)};
constexpr durations rough = {std::chrono::milliseconds(30), std::chrono::milliseconds(50)};

void draw(findings& f, const std::string& path) {
    // Absolute in the report, for whoever was started in a folder that its user does not know.
    const std::string where = std::filesystem::absolute(path).lexically_normal().string();
    replace_file(path, svg_of(f.trace, f.shapes));
    f.svg = where;
}

// Nobody asked for this file, so that it cannot be written is a remark and no failure.
void draw_where_nobody_asked(findings& f) {
    try {
        draw(f, "weir-demo.svg");
    } catch (const std::exception& e) {
        f.no_svg = e.what();
    }
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
    const std::vector<quota> quotas = contended_quotas();
    progress line(quotas.size() + 1);
    const auto show = [&](const std::string& text) {
        if (o.json) return;
        line.erase();
        write_out(text);
    };

    findings f;
    f.quick = o.quick;
    // The shapes come first, though they are shown later: they take no time, and a path that cannot
    // be written is best told at once.
    f.trace = bursty_arrivals();
    f.shapes = shapes_of(f.trace);
    if (o.svg) {
        draw(f, *o.svg);
    } else if (!o.json) {  // a program that asks for JSON does not expect a file to appear
        draw_where_nobody_asked(f);
    }

    f.where = this_machine();
    show(machine_text(f, out));
    for (const quota& q : quotas) {
        line.step("contention: " + in_words(q));
        f.contended.push_back(contend(q, f.where.cores, times.contention));
    }
    show(contention_text(f.contended, out));
    show(shapes_text(f, out));
    line.step("costs of a decision");
    f.costs = measure_costs(times.costs);
    show(costs_text(f, out));

    line.erase();
    if (o.json) write_out(json_text(f));
    return 0;
}

}  // namespace weir::command
