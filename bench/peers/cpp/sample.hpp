// SPDX-License-Identifier: MIT
// sample: one thread, or two in lockstep, make decisions, and say what one decision took and how
// many were admitted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>

#include "floors.hpp"
#include "harness/cores.hpp"
#include "harness/lockstep.hpp"

namespace bench {

struct sample {
    double ns = 0;  // per decision and thread, or the p99.99
    std::uint64_t asked = 0;
    std::uint64_t admitted = 0;
    long switches = 0;  // how often the system took a core away
};

struct sample_size {
    unsigned threads;
    unsigned decisions;
    bool tail;  // take the time of each decision, for the p99.99
};

template <class Task>
class sampling {
public:
    sampling(Task& task, const sample_size& size)
        : task_(task), size_(size), together_(size.threads) {
        task_.prepare();
        std::thread other;
        if (size.threads == 2) other = std::thread([this] { take_part(1); });
        std::thread([this] { take_part(0); }).join();
        if (size.threads == 2) other.join();
    }

    [[nodiscard]] sample result() const {
        sample all;
        double elapsed = 0;
        double longest = 0;
        unsigned timed = 0;
        for (const part& p : parts_) {
            elapsed += p.elapsed;
            longest = std::max(longest, p.p9999());
            timed += p.timed;
            all.asked += p.asked;
            all.admitted += p.admitted;
            all.switches += p.switches;
        }
        all.ns = size_.tail ? longest : elapsed / timed;
        return all;
    }

private:
    static constexpr unsigned chunk = 50;

    struct alignas(weir::cache_line) part {
        double elapsed = 0;
        unsigned timed = 0;
        std::uint64_t asked = 0;
        std::uint64_t admitted = 0;
        long switches = 0;
        std::vector<weir::word> ticks{};  // of each decision

        [[nodiscard]] double p9999() const {
            if (ticks.empty()) return 0;
            std::vector<weir::word> sorted = ticks;
            std::sort(sorted.begin(), sorted.end());
            const weir::word there = sorted[(sorted.size() * 9999 + 9999) / 10'000 - 1];
            return static_cast<double>(there) * 1e9 / static_cast<double>(core_clock::hertz());
        }
    };

    void take_part(unsigned me) {
        pin(me);
        auto worker = task_.worker(me);
        for (unsigned i = 0; i < size_.decisions / 4; ++i) worker();  // finds everything cold
        part& mine = parts_[me];
        if (size_.tail) mine.ticks.reserve(size_.decisions + chunk);
        together_.meet();  // until then the threads find their cores
        const long switches = lockstep::switched_out();
        together_.meet();
        if (size_.tail) {
            measure<true>(std::move(worker), mine);
        } else {
            measure<false>(std::move(worker), mine);
        }
        mine.switches = lockstep::switched_out() - switches;
    }

    // The first thread that is through stops the other, so that both are at it all the time. The
    // worker is a local, so that what it counts stays in registers.
    template <bool Each, class Worker>
    void measure(Worker worker, part& mine) {
        const auto start = std::chrono::steady_clock::now();
        unsigned done = 0;
        do {
            for (unsigned i = 0; i < chunk; ++i) {
                if constexpr (Each) {
                    mine.ticks.push_back(ticks_of(worker));
                } else {
                    worker();
                }
            }
            done += chunk;
        } while (done < size_.decisions && over_.value.load(std::memory_order_relaxed) == 0);
        over_.value.store(1, std::memory_order_relaxed);
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        mine.elapsed = elapsed.count();
        mine.timed = done;
        mine.asked = worker.asked();
        mine.admitted = worker.admitted();
    }

    template <class Worker>
    static weir::word ticks_of(Worker& worker) {
        weir::order_clock();
        const weir::word begin = core_clock::now().count;
        worker();
        weir::order_clock();
        return core_clock::now().count - begin;
    }

    Task& task_;
    sample_size size_;
    lockstep together_;
    line over_;
    std::array<part, 2> parts_;
};

}  // namespace bench
