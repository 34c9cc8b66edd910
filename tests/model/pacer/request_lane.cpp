// SPDX-License-Identifier: MIT
// Requests through a lane: whoever reads them has room for each item, reads a cancel after the item
// that it is about, and loses nothing; and a lane that was left is free when all its items are out.
#include <cstddef>

#include <weir/base/word.hpp>
#include <weir/pacer/request_lane.hpp>

#include "../check.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;
using weir::holder;
using weir::requested;

enum class counts : unsigned char { rightly, too_early };

struct queued {
    int item;
    weir::word cost;
};

// Thread 0 reads into one place and hands out of it, the other one holds the lane, pushes and
// cancels.
template <counts How>
class requesting : public model::scenario {
public:
    void before() override {
        lane_.begin();
        held_ = nothing;
        turns_ = 0;
        pushed_ = out_ = cancelled_ = 0;
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (int i = 0; i < 4; ++i) turn();
        } else {
            hold();
        }
    }
    void after() override {
        for (int i = 0; i < 8; ++i) turn();
        require(out_ == pushed_, "an item is lost");
        require(lane_->approx_size() == 0, "a place is lost");
        require(lane_->approx_units() == 0, "a unit is lost");
        require(lane_->held_by() == holder::nobody, "a lane that was left is not free again");
        saw_ = saw_ || (cancelled_ == 1 && pushed_ == 2);
        lane_.end();
    }

    [[nodiscard]] bool saw_enough() const override { return saw_; }

private:
    static constexpr int nothing = -1;

    void hold() {
        if (!lane_->open()) return;
        lane_->opened();
        for (int i = 0; i < 2; ++i) {
            if (lane_->try_push(1, queued{i, 1}) == weir::pushing::pushed) ++pushed_;
        }
        require(lane_->try_cancel(lane_->newest()) == weir::pushing::pushed,
                "a lane whose places are taken takes no cancel");
        lane_->close();
    }
    void turn() {
        lane_->read([this](weir::request<queued>&& r) {
            if (r.what() == requested::push) {
                require(held_ == nothing, "there is no place for an item");
                held_ = r.queued().item;
                number_ = r.number();
                if (How == counts::too_early) is_out();
            } else if (held_ != nothing && r.number() == number_) {
                ++cancelled_;
                hand_out();
            }
        });
        if (++turns_ % 2 == 0 && held_ != nothing) hand_out();  // it has waited
        if (lane_->held_by() == holder::left && lane_->is_empty()) lane_->retire();
    }
    void hand_out() {
        held_ = nothing;
        ++out_;
        if (How == counts::rightly) is_out();
    }
    void is_out() {
        lane_->no_longer_wait(1);
        lane_->is_out();
    }

    model::shared<weir::request_lane<queued, 1>> lane_;
    int held_ = nothing;
    int turns_ = 0;
    weir::word number_ = 0;
    int pushed_ = 0;
    int out_ = 0;
    int cancelled_ = 0;
    bool saw_ = false;
};

class releases_relaxed : public requesting<counts::rightly> {
public:
    releases_relaxed() { weir::releases_relaxed = true; }
};

const searches many{preempted(2), drawn(100'000)};

const check on("whoever_reads_requests_has_room_for_each_item", many,
               make<requesting<counts::rightly>>);
const check early("finds_a_place_that_is_given_back_too_early", many,
                  make<requesting<counts::too_early>>, "no place");
const check relaxed("finds_places_that_are_given_back_relaxed", many, make<releases_relaxed>,
                    "DATA RACE|takes no cancel");

}  // namespace
