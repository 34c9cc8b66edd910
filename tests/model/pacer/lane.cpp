// SPDX-License-Identifier: MIT
// Who holds a lane: one at a time, nothing that was pushed is lost to the next holder or to nobody,
// and what a holder writes comes before what the taker and the next holder do.
#include <array>
#include <cstddef>

#include <weir/pacer/lane.hpp>

#include "../check.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;
using weir::holder;

enum class retires : unsigned char { rightly, while_it_is_held, without_another_look };

// Thread 0 takes, the others hold the lane in turn, if they can get it, and push.
template <retires How>
class handing_on : public model::scenario {
public:
    void before() override {
        lane_.begin();
        mark_.begin(0);
        pushed_ = taken_ = 0;
        holders_ = 0;
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 4; ++i) take();
        } else {
            hold_once();
        }
    }
    void after() override {
        for (int i = 0; i < 4; ++i) take();
        require(taken_ == pushed_, "an item is lost");
        require(lane_->held_by() == holder::nobody, "a lane that was left is not free again");
        twice_ = twice_ || holders_ == 2;
        mark_.end();
        lane_.end();
    }

    // Both held it in some schedule, one after the other.
    [[nodiscard]] bool saw_enough() const override { return twice_; }

private:
    void hold_once() {
        if (!lane_->open()) return;
        ++holders_;
        require(lane_->available() == 0, "a free lane is not empty");
        (*mark_)(RL_INFO) = 1;
        lane_->opened();
        for (int k = 0; k < 2; ++k) {
            if (lane_->try_push(1, 1) == weir::pushing::pushed) ++pushed_;
        }
        (*mark_)(RL_INFO) = 2;
        lane_->close();
    }
    // As the pacer's scan does.
    void take() {
        for (std::size_t there = lane_->available(); there > 0; --there) {
            (void)lane_->take(1);
            ++taken_;
        }
        const holder held = lane_->held_by();
        if (How == retires::while_it_is_held && held == holder::producer) return lane_->retire();
        const bool looks = How != retires::without_another_look;
        if (held != holder::left || (looks && lane_->available() != 0)) return;
        static_cast<void>((*mark_)(RL_INFO).load());
        lane_->retire();
    }

    model::shared<weir::lane<int, 2>> lane_;
    model::shared<rl::var<int>> mark_;
    int pushed_ = 0;
    int taken_ = 0;
    int holders_ = 0;
    bool twice_ = false;
};

class releases_relaxed : public handing_on<retires::rightly> {
public:
    releases_relaxed() { weir::releases_relaxed = true; }
};

const searches many{preempted(1), drawn(300'000)};

const check on("a_lane_is_held_by_one_after_the_other_and_loses_nothing", many,
               make<handing_on<retires::rightly>>);
const check early("finds_a_lane_that_is_free_while_somebody_holds_it", many,
                  make<handing_on<retires::while_it_is_held>>,
                  "DATA RACE|a free lane|lost|not free again");
const check look("finds_a_lane_that_is_free_before_another_look", many,
                 make<handing_on<retires::without_another_look>>, "DATA RACE|a free lane|lost");
const check relaxed("finds_a_lane_that_is_left_relaxed", many, make<releases_relaxed>, "DATA RACE");

}  // namespace
