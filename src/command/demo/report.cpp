// SPDX-License-Identifier: MIT
#include "command/demo/report.hpp"

#include <string_view>

#include "command/demo/chart.hpp"
#include "command/heading.hpp"
#include "command/table.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {}  // namespace

std::string machine_text(const findings& f, const style& out) {
    const machine& m = f.where;
    const clock_facts& c = m.clock;
    const std::string text = "weir " WEIR_VERSION " on " + plural(m.cores, "core") + " of " +
                             m.processor + "; clock: " + c.source + " at " +
                             fixed(static_cast<double>(c.hertz) / 1e6, 3) + " MHz, " +
                             (c.invariant ? "invariant" : "not invariant") +
                             (f.quick ? "; a quick run, so these numbers are rough" : "");
    return wrapped(text, line_width(out));
}

std::string contention_text(const std::vector<contention>& all, const style& out) {
    table t({"quota", "admitted", "exact", "ratio", "denied", "ns/decision"});
    bool all_saturated = true;
    bool short_of_it = false;
    for (const contention& c : all) {
        t.add({in_words(c.asked), grouped(c.admitted), grouped(c.exact),
               c.saturated() ? ratio(c.admitted, c.exact) : "not saturated", grouped(c.denied),
               fixed(c.nanoseconds_per_decision, 1)});
        constexpr double close = 0.999;
        all_saturated = all_saturated && c.saturated();
        short_of_it = short_of_it || (c.saturated() && static_cast<double>(c.admitted) <
                                                           close * static_cast<double>(c.exact));
    }
    const unsigned threads = all.empty() ? 0 : all.front().threads;
    const double seconds = all.empty() ? 0 : all.front().seconds;
    std::string text =
        heading("One limiter, asked by " + plural(threads, "thread") + " without a pause for " +
                    fixed(seconds, seconds < 0.1 ? 3 : 1) + " s",
                out);
    text += t.text(line_width(out));
    text += wrapped("exact = half a burst, with which it starts, + rate x time: the most that the "
                    "quota allows. ns/decision is each thread's.",
                    line_width(out));
    if (!all_saturated) {
        text +=
            wrapped("Not saturated: nothing was denied, for the threads asked for less than was "
                    "there. The run was too short for that quota, or the machine too slow.",
                    line_width(out));
    }
    if (short_of_it) {
        text +=
            wrapped("Where the ratio is below 0.999, other programs kept the threads from asking "
                    "for a while.",
                    line_width(out));
    }
    return text;
}

std::string shapes_text(const findings& f, const style& out) {
    const std::size_t width = line_width(out);
    std::string text = heading("The same " + plural(f.trace.size(), "request") +
                                   " through each algorithm, in virtual time",
                               out);
    text += chart_legend(out);
    for (const shape& s : f.shapes) {
        if (&s != &f.shapes.front()) text += '\n';
        text += wrapped(s.algorithm + " (" + in_words(s.asked) + "): " + s.character, width);
        text += chart_of(f.trace, s, out);
        if (&s == &f.shapes.back()) text += time_axis(out);
        text += wrapped(grouped(passed_in_all(s)) + " passed, at most " +
                            grouped(most_in_a_second(f.trace, s)) + " in any second",
                        width);
    }
    text +=
        '\n' + wrapped("All have the same rate and burst. Only a sliding_log keeps to the limit in "
                       "every second.",
                       width);
    if (!f.no_svg.empty()) {
        text += '\n' + wrapped("No image (" + f.no_svg + "); --svg=PATH puts it elsewhere.", width);
    }
    // Unwrapped, so that it can be copied.
    if (!f.svg.empty()) text += "\nAs an image: " + f.svg + "\n";
    return text;
}

std::string costs_text(const findings& f, const style& out) {
    return heading("What a decision costs", out) + costs_table(f.costs).text(line_width(out)) +
           wrapped(
               "On one thread the core decides while it waits for the clock: that hides a mutex, "
               "too. Given a time, it shows what a decision takes alone. The difference is made "
               "by the second thread; two threads are compared with two that do just the floor, "
               "and left out if other programs never let two run at once. "
               "The mutex bucket has a std::mutex, a double and the limiter's clock.",
               line_width(out));
}

}  // namespace weir::command
