// The bell: whatever the schedule, and whatever weak memory shows, nobody sleeps on while something
// was pushed, and a sleep costs one wake-up at most; with a fence on either side, and with the
// sleeper's alone if it is one for all threads (membarrier).
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/pacer/bell.hpp>

#include "../check.hpp"

namespace {

using model::check;
using model::drawn;
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

// Thread 0 takes and sleeps, the others push twice into lanes of their own.
template <by How>
class sleeping final : public model::scenario {
public:
    void before() override {
        bell_.begin();
        if (How != by::membarrier) bell_->needs_fences();
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

// Thread 1 does something and calls, thread 2 pushes; the sleeper that hears of the call sees what
// was done, and it is never lost.
template <template <class> class Atomic>
class calling : public model::scenario {
public:
    void before() override {
        bell_.begin();
        bell_->needs_fences();
        done_.begin(0);
        heard_ = false;
    }
    void thread(std::size_t index) override {
        if (index == 1) {
            (*done_)(RL_INFO) = 1;
            bell_->call();
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
        require(heard_, "a call is lost");
        require(!bell_->was_called(), "one call is heard twice");
        done_.end();
        bell_.end();
    }

    [[nodiscard]] bool saw_enough() const override { return in_time_; }

private:
    void listen() {
        if (!bell_->was_called()) return;
        heard_ = true;
        require((*done_)(RL_INFO).load() == 1, "called before it was done");
    }

    model::shared<weir::bell<Atomic, fences<by::own_fences>>> bell_;
    model::shared<rl::var<int>> done_;
    bool heard_ = false;
    bool in_time_ = false;
};

// Planted: what changes the word says nothing of what came before.
template <class T>
class exchanges_relaxed : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return this->try_exchange_relaxed(expected, desired);
    }
};

const searches many{preempted(2), drawn(300'000)};

const check called("who_is_called_sees_what_came_before_the_call", many,
                   make<calling<relacy_atomic>>);
const check relaxed("finds_a_call_that_exchanges_relaxed", many, make<calling<exchanges_relaxed>>,
                    "DATA RACE");

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
