// SPDX-License-Identifier: MIT
// What a lane publishes: its items come out once, in the order in which they were pushed, and
// neither side touches a place while the other does. Relacy is told of each place that an item is
// made in, moved out of or ends in, as the indices that keep the sides apart are Boost's.
#include <array>
#include <cstddef>
#include <utility>

#include <weir/pacer/lane.hpp>

#include "../check.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;
using weir::pushing;

// The memory in which items are shared.
struct places {
    const void* from = nullptr;
    const void* to = nullptr;
    std::array<model::shared<rl::var<int>>, 16> uses;
};
places watched;

class alignas(64) item {
public:
    explicit item(int number) : number_(number) { touch(); }
    item(item&& other) noexcept : number_(std::exchange(other.number_, 0)) {
        other.touch();
        touch();
    }
    item& operator=(item&&) = delete;
    ~item() { touch(); }

    [[nodiscard]] int number() const {
        touch();
        return number_;
    }

private:
    void touch() const {
        if (this < watched.from || this >= watched.to) return;  // a thread's own
        const auto bytes =
            reinterpret_cast<const std::byte*>(this) - static_cast<const std::byte*>(watched.from);
        (*watched.uses.at(static_cast<std::size_t>(bytes) / sizeof(item)))(RL_INFO) = 1;
    }

    int number_;
};

// Thread 1 pushes, thread 0 takes, thread 2 looks on.
class passing_on : public model::scenario {
public:
    using lane = weir::lane<item, 2>;
    static_assert(sizeof(lane) <= 16 * sizeof(item));

    void before() override {
        for (auto& use : watched.uses) use.begin(0);
        lane_.begin();
        watched.from = &*lane_;
        watched.to = &*lane_ + 1;
        pushed_ = taken_ = 0;
        refused_ = false;
        (void)lane_->open();
        lane_->opened();
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 3; ++i) take();
        } else if (index == 1) {
            for (int i = 0; i < 4; ++i) push();
        } else {
            require(lane_->approx_size() <= 2, "more items than places");
        }
    }
    void after() override {
        for (int i = 0; i < 2; ++i) take();
        require(taken_ == pushed_, "an item is lost");
        require(lane_->approx_units() == 0, "units are left in an empty lane");
        saw_ = saw_ || (refused_ && pushed_ == 3);
        watched.from = watched.to = nullptr;
        lane_.end();
        for (auto& use : watched.uses) use.end();
    }

    // Full in between, and a place used again, in some schedule.
    [[nodiscard]] bool saw_enough() const override { return saw_; }

private:
    void push() {
        const pushing how = lane_->try_push(1, pushed_ + 1);
        if (how == pushing::pushed) ++pushed_;
        refused_ = refused_ || how == pushing::full;
    }
    void take() {
        if (lane_->available() == 0) return;
        require(lane_->front().number() == taken_ + 1, "not the oldest item");
        require(lane_->take(1).number() == taken_ + 1, "another item than the oldest");
        ++taken_;
    }

    model::shared<lane> lane_;
    int pushed_ = 0;
    int taken_ = 0;
    bool refused_ = false;
    bool saw_ = false;
};

class releases_relaxed : public passing_on {
public:
    releases_relaxed() { weir::releases_relaxed = true; }
};

const searches many{preempted(1), drawn(300'000)};

const check on("a_lane_passes_each_item_on_once_and_in_order", many, make<passing_on>);
const check relaxed("finds_a_lane_that_publishes_relaxed", many, make<releases_relaxed>,
                    "DATA RACE");

}  // namespace
