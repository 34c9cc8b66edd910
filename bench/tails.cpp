// SPDX-License-Identifier: MIT
// How long the slowest decisions take, and how often one decision tries: each cell, a limiter and a
// mutex bucket beside the bare clock read and the bare loops of atomics.
//
// All rows take turns in short slices, in reversed order every other round, so that whatever the
// machine does at the time happens to all of them. A slice is dropped if the system took a core
// away from one of its threads, or if one thread made less than an eighth of the other's calls:
// then the hypervisor took its core away, and the other one was alone. What is told is the median
// of the slices, with the distance between their quartiles as its spread. Calls of more than 50 us
// are counted apart: a decision that tries 64 times takes a third of that, even if each try waits
// 250 ns for its line. What takes longer is the system or the hypervisor, and happens to a bare
// clock read as well. The tries are counted in all slices, so no starving thread is dropped from
// them.

#include "harness/tails.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/cores.hpp"
#include "harness/slice.hpp"
#include "harness/told.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

constexpr std::int64_t longest_of_a_decision = 50'000;  // ns
constexpr weir::word most_tries = 64;

// What a row is judged by: the same operations without the arithmetic.
constexpr const char* loop = "clock read + CAS loop";
constexpr const char* mixed_loop = "clock read + CAS loop: mixed";
constexpr const char* log_loop = "clock read + two CAS loops";

struct effort {
    std::size_t least_kept;  // slices of each row
    unsigned most_rounds;
    unsigned calls;          // of a slice, for each thread
    weir::word decisions;    // of each row of which the tries are counted
    unsigned untimed_calls;  // of a slice of those
};
constexpr effort in_full = {40, 120, 10'000, 100'000'000, 20'000};
constexpr effort in_quick = {1, 1, 500, 2'000, 500};

// What is measured, whatever its type is.
struct subject {
    std::string name;
    bool counts_tries;  // it says which exchanges were lost
    std::string floor;  // another row; none: there is no bar
    std::function<slice(const slicing&)> run;
};

template <class Task>
[[nodiscard]] subject row_of(const std::string& name, bool counts_tries,
                             const std::string& floor = "") {
    return {name, counts_tries, floor, [task = std::make_shared<Task>()](const slicing& how) {
                return slicer(how).run(*task);
            }};
}

[[nodiscard]] std::vector<subject> floors() {
    return {
        row_of<floor_task<core_clock, operation::nothing>>("clock read", false),
        row_of<floor_task<core_clock, operation::fetch_add>>("clock read + fetch_add", false),
        row_of<floor_task<core_clock, operation::cas, losses>>(loop, true),
        row_of<mixed_floor_task<core_clock, losses>>(mixed_loop, true),
        row_of<log_floor_task<core_clock, losses>>(log_loop, true),
    };
}

// There is a bar for what makes one exchange, and for a log, which makes two.
template <class Subject>
void add_demands(std::vector<subject>& to, const std::string& name, bool has_bar) {
    const auto add = [&]<demand Demand>(const char* demanded, std::string floor) {
        if (Subject::is_log) floor = log_loop;
        if (!has_bar) floor.clear();
        to.push_back(row_of<demand_task<Subject, Demand>>(name + demanded, has_bar, floor));
    };
    add.template operator()<demand::admit>(": admit", loop);
    add.template operator()<demand::deny>(": deny", loop);
    add.template operator()<demand::mixed>(": mixed", mixed_loop);
}

[[nodiscard]] std::vector<subject> subjects() {
    std::vector<subject> all = floors();
    add_demands<mutex_bucket>(all, "mutex_bucket", false);
    weir::for_each_kind([&](auto kind) {
        add_demands<cell_subject<cell_of<decltype(kind)>, losses>>(all, kind.name, true);
    });
    using limiter = weir::limiter<weir::gcra<>, core_clock, losses>;
    add_demands<limiter_subject<limiter>>(all, "limiter", true);
    add_demands<refunding_subject<limiter>>(all, "reserve + refund", false);
    add_demands<joint_subject<limiter>>(all, "all_of two", false);
    using adjustable = weir::adjustable<core_clock, losses>;
    add_demands<limiter_subject<adjustable>>(all, "adjustable", true);
    return all;
}

// --- statistics

// The slices of one row, one of each round.
struct measured {
    std::vector<slice> all;

    [[nodiscard]] std::vector<slice> kept() const {
        std::vector<slice> some;
        std::copy_if(all.begin(), all.end(), std::back_inserter(some), counts);
        return some;
    }
    [[nodiscard]] told part(std::size_t k) const {
        return told_of(kept(), [k](const slice& s) { return to_ns(s.at.at(k)); });
    }
    [[nodiscard]] weir::word decisions() const {
        weir::word sum = 0;
        for (const slice& s : all) sum += s.calls;
        return sum;
    }
    // Of all slices: a core that is taken away changes nothing of that.
    [[nodiscard]] weir::word most_tries() const {
        weir::word most = 0;
        for (const slice& s : all) most = std::max(most, s.most_lost);
        return most + 1;
    }
};

// One slice of each row.
void take_turns(const std::vector<subject>& rows, const slicing& how, std::vector<measured>& into,
                bool reversed) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = reversed ? rows.size() - 1 - k : k;
        into[i].all.push_back(rows[i].run(how));
    }
}

// --- tables

// How far apart the cores were in each slice, sorted: the host moves them. A core that is taken
// away looks very far.
[[nodiscard]] std::vector<double> probes_of(const std::vector<measured>& all) {
    std::vector<double> probes;
    for (const measured& m : all) {
        for (const slice& s : m.all) probes.push_back(s.probe);
    }
    std::sort(probes.begin(), probes.end());
    return probes;
}

void write_probe(std::ostream& out, const std::vector<measured>& all) {
    const std::vector<double> probes = probes_of(all);
    if (probes.empty() || probes.front() == 0) return;
    print(out,
          "\nA line took %.0f ns to come over from the other core at best, %.0f in half of the "
          "slices and\n%.0f in nineteen of twenty.\n",
          probes.front(), probes[probes.size() / 2], probes[probes.size() * 19 / 20]);
}

struct table {
    const char* title;
    slicing how;
    std::vector<measured> rows{};
};

void write(std::ostream& out, const table& t, const std::vector<subject>& rows) {
    out << "\n### " << t.title << "\n\n"
        << "| what                         |   p50        |   p99        |   p99.9      |   p99.99 "
           "      "
           "|  longest | too long | tries | slices | dropped |\n"
           "| ---------------------------- | -----------: | -----------: | -----------: | "
           "-------------: "
           "| -------: | -------: | ----: | -----: | ------: |\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const measured& m = t.rows[i];
        const std::vector<slice> kept = m.kept();
        print(out, "| %-28s ", rows[i].name.c_str());
        for (std::size_t k = 0; k < told_parts.size(); ++k) {
            const told its = m.part(k);
            print(out, k == 3 ? "| %6.0f (%5.0f) " : "| %5.0f (%4.0f) ", its.median, its.spread);
        }
        weir::word longest = 0;
        weir::word too_long = 0;
        weir::word calls = 0;
        for (const slice& s : kept) {
            longest = std::max(longest, s.longest);
            too_long += s.too_long;
            calls += s.calls;
        }
        print(out, "| %8.0f | %8.1f | %5s | %6zu | %7zu |\n", to_ns(longest),
              1e6 * static_cast<double>(too_long) /
                  static_cast<double>(std::max<weir::word>(calls, 1)),
              rows[i].counts_tries ? std::to_string(m.most_tries()).c_str() : "", kept.size(),
              m.all.size() - kept.size());
    }
    write_probe(out, t.rows);
}

// --- bars

[[nodiscard]] std::size_t place_of(const std::string& name, const std::vector<subject>& rows) {
    std::size_t i = 0;
    while (rows[i].name != name) ++i;
    return i;
}

// The p99.9 of two threads beside that of the row's floor. The host moves the cores: a line comes
// over in 50 ns or in 250, and the tail is mostly its journey. So a slice is compared with slices
// in which the cores were as far apart.
void write_tail_bars(std::ostream& out, const table& t, const std::vector<subject>& rows) {
    constexpr std::size_t p999 = 2;
    constexpr std::size_t enough = 10;
    const std::vector<double> probes = probes_of(t.rows);
    if (probes.empty()) return;
    const double near_probe = probes[probes.size() / 10];  // the best ones are noise
    for (const bool near_by : {true, false}) {
        const auto of = [&](std::size_t i) {
            std::vector<slice> some = t.rows[i].kept();
            std::erase_if(some,
                          [&](const slice& s) { return (s.probe < 2 * near_probe) != near_by; });
            return some;
        };
        const auto its_tail = [](const slice& s) { return to_ns(s.at.at(p999)); };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].floor.empty()) continue;
            const std::vector<slice> own = of(i);
            const std::vector<slice> floor = of(place_of(rows[i].floor, rows));
            if (own.size() < enough || floor.size() < enough) continue;
            const told bar = told_of(floor, its_tail);
            write_bar(out,
                      rows[i].name + ", two threads, cores " + (near_by ? "near" : "far") +
                          ", p99.9",
                      told_of(own, its_tail).median, bar.median + bar.spread, 0, " ns");
        }
    }
}

// --- what is measured

struct output {
    std::ostream& tables;
    std::ostream& bars;
};

void write_latencies(const output& out, const effort& e) {
    const std::vector<subject> rows = subjects();
    const auto too_long = static_cast<weir::word>(
        weir::to_ticks<core_clock>(weir::nanoseconds(longest_of_a_decision)));
    std::vector<table> all = {
        {"One thread, hammering", {1, pace::hammering, e.calls, too_long}},
        {"One thread, 50 to 500 ns between two calls", {1, pace::thinking, e.calls, too_long}},
        {"Two threads, hammering", {2, pace::hammering, e.calls, too_long}},
        {"Two threads, 50 to 500 ns between two calls", {2, pace::thinking, e.calls, too_long}},
    };
    if (cores().size() < 2) all.resize(2);
    for (table& t : all) t.rows.resize(rows.size());
    const auto enough = [&](const measured& m) { return m.kept().size() >= e.least_kept; };
    const auto all_enough = [&](const table& t) {
        return std::all_of(t.rows.begin(), t.rows.end(), enough);
    };
    for (unsigned round = 0; round < e.most_rounds; ++round) {
        if (std::all_of(all.begin(), all.end(), all_enough)) break;
        for (table& t : all) take_turns(rows, t.how, t.rows, round % 2 != 0);
    }
    for (const table& t : all) write(out.tables, t, rows);
    if (all.size() < 3) return;
    write_tail_bars(out.bars, all[2], rows);
}

// The median of the rounds in which both count.
[[nodiscard]] told ratio(const measured& of, const measured& to) {
    std::vector<slice> both;
    for (std::size_t i = 0; i < of.all.size(); ++i) {
        if (!counts(of.all[i]) || !counts(to.all[i])) continue;
        both.push_back(of.all[i]);
        both.back().average /= to.all[i].average;
    }
    return told_of(both, [](const slice& s) { return s.average; });
}

// No call is timed, so the threads meet as often as they can.
void write_tries(const output& out, const effort& e) {
    if (cores().size() < 2) return;
    std::vector<subject> rows;
    for (subject& s : subjects()) {
        const bool admits = s.floor.empty() || s.name.find(": admit") != std::string::npos;
        if (s.counts_tries && admits) rows.push_back(std::move(s));
    }
    std::vector<measured> all(rows.size());
    const auto enough = [&](const measured& m) { return m.decisions() >= e.decisions; };
    for (unsigned round = 0; !std::all_of(all.begin(), all.end(), enough); ++round)
        take_turns(rows, {2, pace::untimed, e.untimed_calls, 0}, all, round % 2 != 0);
    out.tables
        << "\n### Two threads, hammering, no call timed\n\n"
           "| what                         | decisions | most tries |   ns         | x loop        "
           "| slices | dropped |\n"
           "| ---------------------------- | --------: | ---------: | -----------: | ------------: "
           "| -----: | ------: |\n";
    const measured& reference = all[place_of(loop, rows)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const measured& m = all[i];
        const std::vector<slice> kept = m.kept();
        const told its = told_of(kept, [](const slice& s) { return s.average; });
        const told x = ratio(m, reference);
        const auto most = static_cast<unsigned long long>(m.most_tries());
        print(out.tables,
              "| %-28s | %9llu | %10llu | %5.1f (%4.1f) | %5.3f (%5.3f) | %6zu | %7zu |\n",
              rows[i].name.c_str(), static_cast<unsigned long long>(m.decisions()), most,
              its.median, its.spread, x.median, x.spread, kept.size(), m.all.size() - kept.size());
        if (rows[i].floor.empty()) continue;
        write_bar(out.bars, rows[i].name + ", two threads, most tries",
                  static_cast<double>(m.most_tries()), most_tries, 0, "");
    }
    write_probe(out.tables, all);
}

}  // namespace

void write_tails(std::ostream& out, bool quick) {
    const effort& e = quick ? in_quick : in_full;
    std::ostringstream tables;
    std::ostringstream bars;
    write_latencies({tables, bars}, e);
    write_tries({tables, bars}, e);
    out << "\n## Tails\n\n"
           "Nanoseconds from before a call to after it, with the time of the two clock reads "
           "around "
           "it:\na row means something only beside the bare clock read. Medians of slices of "
        << e.calls
        << " calls a\nthread, of two threads the worse one; in brackets the spread, the distance "
           "between the quartiles\nof the slices. The p99.99 is the second longest of a slice. "
           "Longest "
           "is the longest call of up to\n50 us. Too long are longer calls, in a million: the "
           "system "
           "or the hypervisor makes them, in the bare\nclock read too, and a mutex that sleeps. "
           "Tries "
           "are the most in one decision, in all slices. Dropped\nare slices in which the system "
           "or the "
           "hypervisor took a core away.\n"
        << tables.str();
    if (!quick) out << "\n### Bars\n\n" << bars.str();
}

}  // namespace bench
