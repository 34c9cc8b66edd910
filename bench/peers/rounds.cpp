// SPDX-License-Identifier: MIT
#include "rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/cores.hpp"
#include "harness/lockstep.hpp"

namespace bench {

namespace {

// Those of single decisions; the others are for sections.hpp.
[[nodiscard]] bool is_speed(const std::string& demand) {
    return demand == "admit" || demand == "deny" || demand == "mixed" || demand == "uniform" ||
           demand == "zipf";
}

[[nodiscard]] bool is_keyed(const std::string& demand) {
    return demand == "uniform" || demand == "zipf";
}

// Whatever disturbs one thread only adds. But of a p99.99 the least is luck.
[[nodiscard]] bool is_least(const measure& m) { return m.threads == 1 && !m.tail; }

// Two empty loops have nothing to do with each other.
[[nodiscard]] bool is_measured(const row& r, const measure& m) {
    return r.has(m.demand) && !(r.is_empty_loop() && m.threads == 2);
}

[[nodiscard]] double probe() {
    lockstep both;
    std::thread other([&] {
        pin(1);
        (void)both.probe(1);
    });
    const double ns = both.probe(0);
    other.join();
    return ns;
}

[[nodiscard]] taken sample(const row& r, const measure& m, const effort& e) {
    const unsigned threads = m.threads;
    request what{r.what.name, m.demand, threads, threads == 1 ? e.alone : e.together, m.tail};
    if (m.tail) what.decisions = e.tail;
    // In threads of its own: the system interrupts first a thread that has run for long.
    if (is_keyed(m.demand)) {
        what.decisions = e.warm_up;
        (void)r.by->ask(what);
        what.decisions = e.keyed;
    }
    if (threads == 1) {
        const answer told = r.by->ask(what);
        return {told, 0, !m.tail || told.switches == 0};
    }
    constexpr double agreement = 1.3;
    const double before = probe();
    const answer told = r.by->ask(what);
    const double after = probe();
    const bool steady = std::max(before, after) <= agreement * std::min(before, after);
    return {told, (before + after) / 2, steady && told.switches == 0};
}

[[nodiscard]] std::size_t kept(const std::vector<taken>& samples) {
    return static_cast<std::size_t>(
        std::count_if(samples.begin(), samples.end(), [](const taken& t) { return t.kept; }));
}

[[nodiscard]] std::set<measure> measures_of(const std::vector<row>& rows) {
    std::set<measure> all;
    for (const row& r : rows) {
        for (const std::string& demand : r.what.demands) {
            if (!is_speed(demand)) continue;
            for (unsigned threads = 1; threads <= cores().size(); ++threads) {
                all.insert({false, demand, threads});
                if (!is_keyed(demand)) all.insert({true, demand, threads});
            }
        }
    }
    return all;
}

struct quartiles {
    double first = 0;
    double median = 0;
    double third = 0;
};

[[nodiscard]] quartiles quartiles_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](std::size_t quarters) { return values[values.size() * quarters / 4]; };
    return {at(1), at(2), at(3)};
}

[[nodiscard]] const std::vector<taken>& samples_of(const row& r, const measure& m) {
    static const std::vector<taken> none;
    const auto found = r.samples.find(m);
    return found == r.samples.end() ? none : found->second;
}

[[nodiscard]] double least(const std::vector<taken>& samples) {
    return std::min_element(samples.begin(), samples.end(),
                            [](const taken& a, const taken& b) { return a.told.ns < b.told.ns; })
        ->told.ns;
}

// Of the same language; one thread has it to itself, so it costs two no more.
[[nodiscard]] double loop_of(const std::vector<row>& rows, const row& r, const measure& m) {
    if (m.tail) return 0;
    for (const row& other : rows) {
        const std::vector<taken>& samples = samples_of(other, {false, m.demand, 1});
        if (other.by == r.by && other.is_empty_loop() && !samples.empty()) return least(samples);
    }
    return 0;
}

[[nodiscard]] double ratio(const std::vector<row>& rows, const row& r, const measure& m) {
    const auto first = std::find_if(rows.begin(), rows.end(), [&](const row& other) {
        return !other.is_empty_loop() && other.has(m.demand);
    });
    const std::vector<taken>& mine = samples_of(r, m);
    const std::vector<taken>& its = samples_of(*first, m);
    const double my_loop = loop_of(rows, r, m);
    const double its_loop = loop_of(rows, *first, m);
    if (is_least(m)) return (least(mine) - my_loop) / (least(its) - its_loop);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (mine[i].kept && its[i].kept)
            ratios.push_back((mine[i].told.ns - my_loop) / (its[i].told.ns - its_loop));
    }
    return ratios.empty() ? 0 : quartiles_of(ratios).median;
}

[[nodiscard]] bool as_told(const std::string& demand, double admitted) {
    if (demand == "deny") return admitted == 0;
    if (demand == "mixed") return admitted > 45 && admitted < 55;
    return admitted == 100;
}

}  // namespace

bool row::has(const std::string& demand) const {
    return std::find(what.demands.begin(), what.demands.end(), demand) != what.demands.end();
}

void take_samples(std::vector<row>& rows, const effort& e,
                  const std::function<void()>& after_round) {
    const std::set<measure> all = measures_of(rows);
    const auto enough = [&](const row& r, const measure& m) {
        return !is_measured(r, m) || kept(samples_of(r, m)) >= e.least_kept;
    };
    for (std::size_t round = 0; round < e.most_rounds; ++round) {
        bool done = true;
        for (const measure& m : all) {
            if (std::all_of(rows.begin(), rows.end(), [&](const row& r) { return enough(r, m); }))
                continue;
            done = false;
            for (std::size_t k = 0; k < rows.size(); ++k) {
                row& r = rows[round % 2 == 0 ? k : rows.size() - 1 - k];
                if (is_measured(r, m)) r.samples[m].push_back(sample(r, m, e));
            }
        }
        if (done) return;
        after_round();
    }
}

std::optional<figure> figure_of(const std::vector<row>& rows, const row& r, const measure& m) {
    const std::vector<taken>& samples = samples_of(r, m);
    std::vector<double> ns;
    std::vector<double> probes;
    std::uint64_t asked = 0;
    std::uint64_t admitted = 0;
    for (const taken& t : samples) {
        asked += t.told.asked;
        admitted += t.told.admitted;
        if (!t.kept) continue;
        ns.push_back(t.told.ns);
        probes.push_back(t.probe);
    }
    if (ns.empty()) return std::nullopt;
    const quartiles q = quartiles_of(ns);
    figure f;
    f.ns = is_least(m) ? least(samples) : q.median;
    if (!r.is_empty_loop()) f.ns -= loop_of(rows, r, m);
    f.spread = q.third - q.first;
    if (!r.is_empty_loop()) f.x = ratio(rows, r, m);
    f.probe = quartiles_of(probes).median;
    f.admitted = 100 * static_cast<double>(admitted) / static_cast<double>(asked);
    f.kept = ns.size();
    f.dropped = samples.size() - ns.size();
    f.as_told = r.is_empty_loop() || as_told(m.demand, f.admitted);
    return f;
}

}  // namespace bench
