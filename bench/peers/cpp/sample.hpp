// sample: one thread, or two in step, make decisions, and say what one decision took and how many
// were admitted.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <weir/base/machine.hpp>

#include "harness/cores.hpp"
#include "harness/in_step.hpp"

namespace bench {

struct sample {
    double ns = 0;  // per decision and thread
    std::uint64_t asked = 0;
    std::uint64_t admitted = 0;
    long switches = 0;  // how often the system took a core away
};

template <class Task>
class sampling {
public:
    sampling(Task& task, unsigned threads, unsigned decisions)
        : task_(task), decisions_(decisions), together_(threads) {
        task_.prepare();
        std::thread other;
        if (threads == 2) other = std::thread([this] { take_part(1); });
        std::thread([this] { take_part(0); }).join();
        if (threads == 2) other.join();
    }

    [[nodiscard]] sample result() const {
        sample all;
        double elapsed = 0;
        unsigned timed = 0;
        for (const part& p : parts_) {
            elapsed += p.elapsed;
            timed += p.timed;
            all.asked += p.asked;
            all.admitted += p.admitted;
            all.switches += p.switches;
        }
        all.ns = elapsed / timed;
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
    };

    void take_part(unsigned me) {
        pin(me);
        auto worker = task_.worker(me);
        for (unsigned i = 0; i < decisions_ / 4; ++i) worker();  // finds everything cold
        part& mine = parts_[me];
        const long switches = in_step::switched_out();
        together_.meet();
        measure(std::move(worker), mine);
        mine.switches = in_step::switched_out() - switches;
    }

    // The first thread that is through stops the other, so that both are at it all the time. The
    // worker is a local, so that what it counts stays in registers.
    template <class Worker>
    void measure(Worker worker, part& mine) {
        const auto start = std::chrono::steady_clock::now();
        unsigned done = 0;
        do {
            for (unsigned i = 0; i < chunk; ++i) worker();
            done += chunk;
        } while (done < decisions_ && over_.value.load(std::memory_order_relaxed) == 0);
        over_.value.store(1, std::memory_order_relaxed);
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        mine.elapsed = elapsed.count();
        mine.timed = done;
        mine.asked = worker.asked();
        mine.admitted = worker.admitted();
    }

    Task& task_;
    unsigned decisions_;
    in_step together_;
    line over_;
    std::array<part, 2> parts_;
};

}  // namespace bench
