// SPDX-License-Identifier: MIT
// Calls in flight, as shipped, with Relacy's atomics and mutex in place of its own: threads begin
// and end, wait and are told, give up, and change the cap. Never more than the cap, no place lost,
// and nobody sleeps while a place is free.
#include <array>
#include <cstddef>

#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/place_queue.hpp>

#include "../check.hpp"
#include "../place_locks.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;
using weir::word;
using weir::detail::place_waiter;

// What each call does: with a cap of one it is alone.
template <word Most>
class work {
public:
    void begin() {
        alone_.begin(0);
        there_ = most_there_ = 0;
    }
    void end() { alone_.end(); }
    // With a switch of threads in between.
    void operator()(weir::in_flight& calls) {
        ++there_;
        most_there_ = there_ > most_there_ ? there_ : most_there_;
        require(there_ <= Most, "more than the cap");
        if (Most == 1) (*alone_)(RL_INFO) = (*alone_)(RL_INFO).load() + 1;
        (void)calls.most();
        --there_;
    }
    [[nodiscard]] word most_there() const { return most_there_; }

private:
    model::shared<rl::var<int>> alone_;
    word there_ = 0;
    word most_there_ = 0;
};

// Three threads begin and end, twice each.
template <word Most>
class calling : public model::scenario {
public:
    void before() override {
        calls_.begin(Most);
        work_.begin();
        begun_ = {};
    }
    void thread(std::size_t index) override {
        for (int i = 0; i < 2; ++i) {
            if (auto call = calls_->try_begin()) {
                work_(*calls_);
                ++begun_[index];
            }
        }
    }
    void after() override {
        require(calls_->approx_in_use() == 0, "a place is lost");
        require(begun_[0] + begun_[1] + begun_[2] >= Most, "refused without need");
        full_ = full_ || work_.most_there() == Most;
        some_refused_ = some_refused_ || begun_[0] + begun_[1] + begun_[2] < 6;
        work_.end();
        calls_.end();
    }
    [[nodiscard]] bool saw_enough() const override { return full_ && some_refused_; }

private:
    model::shared<weir::in_flight> calls_;
    work<Most> work_;
    std::array<word, model::threads> begun_{};
    bool full_ = false;
    bool some_refused_ = false;
};

enum class by : unsigned char {
    the_book,
    no_second_look,
    no_passing_on,
    no_joining_again,
    no_mutex,
};

// A thread that waits as begin.hpp has it wait; but it sleeps at the end of its schedule, and what
// it does when it is told is done after that.
template <by How>
class sleeper : public place_waiter {
    using queue = weir::detail::place_queue<model::place_locks<How != by::no_mutex>>;

public:
    sleeper() : place_waiter(&told, true) {}

    // True if it has begun and ended.
    template <class Work>
    bool tries(weir::in_flight& calls, Work& act) {
        auto call = calls.try_begin();
        if (!call) return false;
        act(calls);
        if (waits_) leave(calls);
        call.end();
        done_ = true;
        return true;
    }
    template <class Work>
    void waits(weir::in_flight& calls, Work& act) {
        if (tries(calls, act)) return;
        join(calls, false);
        if (How != by::no_second_look) (void)tries(calls, act);
    }
    void gives_up(weir::in_flight& calls) {
        if (waits_) leave(calls);
        done_ = true;
    }
    // It has slept and was told: true if it did something.
    template <class Work>
    bool goes_on(weir::in_flight& calls, Work& act) {
        if (done_ || !told_) return false;
        told_ = waits_ = false;
        if (!tries(calls, act) && How != by::no_joining_again) {
            join(calls, true);
            (void)tries(calls, act);
        }
        return true;
    }

    [[nodiscard]] bool done() const { return done_; }

private:
    void join(weir::in_flight& calls, bool in_front) {
        waits_ = true;
        queue::join(calls, *this, in_front);
    }
    void leave(weir::in_flight& calls) {
        waits_ = false;
        if (!queue::leave(calls, *this) && How != by::no_passing_on) queue::tell(calls, 1);
    }
    static void told(place_waiter& who) noexcept { static_cast<sleeper&>(who).told_ = true; }

    bool waits_ = false;
    bool told_ = false;
    bool done_ = false;
};

// Thread 0 has a call that ends, or all of them have begun, and the others wait; the last one may
// give up, and who was told be overtaken. All calls end, so in the end each has had its place.
template <word Most, by How, bool GivesUp, bool Overtaken = false>
class waiting : public model::scenario {
public:
    void before() override {
        model::place_mutex.begin();
        calls_.begin(Most);
        work_.begin();
        for (auto& s : sleepers_) s.begin();
        for (word i = 0; i < Most; ++i) held_[i] = calls_->try_begin();
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (word i = 0; i < Most; ++i) held_[i].end();
            return;
        }
        auto& mine = *sleepers_[index - 1];
        mine.waits(*calls_, work_);
        if (GivesUp && index == 2 && !mine.done()) mine.gives_up(*calls_);
    }
    void after() override {
        slept_ = slept_ || !sleepers_[0]->done();
        if (Overtaken) {
            auto first = calls_->try_begin();
            for (auto& s : sleepers_) (void)s->goes_on(*calls_, work_);
        }
        for (bool acted = true; acted;) {
            acted = false;
            for (auto& s : sleepers_) acted = s->goes_on(*calls_, work_) || acted;
        }
        for (auto& s : sleepers_) require(s->done(), "it sleeps while a place is free");
        require(calls_->approx_in_use() == 0, "a place is lost");
        for (auto& s : sleepers_) s.end();
        work_.end();
        calls_.end();
        model::place_mutex.end();
    }
    [[nodiscard]] bool saw_enough() const override { return slept_; }

private:
    model::shared<weir::in_flight> calls_;
    std::array<weir::call_token, 2> held_;
    std::array<model::shared<sleeper<How>>, 2> sleepers_;
    work<Most> work_;
    bool slept_ = false;
};

// One waits where one call goes on for ever; the cap becomes two, and three begin at most, since it
// was three before.
class changing : public model::scenario {
public:
    void before() override {
        model::place_mutex.begin();
        calls_.begin(1U);
        work_.begin();
        sleeper_.begin();
        held_ = calls_->try_begin();
        begun_ = false;
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            require(calls_->set_most(2U) == weir::in_flight_error::none, "refused");
        } else if (index == 1) {
            sleeper_->waits(*calls_, work_);
        } else if (auto call = calls_->try_begin()) {
            work_(*calls_);
            begun_ = true;
        }
    }
    void after() override {
        slept_ = slept_ || !sleeper_->done();
        late_ = late_ || begun_;
        while (sleeper_->goes_on(*calls_, work_)) {
        }
        require(sleeper_->done(), "it sleeps while a place is free");
        require(calls_->approx_in_use() == 1, "a place is lost");
        held_.end();
        require(calls_->approx_in_use() == 0 && calls_->most() == 2, "a place is lost");
        sleeper_.end();
        work_.end();
        calls_.end();
        model::place_mutex.end();
    }
    [[nodiscard]] bool saw_enough() const override { return slept_ && late_; }

private:
    model::shared<weir::in_flight> calls_;
    weir::call_token held_;
    model::shared<sleeper<by::the_book>> sleeper_;
    work<2> work_;
    bool begun_ = false;
    bool late_ = false;
    bool slept_ = false;
};

class relaxed : public calling<1> {
public:
    relaxed() { weir::exchanges_relaxed = true; }
};
class in_two_steps : public calling<2> {
public:
    in_two_steps() { weir::exchanges_relaxed = weir::exchanges_in_two_steps = true; }
};

const searches many{preempted(2), drawn(200'000)};

const check one("one_call_at_a_time_and_each_sees_the_one_before", many, make<calling<1>>);
const check two("two_calls_at_a_time_and_no_place_is_lost", many, make<calling<2>>);
const check waits("nobody_sleeps_while_a_place_is_free", many,
                  make<waiting<1, by::the_book, false>>);
const check both("nobody_sleeps_while_one_of_two_places_is_free", many,
                 make<waiting<2, by::the_book, false>>);
const check gone("who_gives_up_takes_no_place_along", many, make<waiting<1, by::the_book, true>>);
const check overtaken("who_is_told_and_overtaken_is_told_again", many,
                      make<waiting<1, by::the_book, false, true>>);
const check more("who_waits_hears_of_a_higher_cap", many, make<changing>);

const check orders("finds_calls_that_begin_and_end_relaxed", many, make<relaxed>, "DATA RACE");
const check steps("finds_calls_that_begin_in_two_steps", many, make<in_two_steps>,
                  "more than the cap|a place is lost|refused without need");
const check look("finds_who_waits_and_looks_only_once", many,
                 make<waiting<1, by::no_second_look, false>>, "it sleeps while a place is free");
const check kept("finds_who_gives_up_and_keeps_it_to_himself", many,
                 make<waiting<1, by::no_passing_on, true>>, "it sleeps while a place is free");
const check once("finds_who_was_told_once_and_waits_no_more", many,
                 make<waiting<1, by::no_joining_again, false, true>>,
                 "it sleeps while a place is free");
const check unlocked("finds_a_queue_without_its_mutex", many, make<waiting<1, by::no_mutex, false>>,
                     "it sleeps while a place is free");

}  // namespace
