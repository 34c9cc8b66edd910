// SPDX-License-Identifier: MIT
// A whole pacer: it is not done while anything is left, and nothing is lost, while two producers
// open lanes, push and leave, and one of them closes it. One has a budget of its own, and its items
// cost the others nothing. And a push is refused for its deadline only if it would miss it.
#include <array>
#include <cstddef>

#include <weir/pacer/pacer.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::require;
using model::searches;
using weir::word;

using no_clock = model::no_clock<1'000>;
using instant = weir::instant<no_clock>;

constexpr instant now{1'000'000};

// Thread 0 polls, the others open a lane and push, and one of them closes the pacer after that.
class polling : public model::scenario {
public:
    struct sink {
        void emit(int&& item) const { ++(*taken)[static_cast<std::size_t>(item)]; }
        void drop(int&& item, weir::dropped) const { ++(*taken)[static_cast<std::size_t>(item)]; }
        std::array<int, model::threads>* taken;
    };
    using limit = weir::schedule<no_clock>;
    using pacer = weir::pacer<int, sink, limit, weir::lanes<2, 2>>;

    void before() override {
        pushed_ = taken_ = {};
        budget_.begin(one_per_second);
        pacer_.begin(limit(one_per_second), sink{&taken_});
    }
    void thread(std::size_t index) override {
        if (index != 0) return produce(index);
        for (int i = 0; i < 3; ++i) {
            if (pacer_->poll(now).what != weir::polled::done) continue;
            require(taken_[1] == pushed_[1], "done, and there is more to do");
            done_ = true;
        }
    }
    void after() override {
        const bool charged = weir::earlier(now, pacer_->limit().next());
        require(!charged, "what has its own budget is charged to all");
        pacer_.end();
        budget_.end();
        require(taken_ == pushed_, "an item is lost");
    }

    [[nodiscard]] bool saw_enough() const override { return done_; }

private:
    void produce(std::size_t index) {
        const bool first = index == 1;
        auto mine = pacer_->open({.budget = first ? &*budget_ : nullptr});
        const word cost = first ? 1 : 0;
        if (mine && mine.try_push(static_cast<int>(index), cost, {}, now)) pushed_[index] = 1;
        if (first) pacer_->close();
    }

    static constexpr weir::quota one_per_second{1, weir::seconds(1)};

    model::shared<limit> budget_;
    model::shared<pacer> pacer_;
    std::array<int, model::threads> pushed_{};
    std::array<int, model::threads> taken_{};
    bool done_ = false;  // in some schedule
};

// Thread 0 polls while thread 1 pushes an item, and then one that may go at the second slot.
class refusing : public model::scenario {
public:
    struct sink {
        static void emit(int&&) {}
        static void drop(int&&, weir::dropped) {}
    };
    using limit = weir::schedule<no_clock>;
    using pacer = weir::pacer<int, sink, limit, weir::lanes<1, 4>>;

    void before() override {
        pacer_.begin(limit(weir::quota{1, weir::seconds(1), 1}, weir::catch_up::none()), sink{});
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 2; ++i) {
                emitted_ = pacer_->poll(now).what == weir::polled::due || emitted_;
            }
        }
        if (index == 1) {
            auto mine = pacer_->open();
            require(static_cast<bool>(mine.try_push(1, 1, {}, now)), "has no room");
            const auto second = weir::deadline(now + no_clock::hertz());
            const auto pushed = mine.try_push(2, 1, second, now);
            require(pushed.how() == weir::pushing::pushed, "refused what goes in time");
        }
    }
    void after() override { pacer_.end(); }

    [[nodiscard]] bool saw_enough() const override { return emitted_; }

private:
    model::shared<pacer> pacer_;
    bool emitted_ = false;  // one while the other waits, in some schedule
};

template <class Scenario>
class releases_relaxed : public Scenario {
public:
    releases_relaxed() { weir::releases_relaxed = true; }
};

// Not all of them: scans are long.
const searches many{drawn(200'000)};

const check done("a_pacer_is_done_when_all_that_was_pushed_before_it_closed_is_gone", many,
                 make<polling>);
const check relaxed("finds_a_pacer_that_is_closed_relaxed", many, make<releases_relaxed<polling>>,
                    "done, and there is more|lost|its own budget");
const check refused("a_push_is_refused_for_its_deadline_only_if_it_would_miss_it", many,
                    make<refusing>);
const check told_relaxed("finds_a_pacer_that_tells_its_next_slot_relaxed", many,
                         make<releases_relaxed<refusing>>, "refused what goes in time");

}  // namespace
