// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/figures.hpp"
#include "command/heading.hpp"
#include "command/plot.hpp"
#include "command/sim/results.hpp"
#include "command/table.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

constexpr std::size_t most_of_key = 40;  // characters

bool is_by_key(const sim_results& r) { return r.by != apart_by::nothing; }

std::string key_text(const sim_results& r, std::uint32_t key) {
    const std::string_view text = r.known->text(key);
    return text.empty() ? "(none)" : harmless(text, most_of_key);
}

std::string came_text(const sim_results& r, const style& out) {
    std::string text = plural(r.requests, "request");
    if (r.units != r.requests) text += " for " + plural(r.units, "unit");
    if (is_by_key(r)) {
        text += " of " + plural(r.key_count(), r.by == apart_by::path ? "path" : "key");
    }
    if (r.log) {
        text += " in " + harmless(r.arrivals, 200);
        if (r.format) text += " (" + std::string(describe(*r.format)) + ")";
        if (r.requests != 0) {
            text += ", within " + brief_time(static_cast<double>(r.end - r.begin)) + ": " +
                    time_text(r, r.begin) + " to " + time_text(r, r.end);
        }
    } else {
        text += ": " + harmless(r.arrivals, 200);
        if (r.seed) text += ", seed " + std::to_string(*r.seed);
    }
    return wrapped(text, line_width(out));
}

std::string limits_text(const sim_results& r, const style& out) {
    const quota& q = r.limits.front().limit->asked();
    const std::string period = period_text(q);
    table t({"limit", "admitted", "refused", "share", "worst " + period, "of quota"});
    if (is_by_key(r)) {
        t = table(
            {"limit", "admitted", "refused", "share", "worst " + period, "of quota", "keys hit"});
    }
    for (const simulated_limit& l : r.limits) {
        const tally& f = l.found();
        std::vector<std::string> row = {
            std::string(l.kind->name),
            grouped(f.admitted),
            grouped(f.refused),
            percent(f.refused, f.admitted + f.refused),
            (f.worst.is_least() ? ">= " : "") + grouped(f.worst.most()),
            fixed(static_cast<double>(f.worst.most()) / static_cast<double>(q.units()), 2) + " x"};
        if (is_by_key(r)) {
            const auto& keys = f.refused_by_key;
            const auto count =
                std::count_if(keys.begin(), keys.end(), [](std::uint64_t n) { return n != 0; });
            row.push_back(grouped(static_cast<std::uint64_t>(count)));
        }
        t.add(std::move(row));
    }
    std::string title = in_words(q);
    if (r.by == apart_by::key) title += " for each key";
    if (r.by == apart_by::path) title += " for each path";
    return heading(title, out) + t.text(line_width(out)) +
           wrapped("worst " + period + ": the most units that one limit let pass in any " + period +
                       ", wherever it begins.",
                   line_width(out));
}

std::string waits_text(const sim_results& r, const style& out) {
    table t({"limit", "waited: half", "90 %", "99 %", "99.9 %", "longest", "most waiting"});
    bool any = false;
    for (const simulated_limit& l : r.limits) {
        if (!l.kind->waits) continue;
        any = true;
        const tally& f = l.found();
        const auto part = [&f](std::uint32_t millionths) {
            return brief_time(static_cast<double>(f.waits.quantile(millionths)));
        };
        t.add({std::string(l.kind->name), part(500'000), part(900'000), part(990'000),
               part(999'000), brief_time(static_cast<double>(f.waits.most())),
               grouped(f.longest_queue)});
    }
    return any ? "\n" + t.text(line_width(out)) : "";
}

std::vector<std::pair<double, std::string>> axis_labels(const sim_results& r, std::size_t parts) {
    const std::uint64_t length = r.shown_end() - r.begin;
    std::vector<std::pair<double, std::string>> labels;
    for (std::size_t i = 0; i <= parts; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(parts);
        const auto after = static_cast<std::uint64_t>(share * static_cast<double>(length));
        labels.emplace_back(share, axis_text(r, after));
    }
    return labels;
}

std::string plots_text(const sim_results& r, const style& out) {
    constexpr std::size_t gutter = 9;
    constexpr std::uint64_t second = 1'000'000'000;
    const std::uint64_t end = r.shown_end();
    const std::size_t columns = plot_columns({gutter, 1, 1, "", ""}, out);
    const double seconds = static_cast<double>(end - r.begin) / static_cast<double>(second) /
                           static_cast<double>(columns);
    std::vector<double> came = r.came.parts(r.begin, end, columns);
    double highest = 0;
    for (double& c : came) highest = std::max(highest, c /= seconds);
    // What waited may pass later than anything came, and at once.
    std::vector<std::vector<double>> passed;
    for (const simulated_limit& l : r.limits) {
        passed.push_back(l.found().passed.parts(r.begin, end, columns));
        for (double& p : passed.back()) highest = std::max(highest, p /= seconds);
    }
    if (highest == 0) return "";
    const rate_unit unit = unit_of_rate(highest);
    constexpr int rows = 4;
    const plot rates = {gutter, rows, highest / rows, brief(highest * unit.seconds) + unit.name,
                        brief(highest * unit.seconds / rows) + unit.name};
    std::string text = "\n" + plot_legend(rates, out);
    for (std::size_t i = 0; i < r.limits.size(); ++i) {
        const simulated_limit& l = r.limits[i];
        if (i != 0) text += '\n';
        text += wrapped(std::string(l.kind->name) + ": " + std::string(l.kind->character),
                        line_width(out));
        text += plot_rows(rates, came, passed[i], out);
        if (l.kind->waits) {
            const std::vector<double> waiting = l.found().queue.means(r.begin, end, columns);
            const double most = *std::max_element(waiting.begin(), waiting.end());
            if (most > 0) {
                const plot queue = {gutter, 2, most / 2, brief(most), "waiting"};
                text += plot_rows(queue, waiting, waiting, out);
            }
        }
    }
    return text + plot_axis(rates, axis_labels(r, columns >= 60 ? 4 : 2), out);
}

std::string offenders_text(const sim_results& r, const style& out) {
    if (!is_by_key(r) || r.top == 0) return "";
    const std::vector<std::uint32_t> worst = worst_keys(r.limits.front().found(), r.top);
    if (worst.empty()) return "";
    std::vector<std::string> heads = {r.by == apart_by::path ? "path" : "key", "came"};
    for (const simulated_limit& l : r.limits) {
        heads.push_back((r.limits.size() == 1 ? "refused" : std::string(l.kind->name)));
    }
    heads.emplace_back("share");
    table t(heads);
    for (const std::uint32_t key : worst) {
        std::vector<std::string> row = {key_text(r, key), grouped(r.came_by_key[key])};
        for (const simulated_limit& l : r.limits) {
            const auto& refused = l.found().refused_by_key;
            row.push_back(grouped(key < refused.size() ? refused[key] : 0));
        }
        row.push_back(percent(r.limits.front().found().refused_by_key[key], r.came_by_key[key]));
        t.add(std::move(row));
    }
    return heading("Refused most often" + (r.limits.size() == 1
                                               ? ""
                                               : " by " + std::string(r.limits.front().kind->name)),
                   out) +
           t.text(line_width(out));
}

std::string suggestions_text(const sim_results& r, const style& out) {
    if (r.suggestions.empty()) return "";
    const double share = static_cast<double>(r.share) / 1e6;
    std::string text = heading(r.share == 0 ? std::string("The smallest quota that refuses nothing")
                                            : "The smallest quota that refuses fewer than " +
                                                  brief(share) + " % of what came",
                               out);
    if (r.suggested_of < r.requests) {
        text += wrapped("Found by the first " + plural(r.suggested_of, "request") + ".",
                        line_width(out));
    }
    for (const suggestion& s : r.suggestions) {
        if (!s.enough) {
            text += wrapped(s.limit + ": none (" + s.why_not + ")", line_width(out));
            continue;
        }
        const auto refuses = [&r](const quota& q, std::uint64_t refused) {
            return std::string(to_text(q).c_str()) + " refuses " + grouped(refused) + " (" +
                   percent(refused, r.suggested_of) + ")";
        };
        std::string line = s.limit + ": " + refuses(*s.enough, s.refused);
        if (s.too_small) line += "; " + refuses(*s.too_small, s.refused_by_less);
        text += wrapped(line, line_width(out));
    }
    return text;
}

// What is to be known of how all this was found.
std::vector<std::string> notes(const sim_results& r) {
    std::vector<std::string> all;
    if (r.interrupted) all.emplace_back("Interrupted: this is what there was so far.");
    if (r.log) {
        const trace_facts& f = *r.log;
        if (f.not_understood != 0) {
            all.push_back(plural(f.not_understood, "line") + " of " + grouped(f.lines) +
                          " not understood. The first is line " + grouped(f.first_line) + ": " +
                          f.first_reason + ": \"" + harmless(f.first_text, 60) + "\".");
        }
        if (f.cut_off) all.emplace_back("The last line has no end: the log may be cut off.");
        if (f.without_place != 0) {
            all.push_back(plural(f.without_place, "line") + " left out: of keys that came after " +
                          plural(r.known->most(), "other") + "; --keys lets in more.");
        }
        if (f.late != 0) {
            all.push_back(plural(f.late, "line") + " out of order, by up to " +
                          brief_time(static_cast<double>(f.most_late)) +
                          ": taken to have come with the line before.");
        }
        if (f.strays != 0) {
            all.push_back(
                plural(f.strays, "line") +
                " left out: the time is more than half an hour away from that of the lines "
                "around.");
        }
        if (f.moved_back != 0) {
            all.push_back("The time went back by more than half an hour " +
                          plural(f.moved_back, "time") +
                          ": what follows is taken to be whole hours later.");
        }
        if (f.strays + f.moved_back > f.lines / 10) {
            all.emplace_back("The lines are in no order of time, so all of this means little: sort "
                             "them first.");
        }
        if (f.spread) {
            all.emplace_back("The log has whole seconds: the requests of a second are spread "
                             "evenly over it (--as-logged: they are not).");
        }
    }
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        const tally& f = l.found();
        if (f.never != 0) {
            all.push_back(std::string(l.kind->name) + ": " + plural(f.never, "request") +
                          " of more units than the burst, which never pass.");
        }
        if (f.without_place != 0) {
            all.push_back(std::string(l.kind->name) + ": " + plural(f.without_place, "request") +
                          " left out: there is no memory for a log of each key.");
        }
    }
    return all;
}

}  // namespace

std::string sim_text(const sim_results& r, const style& out) {
    std::string text = came_text(r, out);
    if (r.requests != 0) {
        if (r.limits.front().limit) {
            text += limits_text(r, out) + waits_text(r, out) + plots_text(r, out) +
                    offenders_text(r, out);
        }
        text += suggestions_text(r, out);
    }
    const std::vector<std::string> last = notes(r);
    if (!last.empty()) text += '\n';
    for (const std::string& n : last) text += wrapped(n, line_width(out));
    // Unwrapped, so that they can be copied.
    if (!r.svg.empty()) text += "\nAs an image: " + printable(r.svg) + "\n";
    if (!r.csv.empty()) text += "\nAs a table: " + printable(r.csv) + "\n";
    return text;
}

}  // namespace weir::command
