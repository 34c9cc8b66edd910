// SPDX-License-Identifier: MIT
// The bell: whatever the schedule, and whatever weak memory shows, nobody sleeps on while something
// was pushed, and a sleep costs one wake-up at most; with a fence on either side, and with the
// sleeper's alone if it is one for all threads (membarrier).
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/pacer/bell.hpp>

#include "../check.hpp"
#include "../weaker.hpp"

namespace {

using model::check;
using model::drawn;
using model::exchanges_relaxed;
using model::make;
using model::preempted;
using model::relacy_atomic;
using model::require;
using model::searches;

enum class by : unsigned char {
    own_fences,
    membarrier,
    no_fence_of_the_pusher,
    no_fence_of_the_sleeper,
    no_second_look,
};

template <by How>
struct fences {
    static void full() noexcept {
        if (How != by::no_fence_of_the_pusher) rl::atomic_thread_fence(rl::mo_seq_cst, RL_INFO);
    }
    static void compiler() noexcept {}
};

void nothing(void*) noexcept {}

// Thread 0 takes and sleeps, the others push twice into lanes of their own.
template <by How>
class sleeping final : public model::scenario {
public:
    void before() override {
        bell_.begin();
        bell_->wakes_by(&nothing, nullptr, How != by::membarrier);
        for (auto& lane : lanes_) lane.begin(0U);
        taken_ = {};
        wakes_ = 0;
        sleeps_ = 0;
        asleep_ = false;
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 3 && !asleep_; ++i) take_and_sleep();
        } else {
            for (std::uint32_t item = 1; item <= 2; ++item) {
                lanes_[index - 1]->store_release(item);
                if (bell_->must_wake()) ++wakes_;
            }
        }
    }
    void after() override {
        const bool left = taken_[0] != 2 || taken_[1] != 2;
        require(!asleep_ || !left || !bell_->lies(), "a wake-up is lost");
        require(wakes_ <= sleeps_, "more wake-ups than sleeps");
        both_ = both_ || (asleep_ && !left);
        for (auto& lane : lanes_) lane.end();
        bell_.end();
    }

    [[nodiscard]] bool saw_enough() const override { return both_; }

private:
    bool take() {
        bool found = false;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const std::uint32_t there = lanes_[i]->load_acquire();
            found = found || there != taken_[i];
            taken_[i] = there;
        }
        return found;
    }
    void take_and_sleep() {
        (void)take();
        bell_->lie_down([] {
            if (How == by::membarrier) {
                rl::ctx().rl_global_fence();
            } else if (How != by::no_fence_of_the_sleeper) {
                rl::atomic_thread_fence(rl::mo_seq_cst, RL_INFO);
            }
        });
        ++sleeps_;
        if (How != by::no_second_look && take()) {
            bell_->get_up();
        } else {
            asleep_ = true;
        }
    }

    model::shared<weir::bell<relacy_atomic, fences<How>>> bell_;
    std::array<model::shared<relacy_atomic<std::uint32_t>>, 2> lanes_;
    std::array<std::uint32_t, 2> taken_{};
    unsigned wakes_ = 0;
    unsigned sleeps_ = 0;
    bool asleep_ = false;
    bool both_ = false;  // somebody slept, rightly
};

// Thread 1 does something and alerts, thread 2 pushes; the sleeper that hears of it sees what
// was done, and it is never lost.
template <template <class> class Atomic>
class alerting : public model::scenario {
public:
    void before() override {
        bell_.begin();
        bell_->wakes_by(&nothing, nullptr, true);
        done_.begin(0);
        heard_ = false;
    }
    void thread(std::size_t index) override {
        if (index == 1) {
            (*done_)(RL_INFO) = 1;
            (void)bell_->alert();
        } else if (index == 2) {
            (void)bell_->must_wake();
        } else {
            bell_->lie_down([] { rl::atomic_thread_fence(rl::mo_seq_cst, RL_INFO); });
            listen();
            bell_->get_up();
        }
    }
    void after() override {
        in_time_ = in_time_ || heard_;
        if (!heard_) listen();
        require(heard_, "an alert is lost");
        require(!bell_->was_alerted(), "one alert is heard twice");
        done_.end();
        bell_.end();
    }

    [[nodiscard]] bool saw_enough() const override { return in_time_; }

private:
    void listen() {
        if (!bell_->was_alerted()) return;
        heard_ = true;
        require((*done_)(RL_INFO).load() == 1, "alerted before it was done");
    }

    model::shared<weir::bell<Atomic, fences<by::own_fences>>> bell_;
    model::shared<rl::var<int>> done_;
    bool heard_ = false;
    bool in_time_ = false;
};

// Thread 0 says how it is woken, and sleeps, while the others push and alert it already: thread 1
// pushes, thread 2 alerts. Who does not lie down is woken by alerts only.
template <template <class> class Atomic, bool Says, bool Lies = true>
class beginning : public model::scenario {
public:
    void before() override {
        bell_.begin();
        lane_.begin(0U);
        woken_.begin(0U);
        asleep_ = heard_ = false;
        taken_ = 0;
    }
    void thread(std::size_t index) override {
        if (index == 1) {
            lane_->store_release(1);
            if (bell_->must_wake()) ring();
        } else if (index == 2) {
            if (bell_->alert()) ring();
        } else {
            if (Says) bell_->wakes_by(&wake, &*woken_, false);
            sleep();
        }
    }
    void after() override {
        const bool woken = woken_->load_relaxed() != 0;
        require(!Lies || !asleep_ || taken_ == 1 || woken, "a wake-up is lost");
        require(heard_ || woken, "an alert is lost");
        both_ = both_ || (asleep_ && woken);
        lane_.end();
        woken_.end();
        bell_.end();
    }

    [[nodiscard]] bool saw_enough() const override { return both_; }

private:
    // Where nobody has said how, there is nothing to wake, and the sleeper stays asleep.
    void ring() {
        if (Says) bell_->wake();
    }
    static void wake(void* woken) noexcept {
        require(woken != nullptr, "it is woken by half of what was said");
        static_cast<relacy_atomic<std::uint32_t>*>(woken)->store_relaxed(1);
    }
    void sleep() {
        if (Lies) {
            bell_->lie_down([this] {
                (void)lane_->load_relaxed();  // others may find it asleep before the fence
                rl::ctx().rl_global_fence();
            });
        }
        heard_ = bell_->was_alerted();
        taken_ = lane_->load_acquire();
        asleep_ = !heard_ && taken_ == 0;
        if (Lies && !asleep_) bell_->get_up();
    }

    model::shared<weir::bell<Atomic, fences<by::membarrier>>> bell_;
    model::shared<relacy_atomic<std::uint32_t>> lane_;
    model::shared<relacy_atomic<std::uint32_t>> woken_;
    std::uint32_t taken_ = 0;
    bool asleep_ = false;
    bool heard_ = false;
    bool both_ = false;
};

const searches many{preempted(2), drawn(300'000)};

const check alerted("who_is_alerted_sees_what_came_before_the_alert", many,
                    make<alerting<relacy_atomic>>);
// Planted: what changes the word says nothing of what came before.
const check relaxed("finds_an_alert_that_exchanges_relaxed", many,
                    make<alerting<exchanges_relaxed>>, "DATA RACE");

const check begun("how_it_is_woken_may_be_said_while_others_push", many,
                  make<beginning<relacy_atomic, true>>);
const check due("how_it_is_woken_may_be_said_while_others_alert", many,
                make<beginning<relacy_atomic, true, false>>);
const check unsaid("finds_a_sleeper_that_says_not_how_it_is_woken", many,
                   make<beginning<relacy_atomic, false>>, "a wake-up is lost|an alert is lost");

const check half("finds_a_way_of_waking_that_is_said_relaxed", many,
                 make<beginning<exchanges_relaxed, true>>, "woken by half of what was said");

const check fenced("nobody_sleeps_on_while_something_was_pushed", many,
                   make<sleeping<by::own_fences>>);
const check barred("nobody_sleeps_on_whose_fence_is_one_for_all", many,
                   make<sleeping<by::membarrier>>);
const check pusher("finds_a_push_without_its_fence", many,
                   make<sleeping<by::no_fence_of_the_pusher>>, "a wake-up is lost");
const check sleeper("finds_a_sleeper_without_its_fence", many,
                    make<sleeping<by::no_fence_of_the_sleeper>>, "a wake-up is lost");
const check look("finds_a_sleeper_that_does_not_look_again", many,
                 make<sleeping<by::no_second_look>>, "a wake-up is lost");

}  // namespace
