// SPDX-License-Identifier: MIT
#include "command/demo/report.hpp"

#include <string_view>

#include "command/demo/chart.hpp"
#include "command/figures.hpp"
#include "command/heading.hpp"
#include "command/table.hpp"
#include "command/text.hpp"

namespace weir::command {

std::string machine_text(const findings& f, const style& out) {
    const machine& m = f.where;
    const clock_facts& c = m.clock;
    const std::string text =
        "weir " WEIR_VERSION " on " + plural(m.cores, "core") + " of " + m.processor +
        "; clock: " + c.source + " at " + fixed(static_cast<double>(c.hertz) / 1e6, 3) + " MHz, " +
        (c.invariant ? "invariant" : "not invariant") + (f.quick ? "; a quick and rough run" : "");
    return wrapped(text, line_width(out));
}

std::string rivals_text(const findings& f, const style& out) {
    std::string text = heading("Two threads ask one limit without a pause", out);
    if (f.where.cores < 2) {
        return text + wrapped("There is one core here, so two threads would only take turns.",
                              line_width(out));
    }
    table t({"limit", "a decision", "99.99 % within"});
    bool some_met = false;
    bool all_met = true;
    for (const rival& r : f.rivals) {
        // The floor is no limit: it stands among the costs.
        if (&r == &f.rivals.front()) continue;
        const bool met = r.slices != 0;
        t.add({r.what, met ? brief_time(r.nanoseconds) : "-", met ? brief_time(r.tail) : "-"});
        some_met = some_met || met;
        all_met = all_met && met;
    }
    if (some_met) text += t.text(line_width(out));
    if (!all_met) {
        text += wrapped(std::string(some_met ? "-: they" : "They") +
                            " never ran at the same time: other programs have the cores.",
                        line_width(out));
    }
    return text;
}

std::string contention_text(const std::vector<contention>& all, const style& out) {
    if (all.empty()) return "";
    table t({"quota", "admitted", "allowed", "share", "refused"});
    bool all_saturated = true;
    bool short_of_it = false;
    for (const contention& c : all) {
        t.add({in_words(c.asked), grouped(c.admitted), grouped(c.exact),
               c.saturated() ? ratio(c.admitted, c.exact) : "not saturated", grouped(c.denied)});
        constexpr double close = 0.999;
        all_saturated = all_saturated && c.saturated();
        short_of_it = short_of_it || (c.saturated() && static_cast<double>(c.admitted) <
                                                           close * static_cast<double>(c.exact));
    }
    const double seconds = all.front().seconds;
    std::string text = heading("What " + plural(all.front().threads, "thread") + " got in " +
                                   fixed(seconds, seconds < 0.1 ? 3 : 1) +
                                   " s, and the most that the quota allows",
                               out);
    text += t.text(line_width(out));
    if (!all_saturated) {
        text += wrapped("Not saturated: nothing was denied, so this says nothing of the limit.",
                        line_width(out));
    } else if (short_of_it) {
        text += wrapped("Below 0.999: the burst was full for a while, as no thread asked.",
                        line_width(out));
    }
    return text;
}

std::string pacing_text(const findings& f, const style& out) {
    return heading("A thing each millisecond, by each way of waiting, and by a loop", out) +
           lateness_table(f.paced).text(line_width(out));
}

std::string more_text(const style& out) {
    return "\n" +
           wrapped("More: weir demo 300/min --burst 20; weir demo --all (shapes, costs); weir help",
                   line_width(out));
}

std::string shapes_text(const findings& f, const style& out) {
    const std::size_t width = line_width(out);
    const scene& t = *f.played;
    std::string text = heading("The same " + plural(t.in_units(t.times.size()), "request") +
                                   (t.units == 1 ? "" : ", " + scaled(t.units) + " at a time,") +
                                   " through each algorithm, in virtual time",
                               out);
    text += chart_legend(t, out);
    for (const shape& s : f.shapes) {
        if (&s != &f.shapes.front()) text += '\n';
        text += wrapped(s.algorithm + " (" + in_words(s.asked) + "): " + s.character, width);
        text += chart_of(t, s, out);
        if (&s == &f.shapes.back()) text += time_axis(t, out);
        text += wrapped(grouped(t.in_units(passed_in_all(s))) + " passed, at most " +
                            grouped(t.in_units(most_in_a_second(t.times, s))) + " in any " +
                            t.in_words(1),
                        width);
    }
    const without_shape others = those_without_shape(t);
    if (others.names.empty()) {
        text += '\n' + wrapped("All have the same rate and burst. Only a sliding_log keeps to the "
                               "limit in every " +
                                   t.in_words(1) + ".",
                               width);
    } else {
        text += '\n' + wrapped("Not shown: " + others.names + ": " + others.why + ".", width);
    }
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

// Unwrapped, so that it can be copied.
std::string svg_text(const findings& f) {
    return f.svg.empty() ? "" : "\nAs an image: " + printable(f.svg) + "\n";
}

}  // namespace weir::command
