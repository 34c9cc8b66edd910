// SPDX-License-Identifier: MIT
#include "bars.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <weir/cell/kinds.hpp>

#include "report.hpp"

namespace bench {

namespace {

std::optional<double> multiple(const bar& b, const report& figures) {
    if (!b.reference.empty()) return figures.ratio(b.row, b.reference);
    const figure* f = figures.find(b.row);
    if (f == nullptr) return std::nullopt;
    return f->ratio;
}

std::string digits(double value, int places) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", places, value);
    return text.data();
}

std::string verdict_on(const bar& b, double x) {
    std::string words = "held";
    if (x > b.limit) words = "missed by " + digits((x / b.limit - 1) * 100, 1) + " %";
    if (fails(b)) words = "FAILED, " + words;
    return words;
}

// A log writes a second word.
template <class Kind>
void add_multiples_of_gcra(std::vector<bar>& to) {
    constexpr double limit = weir::log_cell<typename Kind::template cell<1>> ? 2 : 1.3;
    const std::string name = Kind::name;
    if (name == "gcra") return;
    for (const char* demand : {"/admit", "/admit_idle", "/deny", "/mixed"})
        to.push_back({name + demand, std::string("gcra") + demand, limit});
}

}  // namespace

std::vector<bar> all_bars() {
    std::vector<bar> all = {
        {"gcra/admit", "floor/clock_load_cas", 1.05},
        {"gcra/deny", "floor/clock_load_cas", 1.05},
        {"limiter/admit", "floor/clock_load_cas", 1.05},
        {"limiter/deny", "floor/clock_load_cas", 1.05},
        {"gcra/admit/now_given", "floor/load_cas", 1.25},
        {"array/admit/now_given", "bare_cells/admit/now_given", 1.1},
        {"keyed/uniform_10M/now_given", "random_lines/uniform_10M/now_given", 2.5},
        {"keyed/in_cache/deny", "keyed/in_cache/admit", 0.8},
        // Two threads decide 1.5 and 1.8 times as much as one.
        {"keyed/uniform_100k/now_given/two_threads", "", 2 / 1.5},
        {"keyed/uniform_10M/now_given/two_threads", "", 2 / 1.8},
        {"striped/admit", "floor/clock_load_cas", 0.65},
        {"striped/admit/two_threads", "", 1.2},
        {"cores/admit", "floor/clock_load_cas", 0.25},
        {"cores/admit/two_threads", "", 1.5},
        {"skipping/limiter_100k", "floor/clock_load_cas", 0.15},
        {"skipping/striped", "floor/clock_load_cas", 0.15},
        {"skipping/striped/beside_another", "floor/clock_load_cas", 0.15},
        {"cached_clock/admit", "floor/load_cas", 1.15},
        {"cached_clock/deny", "floor/clock_load_cas", 0.15},
        // No more than a nanosecond on top of 8.4 and 4.6.
        {"stats/admit", "limiter/admit", 1.12},
        {"stats/deny", "limiter/deny", 1.12},
        {"stats/cached_clock/admit", "cached_clock/admit", 1.22},
        {"stats/deny/two_threads", "", 1.1},
        {"lease_64/spend", "gcra/admit", 0.10},
        {"lease_64/refused", "limiter/deny", 1.1},
        // Of what one thread may cost: it costs a third of that with a lease of 1024.
        {"lease_64/spend/two_threads", "gcra/admit", 2 * 0.10},
        {"lease_1024/spend/two_threads", "gcra/admit", 1.1 * 0.10},
        {"all_of/admit", "one_by_one/admit", 1.1},
        {"all_of/deny", "one_by_one/deny", 1.1},
        // 2 ns more where the limiter takes 8.4.
        {"c/admit", "limiter/admit", 1.24},
        {"c/deny", "limiter/deny", 1.24},
        {"adjustable/admit", "limiter/admit", 1.15},
        {"adjustable/deny", "limiter/deny", 1.15},
        {"shared_memory/admit", "limiter/admit", 1.05},
        {"shared_memory/deny", "limiter/deny", 1.05},
        {"gcra/deny/two_threads", "", 1.1},
        {"limiter/deny/two_threads", "", 1.1},
        {"gcra/admit/two_threads", "", 1.1},
        {"limiter/admit/two_threads", "", 1.1},
    };
    weir::for_each_kind([&](auto kind) { add_multiples_of_gcra<decltype(kind)>(all); });
    return all;
}

bool fails(const bar& b) {
    return !b.runs.empty() && std::all_of(b.runs.begin(), b.runs.end(),
                                          [&](double x) { return x > b.limit * tolerance; });
}

bool any_fails(const std::vector<bar>& all) { return std::any_of(all.begin(), all.end(), fails); }

void judge(std::vector<bar>& all, const report& figures) {
    for (bar& b : all) {
        const auto x = multiple(b, figures);
        if (x && (b.runs.empty() || fails(b))) b.runs.push_back(*x);
    }
}

std::string failing_rows(const std::vector<bar>& all) {
    std::set<std::string> names;
    for (const bar& b : all) {
        if (!fails(b)) continue;
        names.insert(b.row);
        if (!b.reference.empty()) names.insert(b.reference);
    }
    std::string choice;
    for (const std::string& name : names) choice += (choice.empty() ? "" : "|") + name;
    return "^(" + choice + ")(/iterations:1/manual_time)?$";
}

void write_bars(std::ostream& out, const std::vector<bar>& all) {
    for (const bar& b : all) {
        out << "- " << b.row << " <= " << digits(b.limit, 2) << " x "
            << (b.reference.empty() ? "its reference" : b.reference) << ": ";
        if (b.runs.empty()) {
            out << "not measured\n";
            continue;
        }
        for (std::size_t i = 0; i < b.runs.size(); ++i)
            out << (i == 0 ? "" : ", then ") << digits(b.runs[i], 3);
        out << ", " << verdict_on(b, *std::min_element(b.runs.begin(), b.runs.end())) << '\n';
    }
}

}  // namespace bench
