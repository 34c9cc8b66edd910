// SPDX-License-Identifier: MIT
#include "sections.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

namespace {

using values = std::vector<std::optional<double>>;

[[nodiscard]] std::optional<double> median(std::vector<double> of) {
    if (of.empty()) return std::nullopt;
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

// Calls measure(row) for each such row, so often, in reversed order every other time.
template <class Measure>
void in_turns(const std::vector<row>& rows, const std::string& demand, unsigned rounds,
              Measure measure) {
    for (unsigned round = 0; round < rounds; ++round) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const row& r = rows[round % 2 == 0 ? k : rows.size() - 1 - k];
            if (r.has(demand)) measure(r);
        }
    }
}

// A line for each such row, of cells that are made by cells_of(row).
template <class CellsOf>
[[nodiscard]] std::vector<section_line> lines_of(const std::vector<row>& rows,
                                                 const std::string& demand, CellsOf cells_of) {
    std::vector<section_line> all;
    for (const row& r : rows) {
        if (r.has(demand)) all.push_back({r.what.name, r.what.title, cells_of(r)});
    }
    return all;
}

// What was admitted, of what the rate allows.
struct share {
    double of_rate = 0;
    double wrong_by = 1;  // at most; 1: nothing is known
};

struct speed {
    const char* name;
    std::uint64_t per_second;
    std::uint64_t at_a_time;
};
constexpr std::array<speed, 7> speeds{{{"1/s", 1, 1},
                                       {"1 k/s", 1'000, 1},
                                       {"80 k/s", 80'000, 1},
                                       {"1 M/s", 1'000'000, 1},
                                       {"10 M/s in 100s", 10'000'000, 100},
                                       {"30 M/s in 300s", 30'000'000, 300},
                                       {"100 M/s in 1000s", 100'000'000, 1000}}};

[[nodiscard]] share share_of(const row& r, const speed& s, std::uint64_t ms) {
    const std::vector<double> told =
        r.by->ask(r.what.name, "accuracy", {s.per_second, s.at_a_time, ms});
    if (told.size() != 3 || told[1] <= 0) return {};
    return {told[0] / told[1] * 1e9 / static_cast<double>(s.per_second), told[2] / told[1]};
}

// Of each row, by its name.
using by_row = std::map<std::pair<worker*, std::string>, std::vector<std::vector<double>>>;

[[nodiscard]] std::pair<worker*, std::string> key_of(const row& r) { return {r.by, r.what.name}; }

// How late the calls were: after the grid through the earliest one.
struct lateness {
    double rate_error;  // parts per million
    double median;      // us
    double p99;
};

[[nodiscard]] lateness lateness_of(const std::vector<double>& at, double per_second) {
    const double interval = 1e9 / per_second;
    std::vector<double> late;
    for (std::size_t i = 0; i < at.size(); ++i)
        late.push_back(at[i] - static_cast<double>(i) * interval);
    std::sort(late.begin(), late.end());
    const auto part = [&](double of) {
        const auto i = static_cast<std::size_t>(of * static_cast<double>(late.size() - 1));
        return (late[i] - late.front()) / 1e3;
    };
    const double rate = static_cast<double>(at.size() - 1) / at.back() * 1e9;
    return {(rate / per_second - 1) * 1e6, part(0.5), part(0.99)};
}

[[nodiscard]] double now_in_us() {
    const std::chrono::duration<double, std::micro> now =
        std::chrono::steady_clock::now().time_since_epoch();
    return now.count();
}

// The microseconds that the decision took, and those from the start of the process.
[[nodiscard]] std::optional<std::pair<double, double>> first_decision(const row& r) {
    const std::string command = "'" + r.by->program() + "' first " + r.what.name;
    const double begin = now_in_us();
    std::FILE* child = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a worker of ours
    if (child == nullptr) return std::nullopt;
    double ns = 0;
    const bool told = std::fscanf(child, "%lf", &ns) == 1;  // NOLINT(cert-err34-c)
    const double end = now_in_us();
    if (pclose(child) != 0 || !told) return std::nullopt;
    return std::pair(ns / 1e3, end - begin);
}

}  // namespace

section measure_accuracy(const std::vector<row>& rows, const section_effort& e) {
    section s{
        "Accuracy",
        "What was admitted of what the rate allows, asked without pause by one thread: never "
        "above 1. The last\ndigit may be wrong; `(!)` marks what is above 1 by more than that "
        "and by more than a millionth",
        {},
        {}};
    std::map<std::pair<worker*, std::string>, std::vector<cell>> cells;
    for (const speed& v : speeds) {
        const bool slow = v.per_second == 1;
        s.columns.push_back({v.name, "%.6f", false});
        std::map<std::pair<worker*, std::string>, share> surest;
        in_turns(rows, "accuracy", slow ? 1 : e.rounds, [&](const row& r) {
            share& best = surest[key_of(r)];
            const share one = share_of(r, v, slow ? e.slow : e.accuracy);
            if (one.wrong_by < best.wrong_by) best = one;
        });
        for (const auto& [key, best] : surest) {
            cell c;
            if (best.wrong_by < 1) c.value = best.of_rate;
            c.wrong_by = best.wrong_by;
            c.as_told = best.of_rate * (1 - best.wrong_by) <= 1 + 1e-6;
            cells[key].push_back(c);
        }
    }
    s.lines = lines_of(rows, "accuracy", [&](const row& r) { return cells[key_of(r)]; });
    return s;
}

section measure_waiting(const std::vector<row>& rows, const section_effort& e) {
    section s{"Waiting",
              "One thread waits for each unit. Late: microseconds after the grid through the "
              "earliest one. A core:\nthe share that the process took. Those that have a burst "
              "have one of ten",
              {},
              {}};
    by_row all;
    const std::vector<std::pair<std::uint64_t, std::string>> rates = {{1'000, "1 kHz: "},
                                                                      {10'000, "10 kHz: "}};
    for (const auto& [rate, name] : rates) {
        s.columns.push_back({name + "rate, ppm off", "%+.0f", false});
        s.columns.push_back({name + "p50 late", "%.1f"});
        s.columns.push_back({name + "p99 late", "%.1f"});
        s.columns.push_back({name + "a core", "%.3f"});
    }
    const std::size_t width = s.columns.size();
    for (std::size_t i = 0; i < rates.size(); ++i) {
        in_turns(rows, "waiting", e.rounds, [&](const row& r) {
            all[key_of(r)].resize(width);
            const std::uint64_t rate = rates[i].first;
            const std::vector<double> told = r.by->ask(r.what.name, "waiting", {rate, e.waiting});
            if (told.size() < 4 || told.back() <= 0) return;
            const lateness l =
                lateness_of({told.begin() + 2, told.end()}, static_cast<double>(rate));
            const std::array<double, 4> figures = {l.rate_error, l.median, l.p99,
                                                   told[0] / told.back()};
            for (std::size_t k = 0; k < figures.size(); ++k)
                all[key_of(r)][4 * i + k].push_back(figures[k]);
        });
    }
    s.lines = lines_of(rows, "waiting", [&](const row& r) {
        std::vector<cell> cells;
        for (const std::vector<double>& one : all[key_of(r)]) cells.push_back({median(one)});
        return cells;
    });
    return s;
}

section measure_beginning(const std::vector<row>& rows, const section_effort& e) {
    section s{"The beginning",
              "Microseconds of a process that makes its first limiter and has it decide once; the "
              "same from the start\nof that process; nanoseconds to make a limiter, of " +
                  std::to_string(e.making),
              {{"first decision, us", "%.1f"},
               {"from the start, us", "%.0f"},
               {"to make one of many, ns", "%.1f"}},
              {}};
    by_row all;
    in_turns(rows, "making", e.rounds, [&](const row& r) {
        const std::vector<double> told = r.by->ask(r.what.name, "making", {e.making});
        auto& its = all[key_of(r)];
        its.resize(3);
        its[2].push_back(told.front() / static_cast<double>(e.making));
    });
    in_turns(rows, "first", e.processes, [&](const row& r) {
        auto& its = all[key_of(r)];
        its.resize(3);
        if (const auto told = first_decision(r)) {
            its[0].push_back(told->first);
            its[1].push_back(told->second);
        }
    });
    s.lines = lines_of(rows, "making", [&](const row& r) {
        std::vector<cell> cells;
        for (const std::vector<double>& one : all[key_of(r)]) cells.push_back({median(one)});
        return cells;
    });
    return s;
}

}  // namespace bench
