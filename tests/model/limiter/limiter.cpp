// SPDX-License-Identifier: MIT
// The limiter as it is shipped, with Relacy's atomics in place of its own: three threads are first
// at one that nobody has used.
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"
#include "watched_cell.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;

using no_clock = model::no_clock<1'000>;

constexpr weir::quota one_per_second{1, weir::seconds(1), 3};
constexpr weir::word begin = 1'000'000;

// Each thread asks twice: once as one of the first, and once more when it may be ready. The times
// are `Apart` from thread to thread.
template <weir::word Apart>
class first_decisions : public model::scenario {
public:
    using limiter = weir::limiter<model::watched_cell, no_clock, weir::counters>;

    void before() override {
        model::watched.from = &*limiter_;
        model::watched.to = &*limiter_ + 1;
        model::watched.rate.begin(0);
        limiter_.begin(one_per_second, weir::options{.start = 2});
        got_ = {};
    }
    void thread(std::size_t index) override {
        const weir::instant<no_clock> now{begin + index * Apart};
        for (int i = 0; i < 2; ++i) got_[index] += limiter_->try_acquire(1, now) ? 1U : 0U;
    }
    void after() override {
        const weir::word units = got_[0] + got_[1] + got_[2];
        const weir::word refilled = (model::threads - 1) * Apart / no_clock::hertz();
        require(units >= 2, "they got less than promised");
        require(units <= 2 + refilled, "they got more than promised");
        const auto& counted = limiter_->observer();
        require(counted.admitted() == units && counted.denied() == 6 - units, "miscounted");
        limiter_.end();
        model::watched.rate.end();
    }

private:
    model::shared<limiter> limiter_;
    std::array<unsigned, model::threads> got_{};
};

class publishes_relaxed : public first_decisions<0> {
public:
    publishes_relaxed() { weir::releases_relaxed = true; }
};

const searches many{preempted(2), drawn(200'000)};

const check first("a_limiter_becomes_ready_once_however_many_threads_are_first", many,
                  make<first_decisions<0>>);
const check apart("a_limiter_becomes_ready_at_one_of_the_times_that_are_first", many,
                  make<first_decisions<1'000>>);
const check relaxed("finds_a_limiter_that_publishes_its_rate_relaxed", many,
                    make<publishes_relaxed>, "DATA RACE");

}  // namespace
