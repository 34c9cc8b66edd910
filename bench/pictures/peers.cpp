// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command/figures.hpp"
#include "measured.hpp"
#include "page.hpp"
#include "tracks.hpp"

namespace bench {

namespace {

// The fastest comes first. Nothing of who did not do what was asked.
[[nodiscard]] track_group group_of(const page& results, const std::string& title,
                                   const std::string& column) {
    const std::vector<line> averages = results.table("One limit", column);
    const std::vector<line> tails = results.table("One limit, p99.99", column);
    track_group g{title, {}};
    for (const line& average : averages) {
        const std::string what = average.text("what");
        const std::optional<double> ns = average.number(column);
        if (!ns || what.rfind("empty loop", 0) == 0) continue;
        track one{what, average.text(column), what.rfind("weir", 0) == 0, {*ns}};
        for (const line& tail : tails) {
            const std::optional<double> slowest = tail.number(column);
            if (tail.text("what") != what || !slowest) continue;
            one.marks.push_back(std::max(*ns, *slowest));
            one.remark += " / " + weir::command::brief(*slowest);
        }
        g.tracks.push_back(one);
    }
    std::stable_sort(g.tracks.begin(), g.tracks.end(), [](const track& a, const track& b) {
        return a.marks.front() < b.marks.front();
    });
    return g;
}

}  // namespace

std::string peers_svg(const std::string& results) {
    const page all(results);
    tracks t;
    t.title = "What one decision takes";
    t.notes = {"The average, and what one in ten thousand exceeds,",
               "of decisions that admit, in nanoseconds. The latter",
               "has the 20 to 30 ns of measuring it."};
    if (all.says("do NOT compare two threads"))
        t.notes.emplace_back("It was not quiet enough to compare two threads.");
    t.unit = 1;
    t.groups.push_back(group_of(all, "One thread", "admit"));
    t.groups.push_back(group_of(all, "Two threads on one limit", "admit, 2 threads"));
    for (const track_group& g : t.groups) {
        t.description += g.title + ", nanoseconds on average / p99.99:";
        for (const track& one : g.tracks) t.description += " " + one.name + " " + one.remark + ";";
        t.description.back() = '.';
        t.description += ' ';
    }
    t.description.pop_back();
    return svg_of(t);
}

}  // namespace bench
