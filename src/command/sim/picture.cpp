// SPDX-License-Identifier: MIT
// The simulation as an image, a panel for each limit, and as a table of the same numbers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "command/figures.hpp"
#include "command/panel.hpp"
#include "command/sim/results.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

// Of a tenth of the quota's period, as far as that makes a number that can be looked at.
std::size_t bins_of(const sim_results& r) {
    constexpr std::uint64_t fewest = 40;
    constexpr std::uint64_t most = 200;
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        const auto period = static_cast<std::uint64_t>(l.limit->asked().period().count());
        const std::uint64_t tenth = std::max<std::uint64_t>(period / 10, 1);
        const std::uint64_t tenths = (r.shown_end() - r.begin) / tenth;
        return static_cast<std::size_t>(std::clamp(tenths, fewest, most));
    }
    return most;
}

// Dates are longer than the seconds of a short time.
std::vector<std::pair<double, std::string>> times_of(const sim_results& r) {
    const std::uint64_t length = r.shown_end() - r.begin;
    const std::size_t letters = axis_text(r, length).size();
    const int parts = letters > 8 ? 2 : letters > 6 ? 3 : 5;
    std::vector<std::pair<double, std::string>> all;
    for (int i = 0; i <= parts; ++i) {
        const double share = static_cast<double>(i) / parts;
        const auto after = static_cast<std::uint64_t>(share * static_cast<double>(length));
        all.emplace_back(share, axis_text(r, after));
    }
    return all;
}

panel panel_of(const sim_results& r, const simulated_limit& l, std::size_t bins) {
    const tally& found = l.found();
    const std::uint64_t end = r.shown_end();
    const double seconds = static_cast<double>(end - r.begin) / 1e9 / static_cast<double>(bins);
    const auto rates = [&](const timeline& counts) {
        std::vector<double> all = counts.parts(r.begin, end, bins);
        for (double& value : all) value /= seconds;
        return all;
    };
    panel p{std::string(l.kind->name),
            std::string(l.kind->character),
            l.limit->asked(),
            found.admitted,
            r.requests,
            found.worst.most(),
            found.worst.is_least(),
            rates(r.came),
            rates(found.passed),
            {},
            {}};
    if (r.key_count() <= 1)
        p.recent = found.worst.recent(end).highest(r.begin, end, points_of_panel);
    if (l.kind->waits) p.waiting = found.queue.means(r.begin, end, bins);
    return p;
}

}  // namespace

std::string sim_svg(const sim_results& r) {
    const std::size_t bins = bins_of(r);
    panels p;
    if (r.limits.size() > 1) p.title = "The same arrivals";
    p.notes = {harmless(r.arrivals, 140)};
    if (r.log && r.requests != 0)
        p.notes.push_back(time_text(r, r.begin) + " to " + time_text(r, r.end));
    p.bin = brief_time(static_cast<double>(r.shown_end() - r.begin) / static_cast<double>(bins));
    p.has_rate = r.key_count() <= 1;
    p.times = times_of(r);
    for (const simulated_limit& l : r.limits) {
        if (l.limit) p.all.push_back(panel_of(r, l, bins));
    }
    return svg_of(p);
}

std::string sim_csv(const sim_results& r) {
    const std::size_t bins = bins_of(r);
    const std::uint64_t end = r.shown_end();
    std::string text = "from_ns,to_ns,arrived_units";
    std::vector<std::vector<double>> columns = {r.came.parts(r.begin, end, bins)};
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        text += "," + std::string(l.kind->name) + "_admitted_units";
        columns.push_back(l.found().passed.parts(r.begin, end, bins));
        if (!l.kind->waits) continue;
        text += "," + std::string(l.kind->name) + "_waiting";
        columns.push_back(l.found().queue.means(r.begin, end, bins));
    }
    text += '\n';
    const double length = static_cast<double>(end - r.begin);
    for (std::size_t i = 0; i < bins; ++i) {
        const auto at = [&](std::size_t bin) {
            const double share = static_cast<double>(bin) / static_cast<double>(bins);
            return std::to_string(r.begin + static_cast<std::uint64_t>(share * length));
        };
        text += at(i) + "," + at(i + 1);
        for (const auto& c : columns) text += "," + fixed(c[i], 3);
        text += '\n';
    }
    return text;
}

}  // namespace weir::command
