// SPDX-License-Identifier: MIT
// The sliding log: whatever the schedule, no half-open interval of one period holds more than the
// quota's units, at the times with which they asked; and as much passes as one burst. Also if one
// of the threads stops for ever between taking its places and recording its time in them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <memory>
#include <span>

#include <weir/cell/sliding_log.hpp>

#include "../oracle/mistakes.hpp"
#include "check.hpp"

namespace {

using model::check;
using model::drawn;
using model::preempted;
using model::relacy_atomic;
using model::require;
using model::searches;
using weir::word;

constexpr word begin = 1'000'000;
constexpr word period = 1'000;

struct ask {
    word units = 0;
    word at = 0;  // after `begin`
};
using script = std::array<std::array<ask, 3>, model::threads>;

// Thread 0 may stop for ever: its first exchange takes its places, and from then on it writes
// nothing.
struct claimer {
    bool stops = false;
    bool has_claimed = false;
};
claimer the_first;

template <class T>
class stopping : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        const bool is_first = the_first.stops && rl::ctx().threadx_->index_ == 0;
        if (is_first && the_first.has_claimed) return true;
        const bool done = relacy_atomic<T>::try_exchange_relaxed(expected, desired);
        the_first.has_claimed = the_first.has_claimed || (is_first && done);
        return done;
    }
};

template <std::size_t Units, template <class> class Atomic>
class rolling : public model::scenario {
public:
    // `used` or with each thread's first action as its start; with so many units there.
    rolling(bool used, std::size_t there, std::size_t reachable, const script& s)
        : used_(used),
          there_(there),
          reachable_(reachable),
          script_(s),
          rate_(cell::rate::make({Units, weir::seconds(1)}, period, {.debt = 0}).value()) {}

    void before() override {
        cell_.begin();
        if (used_) cell_->fill({begin}, there_, rate_);
        passed_ = 0;
        the_first = {.stops = true};
    }

    void thread(std::size_t index) override {
        for (const ask& a : script_[index]) {
            if (a.units == 0) continue;
            const weir::tick now{begin + a.at};
            if (!used_) cell_->start(now, there_, rate_);
            if (!cell_->try_acquire(now, a.units, rate_)) continue;
            for (word i = 0; i < a.units; ++i) times_[passed_++] = now.count;
        }
    }

    void after() override {
        the_first = {};
        const std::span times = std::span(times_).first(passed_);
        for (const word first : times) {
            const auto within = std::count_if(times.begin(), times.end(), [=](word t) {
                return t >= first && t < first + period;
            });
            require(within <= static_cast<std::ptrdiff_t>(Units),
                    "more than the quota in one period");
        }
        // What was not there counts as if it had come when the log was started.
        const auto soon =
            std::count_if(times.begin(), times.end(), [](word t) { return t < begin + period; });
        require(soon <= static_cast<std::ptrdiff_t>(there_), "more than was there");
        require(passed_ >= there_, "less than was there");
        most_ = std::max(most_, passed_);
        cell_.end();
    }

    // Some schedule must admit as much as one thread could get in some order.
    [[nodiscard]] bool saw_enough() const override {
        std::cout << "at most " << most_ << " units\n";
        return most_ == reachable_;
    }

private:
    using cell = weir::sliding_log<Units, word, Atomic>;

    bool used_;
    std::size_t there_;
    std::size_t reachable_;
    script script_;
    typename cell::rate rate_;
    model::shared<cell> cell_;
    std::array<word, 32> times_{};  // of the units that passed
    std::size_t passed_ = 0;
    std::size_t most_ = 0;
};

template <std::size_t Units, template <class> class Atomic = relacy_atomic>
[[nodiscard]] model::maker log_of(bool used, std::size_t reachable, const script& s,
                                  std::size_t there = Units) {
    return [=] { return std::make_unique<rolling<Units, Atomic>>(used, there, reachable, s); };
}

const searches some{preempted(1), drawn(200'000)};

const check one("a_log_admits_its_units_once_at_one_instant", some,
                log_of<2>(true, 2, {{{{{1, 0}, {1, 0}}}, {{{1, 0}}}, {{{1, 0}}}}}));
const check two("a_log_admits_no_more_in_any_period_than_its_units", some,
                log_of<2>(true, 4,
                          {{{{{1, 0}, {1, 1'000}}}, {{{1, 500}, {1, 1'500}}}, {{{2, 1'000}}}}}));
const check late("a_log_admits_no_more_to_clocks_that_run_back", some,
                 log_of<2>(true, 3,
                           {{{{{1, 2'000}, {1, 1'000}}}, {{{1, 0}, {1, 999}}}, {{{2, 1'500}}}}}));
const check
    all("a_log_admits_all_of_a_request_or_none_around_its_end", {drawn(300'000)},
        log_of<3>(true, 8,
                  {{{{{2, 0}, {2, 1'000}, {1, 2'000}}}, {{{1, 0}, {2, 1'000}}}, {{{3, 2'000}}}}}));
const check rounds("a_log_of_one_place_keeps_its_promise_for_many_rounds", some,
                   log_of<1>(true, 4,
                             {{{{{1, 0}, {1, 1'000}, {1, 2'000}}},
                               {{{1, 1'000}, {1, 2'000}, {1, 3'000}}},
                               {{{1, 500}, {1, 1'500}}}}}));
const check start("a_log_starts_once_however_many_threads_are_first", some,
                  log_of<2>(false, 3, {{{{{1, 0}, {1, 1'000}}}, {{{1, 700}}}, {{{2, 1'500}}}}}));
// Who sees the head and not yet the places must not take them for free.
const check empty("a_log_that_starts_empty_admits_nothing_to_who_is_first", some,
                  log_of<2>(false, 1, {{{{{1, 0}, {1, 1'700}}}, {{{1, 700}}}, {{{1, 999}}}}}, 0));

// Nobody is held up for longer than a period, and nobody gets what the one that stopped has taken.
const check stopped(
    "a_log_admits_no_more_if_a_claimer_stops_for_ever", some,
    log_of<2, stopping>(true, 4, {{{{{1, 0}}}, {{{1, 500}, {1, 1'500}}}, {{{1, 0}, {1, 1'000}}}}}));
const check all_stopped(
    "a_log_admits_no_more_if_a_claimer_of_all_its_places_stops_for_ever", some,
    log_of<2, stopping>(true, 5, {{{{{2, 0}}}, {{{2, 1'000}}}, {{{1, 1'500}, {1, 2'000}}}}}));
const check passed_by("a_log_of_one_place_goes_on_where_a_claimer_has_stopped_for_ever", some,
                      log_of<1, stopping>(true, 4,
                                          {{{{{1, 0}}},
                                            {{{1, 1'000}, {1, 2'000}, {1, 3'000}}},
                                            {{{1, 1'500}, {1, 2'500}}}}}));

template <class T>
using in_two_steps = oracle::in_two_steps<T, relacy_atomic>;

// What it writes last is lost, not only what it has still to record.
template <class T>
class forgetting : public stopping<T> {
public:
    using stopping<T>::stopping;
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        the_first.has_claimed = true;
        return stopping<T>::try_exchange_relaxed(expected, desired);
    }
};

const check twice("finds_a_log_that_takes_its_places_in_two_steps", some,
                  log_of<2, in_two_steps>(true, 2, {{{{{1, 0}}}, {{{1, 0}}}, {{{1, 0}}}}}),
                  "more than the quota in one period");
const check forgotten("finds_a_log_that_forgets_who_has_stopped", some,
                      log_of<2, forgetting>(true, 2, {{{{{1, 0}}}, {{{1, 0}}}, {{{1, 0}}}}}),
                      "more than the quota in one period");

}  // namespace
