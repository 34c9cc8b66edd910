// SPDX-License-Identifier: MIT
// rows: what is measured, registered with Google Benchmark together with what the report needs.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "cores.hpp"
#include "duel.hpp"
#include "task.hpp"

namespace bench {

struct row {
    std::string name;         // as Google Benchmark's filter sees it
    std::string title;        // as the report prints it
    std::string floor{};      // name of the row it is compared with; empty: a floor, or a duel
    std::string reference{};  // a duel's reference in words; empty: one thread
    bool headline = false;    // is in the short table
};

// In floor.cpp, cells.cpp, limits.cpp, c.cpp, tables.cpp, keys.cpp and layout.cpp.
void add_floor_rows();
void add_cell_rows();
void add_limit_rows();
void add_c_rows();
void add_table_rows();
void add_key_rows(bool quick);  // without the largest tables, which take seconds to fill
void add_layout_rows();

// Remembers the row for the report.
void enlist(const row& r);

// Why a row failed; null if it did not. It stays failed then, so that no good repetition ever comes
// after a failed one: Google Benchmark finds the statistics of all through the first repetition,
// whose pointer to them is garbage if that one failed (its issue 1406).
using failure = const char*;

// With a worker of its own, as one that nobody has the address of may live in registers; so nothing
// is thrown either, as its destructor would be called.
template <class Worker>
void repeat(benchmark::State& state, Worker& given) noexcept {
    Worker worker(std::move(given));
    for (auto _ : state) worker();
    std::destroy_at(&given);
    std::construct_at(&given, std::move(worker));
}

// One thread: the report takes the fastest repetition, for whatever disturbs only adds.
template <class Task>
void one_thread(const row& r, std::shared_ptr<Task> task) {
    enlist(r);
    auto repetition = [task, failed = failure{}](benchmark::State& state) mutable {
        task->prepare();
        auto made = task->worker(0);
        repeat(state, made);
        if (!held(made)) failed = "the row did not stay in its state";
        if constexpr (requires { task->count(state); }) task->count(state);
        if (failed != nullptr) state.SkipWithError(failed);
    };
    benchmark::RegisterBenchmark(r.name.c_str(), repetition)
        ->ComputeStatistics("min", [](const std::vector<double>& repetitions) {
            return *std::min_element(repetitions.begin(), repetitions.end());
        });
}

// Why a duel says nothing of its row; null if it does.
[[nodiscard]] inline failure flaw(const duel_result& r) {
    if (r.kept == 0) return "every round was disturbed";
    if (!r.held) return "the row did not stay in its state";
    return nullptr;
}

// Two threads: a short duel per repetition, and another if it says nothing. The time of its one
// iteration is the median's; the counters have the rest.
template <class Measured, class Reference>
void two_threads(const row& r, std::shared_ptr<Measured> measured,
                 std::shared_ptr<Reference> reference, unsigned reference_threads) {
    constexpr unsigned rounds = 5;
    constexpr unsigned patience = 10;  // duels
    enlist(r);
    auto repetition = [measured, reference, reference_threads,
                       failed = failure{}](benchmark::State& state) mutable {
        if (cores().size() < 2) failed = "there is no second core";
        duel_result result;
        for (auto _ : state) {
            for (unsigned tries = failed == nullptr ? patience : 0; tries > 0; --tries) {
                measured->prepare();
                reference->prepare();
                duel d(rounds);
                result = d.run(*measured, *reference, reference_threads);
                failed = flaw(result);
                if (failed == nullptr) break;
            }
            state.SetIterationTime(result.measured / 1e9);
        }
        if (failed != nullptr) return state.SkipWithError(failed);
        state.counters["ratio"] = result.ratio;
        state.counters["reference_ns"] = result.reference;
        state.counters["probe_ns"] = result.probe;
        state.counters["kept"] = result.kept;
        state.counters["dropped"] = result.dropped;
    };
    benchmark::RegisterBenchmark(r.name.c_str(), repetition)->Iterations(1)->UseManualTime();
}

}  // namespace bench
