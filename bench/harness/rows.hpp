// rows: what is measured, registered with Google Benchmark together with what the report needs.
//
// A task is an object with `prepare()`, called once before each repetition, and `worker(thread)`,
// a callable that does one operation per call.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "cores.hpp"
#include "duel.hpp"

namespace bench {

struct row {
    std::string name;         // as Google Benchmark's filter sees it
    std::string title;        // as the report prints it
    std::string floor{};      // name of the row it is compared with; empty: a floor, or a duel
    std::string reference{};  // a duel's reference in words; empty: one thread
    bool headline = false;    // is in the short table
};

// In floor.cpp, cells.cpp and layout.cpp.
void add_floor_rows();
void add_cell_rows();
void add_layout_rows();

// Remembers the row for the report.
void enlist(const row& r);

// For "lived in a register": the library's DoNotOptimize may spill to memory, which costs as much
// as the cheapest rows.
template <class T>
inline void keep(T& value) {
    asm volatile("" : "+r"(value) : : "memory");
}

// One thread: the report takes the fastest repetition, for whatever disturbs only adds.
template <class Task>
void one_thread(const row& r, std::shared_ptr<Task> task) {
    enlist(r);
    benchmark::RegisterBenchmark(r.name.c_str(), [task](benchmark::State& state) {
        task->prepare();
        auto worker = task->worker(0);
        for (auto _ : state) worker();
        if (!held(worker)) state.SkipWithError("the row did not stay in its state");
    })->ComputeStatistics("min", [](const std::vector<double>& repetitions) {
        return *std::min_element(repetitions.begin(), repetitions.end());
    });
}

// Two threads: a short duel per repetition. The time of its one iteration is the median's; the
// counters have the rest.
template <class Measured, class Reference>
void two_threads(const row& r, std::shared_ptr<Measured> measured,
                 std::shared_ptr<Reference> reference, unsigned reference_threads) {
    constexpr unsigned rounds = 5;
    enlist(r);
    benchmark::RegisterBenchmark(
        r.name.c_str(),
        [measured, reference, reference_threads](benchmark::State& state) {
            duel_result result;
            for (auto _ : state) {
                if (cores().size() >= 2) {
                    measured->prepare();
                    reference->prepare();
                    duel d(rounds);
                    result = d.run(*measured, *reference, reference_threads);
                }
                state.SetIterationTime(result.measured / 1e9);
            }
            if (cores().size() < 2) return state.SkipWithError("there is no second core");
            if (result.kept == 0) return state.SkipWithError("every round was disturbed");
            if (!result.held) return state.SkipWithError("the row did not stay in its state");
            state.counters["ratio"] = result.ratio;
            state.counters["reference_ns"] = result.reference;
            state.counters["probe_ns"] = result.probe;
            state.counters["kept"] = result.kept;
            state.counters["dropped"] = result.dropped;
        })
        ->Iterations(1)
        ->UseManualTime();
}

}  // namespace bench
