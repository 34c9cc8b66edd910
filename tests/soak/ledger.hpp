// SPDX-License-Identifier: MIT
// What a round of a pacer writes down of it: by its observer, by its sink, and at what pace items
// went.
#pragma once

#include <string>

#include <weir/cell/quota.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/schedule.hpp>
#include <weir/pacer/statistics.hpp>

#include "asking.hpp"
#include "delivery.hpp"
#include "windows.hpp"

namespace weir::soak {

// What the pacer says: when it polled, and whether it pauses.
struct watch {
    void on_emit(tick time, word late, word queued, word left) noexcept {
        counts.on_emit(time, late, queued, left);
        now = instant<steady_clock>(time);
        went_in_a_pause = went_in_a_pause || pauses;
    }
    void on_emitted(bool well) noexcept { counts.on_emitted(well); }
    void on_dropped(dropped reason) noexcept { counts.on_dropped(reason); }
    void on_event(pacer_event what) noexcept {
        if (what == pacer_event::paused || what == pacer_event::throttled) pauses = true;
        if (what == pacer_event::resumed) pauses = false;
    }
    void on_lost(word slots, bool in_a_callback) noexcept { counts.on_lost(slots, in_a_callback); }
    template <class Items>
    void on_polled(tick time, Items items) noexcept {
        counts.on_polled(time, items);
    }
    struct during : statistics::during {
        during(watch& whose, pacer_work what) noexcept : statistics::during(whose.counts, what) {}
    };

    statistics counts;
    instant<steady_clock> now{};
    bool pauses = false;
    bool went_in_a_pause = false;
};

// Keeps what went at one rate, and has it checked when the rate changes or there is enough of it.
class pace_log {
public:
    pace_log(const quota& q, catch_up c, word most_cost)
        : catch_up_(c), most_cost_(most_cost), quota_(q) {
        passed_.reserve(most_passages);
    }

    void add(tick now, word cost) {
        passed_.push_back({now.count, now.count, cost});
        if (passed_.size() == most_passages) check();
    }
    void turn(const quota& q) {
        check();
        quota_ = q;
    }
    void check();

    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] double uses() const { return uses_; }

private:
    catch_up catch_up_;
    word most_cost_;
    quota quota_;
    passages passed_;
    std::string problem_;
    double uses_ = 0;
};

class ledger {
public:
    ledger(delivery& book, pace_log& log) : book_(book), log_(log) {}

    void look_at(const watch& pacer) { pacer_ = &pacer; }

    void emit(const parcel& p) {
        book_.emit(p, pacer_->now);
        log_.add(pacer_->now, p.cost);
    }
    void drop(const parcel& p, dropped reason) { book_.drop(p, reason, steady_clock::now()); }

private:
    delivery& book_;
    pace_log& log_;
    const watch* pacer_ = nullptr;
};

}  // namespace weir::soak
