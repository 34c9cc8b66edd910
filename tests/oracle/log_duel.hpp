// SPDX-License-Identifier: MIT
// A sliding log and its model, side by side: the same event to both, and do they say the same?
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/sliding_log.hpp>

#include "answer.hpp"
#include "duel.hpp"
#include "exact.hpp"
#include "log_model.hpp"
#include "scenario.hpp"

namespace oracle {

// A log with the places that it was made with, or in places made for it.
template <class Log>
class log_with_places {
public:
    explicit log_with_places(std::size_t /*units*/) {}
    Log log;
};
template <class Word>
class log_with_places<weir::sliding_log<0, Word>> {
public:
    explicit log_with_places(std::size_t units)
        : places_(std::make_unique<weir::atomic<Word>[]>(units)), log(places_.get(), units) {}

private:
    std::unique_ptr<weir::atomic<Word>[]> places_;

public:
    weir::sliding_log<0, Word> log;
};

// How a rate measures time, in granules of 2^coarseness ticks.
template <class Rate>
struct log_scale {
    using word = typename Rate::word_type;

    explicit log_scale(const Rate& r)
        : coarseness(r.coarseness()),
          period(integer{r.period()}),
          debt(integer{r.in_ticks(r.debt())} >> coarseness),
          circle((integer{weir::largest<word>} + 1) / unit(r)),
          ahead(integer{r.ahead()}),
          longest(integer{r.longest()}) {}

    [[nodiscard]] integer ticks(integer granules) const { return granules << coarseness; }
    [[nodiscard]] integer guard() const { return ticks(ahead - debt - 1); }

    unsigned coarseness;
    integer period;
    integer debt;
    integer circle;   // after which times wrap
    integer ahead;    // how far the head may lie ahead of a now that is late
    integer longest;  // how long a time is waited for: period, debt, guard and what is rounded

private:
    static integer unit(const Rate& r) {
        return integer{r.down({weir::word{1} << r.coarseness()})};
    }
};

template <class Log>
class log_duel {
public:
    using word = typename Log::word_type;
    using rate = typename Log::rate;

    log_duel(const scenario& s, const rate& r, integer now)
        : scenario_(s),
          rate_(r),
          scale_(r),
          cell_(static_cast<std::size_t>(s.burst)),
          model_({s.burst, scale_.period, scale_.coarseness, scale_.debt,
                  integer{r.most_state().ticks}}),
          latest_(now) {
        cell_.log.start(tick_of(now), static_cast<word>(s.start()), rate_);
        model_.fill(now, s.start());
        forget_before(up(now));
    }

    // Not later than the guard allows, and nothing that was recorded may seem busy just because its
    // time has come round.
    [[nodiscard]] bool allows(const event& e) const {
        const integer now = e.now;
        if (now < earliest() || now >= end_of_time()) return false;
        const integer at = now >> scale_.coarseness;
        const auto relic = [&](integer time) {
            const integer left = time + scale_.period - at;
            const integer seen = left - floor_of(left, scale_.circle) * scale_.circle;
            return left <= 0 && seen > 0 && seen <= scale_.longest;
        };
        const auto& units = model_.units();
        if (integer(units.size()) < scenario_.burst && relic(long_ago_)) return false;
        if (units.empty() || at - units.front() < scale_.circle - scale_.longest) return true;
        return std::none_of(units.begin(), units.end(), relic);
    }
    [[nodiscard]] integer earliest() const {
        return std::max<integer>(latest_ - scale_.guard(), 0);
    }

    // How often its time has come round until then.
    [[nodiscard]] integer turns(integer now) const { return now / scale_.ticks(scale_.circle); }
    // There is always another instant that is allowed: the latest.
    [[nodiscard]] static bool over() { return false; }

    [[nodiscard]] std::string time_as_held() const {
        const std::string granules = " * 2^" + std::to_string(scale_.coarseness) + " ticks";
        return "period " + text_of(scale_.period) + granules + ", wraps after " +
               text_of(scale_.circle) + granules;
    }

    // A log whose time wraps less often than the clock does not outlive the clock.
    [[nodiscard]] integer end_of_time() const {
        const integer clock = integer{1} << 64U;
        return scale_.ticks(scale_.circle) > clock ? clock : clock << 32U;
    }

    // True if both say the same, of what is owed after it too.
    bool apply(const event& e) {
        return act(e) && equal("debt", model_.debt(e.now), cell_.log.debt(tick_of(e.now), rate_));
    }

    [[nodiscard]] const scenario& about() const { return scenario_; }
    [[nodiscard]] const log_scale<rate>& scale() const { return scale_; }
    [[nodiscard]] const log_model& model() const { return model_; }
    [[nodiscard]] const answer& last() const { return last_; }
    [[nodiscard]] integer latest() const { return latest_; }
    [[nodiscard]] const std::string& difference() const { return difference_; }

private:
    bool act(const event& e) {
        latest_ = std::max(latest_, e.now);
        const weir::tick now = tick_of(e.now);
        const auto n = static_cast<word>(e.n);
        auto& log = cell_.log;
        switch (e.what) {
            case action::reserve:  // a log does not
            case action::try_acquire:
                return same(model_.try_acquire(e.now, n), log.try_acquire(now, n, rate_));
            case action::charge: return same(model_.charge(e.now, n), log.charge(now, n, rate_));
            case action::peek: return same(model_.peek(e.now, n), log.peek(now, n, rate_));
            case action::acquire_up_to: {
                const partial should = model_.acquire_up_to(e.now, n);
                const auto is = log.acquire_up_to(now, n, rate_);
                return same(should.after, is.after) && equal("granted", should.units, is.units);
            }
            case action::fill:
                model_.fill(e.now, n);
                log.fill(now, n, rate_);
                forget_before(up(e.now));
                return true;
            case action::save: {
                saved_ = model_.save(e.now);
                const auto is = log.state(now, rate_);
                return equal("saved units", saved_->units, is.units) &&
                       equal("saved ticks", saved_->ticks, is.ticks);
            }
            case action::restore: return restore(e.now);
            case action::level: return true;  // a log has none
        }
        return false;
    }

    bool same(const answer& should, const typename Log::decision_type& d) {
        last_ = should;
        const answer is = answer_of(d);
        if (should == is) return true;
        difference_ = "model: " + text_of(should) + ", log: " + text_of(is);
        return false;
    }

    bool equal(const char* what, integer should, integer is) {
        if (should == is) return true;
        difference_ = std::string(what) + ": model " + text_of(should) + ", log " + text_of(is);
        return false;
    }

    bool restore(integer now) {
        if (!saved_) return true;
        const weir::cell_state<word> state = {static_cast<word>(saved_->units),
                                              static_cast<word>(saved_->ticks)};
        model_.restore(now, *saved_);
        forget_before(up(now) + up(saved_->ticks) - scale_.period);
        return equal("restored", 1, cell_.log.restore(tick_of(now), state, rate_) ? 1 : 0);
    }

    // What the log records for units that nobody took: longer ago than anybody can see.
    void forget_before(integer time) { long_ago_ = time - scale_.longest - scale_.circle / 8; }
    [[nodiscard]] integer up(integer ticks) const { return ceiling_of(ticks, scale_.ticks(1)); }

    scenario scenario_;
    rate rate_;
    log_scale<rate> scale_;
    log_with_places<Log> cell_;
    log_model model_;
    integer latest_;
    integer long_ago_ = 0;
    answer last_;
    std::optional<saved_state> saved_;
    std::string difference_;
};

}  // namespace oracle
