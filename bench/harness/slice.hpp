// SPDX-License-Identifier: MIT
// slice: some milliseconds of calls of one task, each call between two reads of the counter or, to
// count what they lose, none.
//
// A slice says how many calls took how long. Of two threads the worse one counts, so that a thread
// that starves is not hidden by the other one. Nothing is allocated and nothing is written to a
// shared line while the calls are made, except a flag that ends both threads together.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>
#include <weir/clock/clock.hpp>
#include <weir/pacer/histogram.hpp>

#include "../floors.hpp"
#include "cores.hpp"
#include "lockstep.hpp"
#include "task.hpp"

namespace bench {

// An observer that counts the exchanges that the calling thread loses in the call under way.
struct losses {
    // NOLINTNEXTLINE(readability-identifier-naming): it is read by its name
    static constinit inline thread_local weir::word lost = 0;
    static void on_admitted(weir::word /*units*/) noexcept {}
    static void on_denied() noexcept {}
    static void on_never() noexcept {}
    static void on_retry() noexcept { ++lost; }
};

enum class pace : unsigned char {
    hammering,
    thinking,  // 50 to 500 ns between two calls, at random
    untimed,   // hammering, and no call is timed
};

inline constexpr std::array<std::uint32_t, 4> told_parts = {500'000, 990'000, 999'000, 999'900};

struct slice {
    std::array<weir::word, told_parts.size()> at{};  // ticks: so many of a million were no longer
    weir::word longest = 0;                          // ticks, of the calls that were not too long
    weir::word too_long = 0;                         // calls
    weir::word calls = 0;
    weir::word most_lost = 0;  // exchanges, in one call
    double average = 0;        // ns a call, from the first to the last
    double probe = 0;          // ns for a line to come over from the other core; 0: not probed
    // Did the system take a core away? If the hypervisor does, only the number of calls tells.
    bool disturbed = false;
    bool held = true;  // did every worker do what its row says?
};

struct slicing {
    unsigned threads;
    pace how;
    unsigned calls;       // of each thread
    weir::word too_long;  // calls of more ticks are counted apart
    bool pinned = true;   // each thread stays on its core
    // Does it say how far away the other core is? Where others have the cores that takes long, as
    // the two threads wait for each other two hundred times.
    bool probed = true;
};

// Of one slice.
class slicer {
public:
    explicit slicer(const slicing& how) : how_(how), together_(how.threads) {}

    // In threads of their own, so that the caller stays on the cores that it is on. The first one
    // that has made its calls ends both.
    template <class Task>
    [[nodiscard]] slice run(Task& task) {
        task.prepare();
        over_.value.store(0, std::memory_order_relaxed);
        std::thread other;
        if (how_.threads == 2) other = std::thread([&] { take_part(task, 1); });
        std::thread([&] { take_part(task, 0); }).join();
        if (how_.threads == 2) other.join();
        return sum();
    }

private:
    static constexpr unsigned chunk = 50;
    static constexpr unsigned warm_up = 500;  // calls

    struct alignas(weir::cache_line) part {
        weir::histogram ticks;
        slice told;
    };

    template <class Task>
    void take_part(Task& task, unsigned me) {
        if (how_.pinned) pin(me);
        auto worker = task.worker(me);
        for (unsigned i = 0; i < warm_up; ++i) worker();
        losses::lost = 0;
        slice& told = parts_[me].told;
        if (how_.threads == 2 && how_.probed) told.probe = together_.probe(me);
        const long switches = lockstep::switched_out();
        together_.meet();
        const auto start = std::chrono::steady_clock::now();
        if (how_.how == pace::untimed) {
            call<false>(worker, parts_[me]);
        } else {
            call<true>(worker, parts_[me]);
        }
        over_.value.store(1, std::memory_order_relaxed);
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        told.average = elapsed.count() / static_cast<double>(told.calls);
        told.disturbed = lockstep::switched_out() != switches;
        told.held = held(worker);
    }

    template <bool Timed, class Worker>
    void call(Worker& given, part& mine) {
        Worker worker(given);  // a local, so that what it counts stays in registers
        std::uint64_t dice = core_clock::now().count | 1U;
        weir::word calls = 0;
        weir::word most_lost = 0;
        weir::word longest = 0;
        weir::word too_long = 0;
        const weir::word least = to_ticks(50);
        const weir::word more = to_ticks(450);
        do {
            for (unsigned i = 0; i < chunk; ++i) {
                if constexpr (Timed) {
                    if (how_.how == pace::thinking) {
                        dice ^= dice << 13U;
                        dice ^= dice >> 7U;
                        dice ^= dice << 17U;
                        think(least + static_cast<weir::word>((dice >> 32U) * more >> 32U));
                    }
                    weir::order_clock();
                    const weir::word begin = core_clock::now().count;
                    worker();
                    weir::order_clock();
                    const weir::word ticks = core_clock::now().count - begin;
                    mine.ticks.add(ticks);
                    if (ticks > how_.too_long) {
                        ++too_long;
                    } else {
                        longest = std::max(longest, ticks);
                    }
                } else {
                    worker();
                }
                most_lost = std::max(most_lost, losses::lost);
                losses::lost = 0;
            }
            calls += chunk;
        } while (calls < how_.calls && over_.value.load(std::memory_order_relaxed) == 0);
        mine.told.calls = calls;
        mine.told.most_lost = most_lost;
        mine.told.longest = longest;
        mine.told.too_long = too_long;
        std::destroy_at(&given);  // a worker may not be assigned to
        std::construct_at(&given, std::move(worker));
    }

    [[nodiscard]] static weir::word to_ticks(std::int64_t ns) {
        return static_cast<weir::word>(weir::to_ticks<core_clock>(weir::nanoseconds(ns)));
    }

    static void think(weir::word ticks) {
        const weir::word begin = core_clock::now().count;
        while (core_clock::now().count - begin < ticks) {
        }
    }

    [[nodiscard]] slice sum() const {
        slice all;
        for (unsigned i = 0; i < how_.threads; ++i) {
            const slice& its = parts_[i].told;
            for (std::size_t k = 0; k < told_parts.size(); ++k)
                all.at[k] = std::max(all.at[k], parts_[i].ticks.quantile(told_parts[k]));
            all.longest = std::max(all.longest, its.longest);
            all.too_long += its.too_long;
            all.calls += its.calls;
            all.most_lost = std::max(all.most_lost, its.most_lost);
            all.average += its.average / how_.threads;
            all.probe = its.probe;
            all.disturbed = all.disturbed || its.disturbed;
            all.held = all.held && its.held;
        }
        for (unsigned i = 0; i < how_.threads; ++i) {
            if (parts_[i].told.calls * 8 < parts_[1 - i].told.calls) all.disturbed = true;
        }
        return all;
    }

    slicing how_;
    lockstep together_;
    line over_;
    std::array<part, 2> parts_;
};

}  // namespace bench
