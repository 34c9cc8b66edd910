// SPDX-License-Identifier: MIT
// The tasks that no limiter can be faster than: what it does less its arithmetic. Other rows take
// them as their reference.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <weir/weir.hpp>

#include "demands.hpp"
#include "harness/task.hpp"

namespace bench {

// The fastest clock there is.
#if defined(__x86_64__) || defined(__aarch64__)
using core_clock = weir::cycle_clock;
#else
using core_clock = weir::default_clock;
#endif

// When a call is made: now, or at a time that was read before.
template <time Time>
[[nodiscard]] weir::instant<core_clock> time_for(weir::instant<core_clock> given) {
    return Time == time::read ? core_clock::now() : given;
}

struct alignas(weir::cache_line) shared_word {
    std::atomic<weir::word> value{0};
};

// One operation on one word, as a cell would do it.
enum class operation : unsigned char {
    nothing,
    load,
    cas,              // load + compare-exchange until it succeeds
    cas_of_the_time,  // the same, of a value that depends on the clock
    fetch_add,
};

struct no_clock {};

// Reads Clock, if there is one, and does the operation. An observer hears of lost exchanges.
template <class Clock, operation Operation, class Observer = weir::unobserved>
class floor_task {
public:
    void prepare() {}

    auto worker(unsigned) { return one_operation{&word_}; }

    // Returns what was there.
    static weir::word act(std::atomic<weir::word>& shared, [[maybe_unused]] weir::word now) {
        constexpr auto relaxed = std::memory_order_relaxed;
        if constexpr (Operation == operation::fetch_add) {
            weir::word seen = shared.fetch_add(1, relaxed);
            keep(seen);
            return seen;
        }
        weir::word seen = shared.load(relaxed);
        if constexpr (Operation == operation::load) {
            keep(seen);
            return seen;
        }
        for (;;) {
            const weir::word next =
                Operation == operation::cas_of_the_time ? now + seen % 2 : seen + 1;
            if (shared.compare_exchange_weak(seen, next, relaxed, relaxed)) return seen;
            Observer().on_retry();
        }
    }

private:
    struct one_operation {
        shared_word* word;

        void operator()() {
            weir::word now = 0;
            if constexpr (requires { Clock::now(); }) now = Clock::now().count;
            if constexpr (Operation != operation::nothing) (void)act(word->value, now);
            keep(now);
        }
    };

    shared_word word_;
};

// The floor of a mixed demand: exchanges the word or only loads it, at random, so that the branch
// cannot be foreseen.
template <class Clock, class Observer = weir::unobserved>
class mixed_floor_task {
public:
    void prepare() {}

    auto worker(unsigned thread) {
        return choosing{&word_, &too_much(), thread * (too_much().size() / 2)};
    }

private:
    struct choosing {
        shared_word* word;
        const pattern* only_looks;
        std::size_t at;

        void operator()() {
            weir::word now = Clock::now().count;
            if ((*only_looks)[at++ % only_looks->size()]) {
                (void)floor_task<Clock, operation::load>::act(word->value, now);
            } else {
                (void)floor_task<Clock, operation::cas, Observer>::act(word->value, now);
            }
            keep(now);
        }
    };

    shared_word word_;
};

// The floor of a log, which remembers the time of each unit: one exchange takes a place, another
// one writes the time there.
template <class Clock, class Observer = weir::unobserved>
class log_floor_task {
public:
    void prepare() {}

    auto worker(unsigned) { return recording{this}; }

private:
    struct recording {
        log_floor_task* log;

        void operator()() {
            const weir::word now = Clock::now().count;
            const weir::word unit =
                floor_task<Clock, operation::cas, Observer>::act(log->head_.value, now);
            std::atomic<weir::word>& place = log->places_[unit % window_units];
            weir::word seen = floor_task<Clock, operation::cas_of_the_time>::act(place, now);
            keep(seen);
        }
    };

    shared_word head_;
    alignas(weir::cache_line) std::array<std::atomic<weir::word>, window_units> places_{};
};

}  // namespace bench
