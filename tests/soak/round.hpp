// SPDX-License-Identifier: MIT
// round: a fraction of a second in which threads use one part of the library with a quota that was
// drawn, and what became of it. A part draws its quota, lets a crowd use it, and says of each
// promise whether it was kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/base/word.hpp>

#include "../oracle/dice.hpp"
#include "pulse.hpp"
#include "turning.hpp"

namespace weir::soak {

using oracle::dice;

// What rounds of a part came to.
struct tally {
    std::uint64_t rounds = 0;
    std::uint64_t admitted = 0;  // decisions, as these all
    std::uint64_t denied = 0;
    std::optional<double> use;  // of the burst in the worst span of time: 1 is all that is allowed

    [[nodiscard]] std::uint64_t decisions() const { return admitted + denied; }

    void add(const tally& other) {
        rounds += other.rounds;
        admitted += other.admitted;
        denied += other.denied;
        if (other.use) use = std::max(use.value_or(0), *other.use);
    }
};

struct stopping_at_the_end {
    std::stop_source& source;
    ~stopping_at_the_end() { source.request_stop(); }
};

class round {
public:
    // Ends after that time, or as soon as everything is to end.
    round(std::uint64_t seed, std::chrono::nanoseconds length, std::stop_token all)
        : random_(seed),
          end_(std::chrono::steady_clock::now() + length),
          all_(std::move(all)),
          own_(watched_.add("its own thread")) {
        own_.begin();
    }

    // --- of the thread that made it

    [[nodiscard]] dice& random() { return random_; }

    // What was drawn, in words. The watchdog may read it meanwhile.
    void about(std::string what) {
        const std::lock_guard lock(mutex_);
        about_ = std::move(what);
    }
    [[nodiscard]] std::string about() const {
        const std::lock_guard lock(mutex_);
        return about_;
    }

    // The time from which the round counts, where its clock's word comes round.
    void counts_from(word time) { origin_ = time; }
    [[nodiscard]] word origin() const { return origin_; }

    void count(std::uint64_t admitted, std::uint64_t denied) {
        sum_.add({.rounds = 0, .admitted = admitted, .denied = denied, .use = {}});
    }
    void uses(double share) { sum_.use = std::max(sum_.use.value_or(0), share); }
    [[nodiscard]] const tally& sum() const { return sum_; }

    // The first that is broken is told.
    void promise(bool kept, const std::string& otherwise) {
        if (!kept && broken_.empty()) broken_ = otherwise;
    }
    [[nodiscard]] const std::string& broken() const { return broken_; }

    [[nodiscard]] unsigned threads() { return static_cast<unsigned>(random_.between(2, 4)); }

    // Calls work(stop, number, dice) in so many threads at once, and `meanwhile` in this one every
    // other millisecond, until the time is over and a stop is requested, or until all are done.
    // A thread asks `stop` again and again: one that does not for long is taken for stuck.
    template <class Work, class Meanwhile>
    void crowd(unsigned threads, Work work, Meanwhile meanwhile) {
        std::stop_source stop;
        std::atomic<unsigned> at_work{threads};
        std::vector<std::jthread> members;
        members.reserve(threads);
        const stopping_at_the_end end{stop};  // for those that have started, if others cannot
        for (unsigned number = 0; number < threads; ++number) {
            pulse& its = watched_.add("thread " + std::to_string(number + 1) + " of " +
                                      std::to_string(threads));
            members.emplace_back([&, number, own = dice(random_.next()), moved = moved_time::by_] {
                moved_time::by_ = moved;
                its.begin();
                work(stop_asked(stop.get_token(), its), number, own);
                its.end();
                at_work.fetch_sub(1, std::memory_order_relaxed);
            });
        }
        while (at_work.load(std::memory_order_relaxed) != 0 && !is_over()) {
            own_.beat();
            meanwhile();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        stop.request_stop();
        members.clear();
    }
    template <class Work>
    void crowd(unsigned threads, Work work) {
        crowd(threads, std::move(work), [] {});
    }

    // This thread makes progress, says a part that is busy for long without a crowd.
    void beat() { own_.beat(); }

    // --- of the watchdog

    [[nodiscard]] pulses& watched() { return watched_; }

private:
    [[nodiscard]] bool is_over() const {
        return all_.stop_requested() || std::chrono::steady_clock::now() >= end_;
    }

    dice random_;
    std::chrono::steady_clock::time_point end_;
    std::stop_token all_;
    pulses watched_;
    pulse& own_;
    word origin_ = 0;
    mutable std::mutex mutex_;  // for the next one
    std::string about_;
    tally sum_{.rounds = 1, .admitted = 0, .denied = 0, .use = {}};
    std::string broken_;
};

// A part of the library, by the name that the report has for it.
struct part {
    const char* name;
    void (*run)(round&);
};

}  // namespace weir::soak
