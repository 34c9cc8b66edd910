// SPDX-License-Identifier: MIT
// pulse: shows a watchdog that a thread of a round makes progress. It beats each time that the
// thread asks whether to go on. The watchdog counts its own looks since the last beat, and no time:
// on a machine that stands still or is slow it looks less often too.
//
// Relaxed order suffices: that it beats is all that a pulse tells.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/machine.hpp>

namespace weir::soak {

// Its number in the system.
[[nodiscard]] int number_of_this_thread() noexcept;

// On a line of its own: a beat disturbs no other thread.
class alignas(cache_line) pulse {
public:
    explicit pulse(std::string whose) : whose_(std::move(whose)) {}

    // --- of the thread whose it is

    void begin() noexcept { thread_.store(number_of_this_thread(), std::memory_order_relaxed); }
    void beat() noexcept {
        beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void end() noexcept { has_ended_.store(true, std::memory_order_relaxed); }

    // --- of the watchdog

    // How many looks have found no beat since the last one that found one.
    unsigned look() noexcept {
        const std::uint64_t beats = beats_.load(std::memory_order_relaxed);
        looks_ = has_ended() || beats != seen_ ? 0 : looks_ + 1;
        seen_ = beats;
        return looks_;
    }
    [[nodiscard]] bool has_ended() const noexcept {
        return has_ended_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] const std::string& whose() const { return whose_; }
    [[nodiscard]] int thread() const noexcept { return thread_.load(std::memory_order_relaxed); }

private:
    std::string whose_;
    std::atomic<int> thread_{0};
    std::atomic<std::uint64_t> beats_{1};
    std::atomic<bool> has_ended_{false};
    std::uint64_t seen_ = 0;
    unsigned looks_ = 0;
};

// A thread by its number in the system, and by what it does.
struct watched_thread {
    int number;
    std::string whose;
};

// Those of a round. Threads are added by the one that makes the round, and may be looked at
// meanwhile.
class pulses {
public:
    pulse& add(std::string whose) {
        const std::lock_guard lock(mutex_);
        return all_.emplace_back(std::move(whose));
    }

    struct found {
        unsigned looks = 0;  // without a beat, of the thread that has made the longest pause
        std::string whose;   // of several the one that was added last
    };
    [[nodiscard]] found look() {
        const std::lock_guard lock(mutex_);
        found longest;
        for (pulse& p : all_) {
            const unsigned looks = p.look();
            if (looks != 0 && looks >= longest.looks) longest = {looks, p.whose()};
        }
        return longest;
    }
    [[nodiscard]] std::vector<watched_thread> threads() {
        const std::lock_guard lock(mutex_);
        std::vector<watched_thread> at_work;
        for (const pulse& p : all_) {
            if (!p.has_ended()) at_work.push_back({p.thread(), p.whose()});
        }
        return at_work;
    }

private:
    std::mutex mutex_;
    std::deque<pulse> all_;
};

// What a thread of a round asks whether it is to end. That it asks is its progress.
class stop_asked {
public:
    stop_asked(std::stop_token stop, pulse& own) : stop_(std::move(stop)), own_(&own) {}

    [[nodiscard]] bool stop_requested() const noexcept {
        own_->beat();
        return stop_.stop_requested();
    }
    // For a call that waits. While it does so the pulse does not beat.
    [[nodiscard]] const std::stop_token& token() const noexcept { return stop_; }

private:
    std::stop_token stop_;
    pulse* own_;
};

}  // namespace weir::soak
