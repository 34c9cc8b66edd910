// SPDX-License-Identifier: MIT
// A pacer whose limit has an in_flight, as its thread sleeps: it never sleeps on while an item
// waits for a place that is free. A call ends, and another lane gets an item, while it goes to
// sleep.
#include <cstddef>
#include <utility>

#include <weir/adapter/pacer_calls.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/pacer/pacer.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"
#include "../place_locks.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;

using no_clock = model::no_clock<1'000>;
constexpr weir::instant<no_clock> now{1'000'000};

enum class by : unsigned char { the_book, no_join, no_second_look };

// One call is out and an item waits. Thread 0 polls and goes to sleep, thread 1 ends the call, and
// thread 2 begins and ends one of its own if it can.
template <by How>
class sleeping final : public model::scenario {
public:
    struct sink {
        void emit(int&&, weir::call_token call) const {
            ++*emitted;
            *out = std::move(call);
        }
        static void drop(int&&, weir::dropped) {}
        int* emitted;
        weir::call_token* out;
    };
    using limit = weir::all_of<weir::schedule<no_clock>, weir::in_flight>;
    using pacer = weir::pacer<int, sink, limit, weir::lanes<1, 4>>;
    using queue = weir::detail::place_queue<model::place_locks<true>>;
    using calls = weir::pacer_calls<pacer, queue>;

    void before() override {
        emitted_ = 0;
        asleep_ = false;
        model::place_mutex.begin();
        rate_.begin(weir::quota{1'000, weir::seconds(1), 10}, weir::catch_up::none());
        in_flight_.begin(1U);
        pacer_.begin(limit(*rate_, *in_flight_), sink{&emitted_, &out_});
        (void)pacer_->wake_with([](void*) noexcept {}, nullptr, false);
        auto lane = pacer_->open();
        (void)lane.try_push(1, 0, {}, now);
        (void)lane.try_push(2, 0, {}, now);
        (void)pacer_->sleeper().was_alerted();
        (void)pacer_->poll(now);
        lane.close();
        (void)pacer_->sleeper().was_alerted();
        first_ = std::move(out_);
        calls_.begin(*pacer_);
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 2 && !asleep_ && emitted_ < 2; ++i) poll_and_sleep();
        } else if (index == 1) {
            first_.end();
        } else {
            const auto own = in_flight_->try_begin();
        }
    }
    void after() override {
        const bool alerted = pacer_->sleeper().was_alerted();
        require(!asleep_ || emitted_ == 2 || alerted, "it sleeps while a place is free");
        slept_ = slept_ || (asleep_ && emitted_ == 1);
        awake_ = awake_ || emitted_ == 2;
        (void)pacer_->poll(now);
        require(emitted_ == 2, "the item has not gone");
        calls_.end();
        pacer_.end();
        out_.end();
        require(in_flight_->approx_in_use() == 0, "a place is lost");
        in_flight_.end();
        rate_.end();
        model::place_mutex.end();
    }
    [[nodiscard]] bool saw_enough() const override { return slept_ && awake_; }

private:
    // As pacer_rest does.
    void poll_and_sleep() {
        const auto seen = calls_->told(pacer_->poll(now));
        pacer_->sleeper().lie_down([] { rl::ctx().rl_global_fence(); });
        if (How != by::no_join) calls_->join();
        if (How != by::no_second_look && calls_->told(pacer_->poll(now)) != seen) {
            calls_->leave();
            return pacer_->sleeper().get_up();
        }
        asleep_ = true;
    }

    model::shared<weir::schedule<no_clock>> rate_;
    model::shared<weir::in_flight> in_flight_;
    model::shared<pacer> pacer_;
    model::shared<calls> calls_;
    weir::call_token first_;
    weir::call_token out_;
    int emitted_ = 0;
    bool asleep_ = false;
    bool slept_ = false;
    bool awake_ = false;
};

// Not all of them: a poll is long.
const searches many{preempted(1), drawn(200'000)};

const check sleeps("a_pacer_does_not_sleep_past_the_end_of_a_call", many,
                   make<sleeping<by::the_book>>);
const check joins("finds_a_pacer_that_is_not_told_of_calls", many, make<sleeping<by::no_join>>,
                  "it sleeps while a place is free");
const check looks("finds_a_pacer_that_joins_and_does_not_look", many,
                  make<sleeping<by::no_second_look>>, "it sleeps while a place is free");

}  // namespace
