// SPDX-License-Identifier: MIT
// duel: two threads, each on its core, that measure a task and its reference in lockstep.
//
// The cores of a virtual machine come nearer and go farther within seconds (the host moves them), a
// stolen core looks like "no contention", and neither shows in an average. So a row is many short
// rounds: the reference right beside the measured task, in alternating order, with a ping-pong
// probe of the distance between the cores before and after. A round counts if no thread was
// switched out against its will and both probes agree; what is reported is the median of the
// rounds' ratios.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <weir/base/machine.hpp>

#include "cores.hpp"
#include "lockstep.hpp"
#include "task.hpp"

namespace bench {

struct duel_result {
    double measured = 0;   // ns per operation and thread
    double reference = 0;  // the same of the reference
    double ratio = 0;
    double probe = 0;  // ns for a line to come over from the other core
    unsigned kept = 0;
    unsigned dropped = 0;
    bool held = true;  // did every worker do what its row says?
};

class duel {
public:
    explicit duel(unsigned rounds) : rounds_(rounds) {}

    // A task is asked for its worker once by each thread; a worker does one operation per call.
    template <class Measured, class Reference>
    duel_result run(Measured& measured, Reference& reference, unsigned reference_threads) {
        std::thread partner([&] {
            pin(1);
            fight(1, measured, reference, reference_threads);
        });
        fight(0, measured, reference, reference_threads);
        partner.join();
        return result();
    }

private:
    // Long against the 100 ns by which the threads start apart, short against a scheduler's slice.
    static constexpr unsigned operations = 2000;
    static constexpr unsigned chunk = 50;

    struct alignas(weir::cache_line) tally {
        double elapsed = 0;
        unsigned done = 0;
        bool switched = false;
        bool held = true;
    };
    struct round {
        double measured;
        double reference;
        double probe;
    };

    template <class Measured, class Reference>
    void fight(unsigned me, Measured& measured, Reference& reference, unsigned reference_threads) {
        auto measured_worker = measured.worker(me);
        auto reference_worker = reference.worker(me);
        for (unsigned i = 0; i <= rounds_; ++i) {
            const long switches = lockstep::switched_out();
            const double before = both_.probe(me);
            double m = 0;
            double r = 0;
            if (i % 2 == 0) r = timed(me, reference_threads, reference_worker);
            m = timed(me, 2, measured_worker);
            if (i % 2 != 0) r = timed(me, reference_threads, reference_worker);
            const double after = both_.probe(me);
            tallies_[me].switched = lockstep::switched_out() != switches;
            both_.meet();
            // The first round finds everything cold.
            if (me == 0 && i > 0) note({m, r, (before + after) / 2}, before, after);
            both_.meet();
        }
        tallies_[me].held = held(measured_worker) && held(reference_worker);
    }

    // Whoever is first to be through stops the other, so that both are at it all the time.
    template <class Worker>
    double timed(unsigned me, unsigned threads, Worker& given) {
        Worker worker(std::move(given));  // a local, so that what it counts stays in registers
        if (me == 0) stop_.value.store(0, std::memory_order_relaxed);
        both_.meet();
        const auto start = std::chrono::steady_clock::now();
        unsigned done = 0;
        if (me < threads) {
            do {
                for (unsigned i = 0; i < chunk; ++i) worker();
                done += chunk;
                if (done >= operations) stop_.value.store(1, std::memory_order_relaxed);
            } while (stop_.value.load(std::memory_order_relaxed) == 0);
        }
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        tallies_[me].elapsed = done == 0 ? 0 : elapsed.count();
        tallies_[me].done = done;
        std::destroy_at(&given);
        std::construct_at(&given, std::move(worker));
        both_.meet();
        return (tallies_[0].elapsed + tallies_[1].elapsed) / (tallies_[0].done + tallies_[1].done);
    }

    void note(const round& r, double before, double after);
    [[nodiscard]] duel_result result() const;

    lockstep both_;
    line stop_;
    std::array<tally, 2> tallies_;
    unsigned rounds_;
    unsigned dropped_ = 0;
    std::vector<round> kept_;
};

}  // namespace bench
