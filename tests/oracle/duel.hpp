// SPDX-License-Identifier: MIT
// A cell and its model, side by side: the same event to both, and do they say the same?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

#include "answer.hpp"
#include "bucket_model.hpp"
#include "exact.hpp"
#include "meter_model.hpp"
#include "scenario.hpp"
#include "shape.hpp"
#include "sliding_model.hpp"
#include "window_model.hpp"

namespace oracle {

enum class action { try_acquire, acquire_up_to, charge, reserve, peek, fill, save, restore, level };

struct event {
    action what;
    integer now;
    std::uint64_t n;
    std::uint64_t patience = 0;  // ticks that a reservation may wait
};

[[nodiscard]] inline std::string text_of(const event& e) {
    const char* const names[] = {"try_acquire", "acquire_up_to", "charge",  "reserve", "peek",
                                 "fill",        "save",          "restore", "level"};
    const std::string text = "at " + text_of(e.now) + " " + names[static_cast<int>(e.what)] + " " +
                             text_of(integer{e.n});
    return e.what == action::reserve ? text + " within " + text_of(integer{e.patience}) : text;
}

// The model takes the period as the cell holds it; tests of their own bound it.
template <class Word>
[[nodiscard]] meter_model model_of(const weir::backlog_rate<Word>& r, const scenario& s) {
    return meter_model({integer{r.period()}, r.shift(), s.burst, s.debt(), integer{r.longest()}});
}
template <class Word>
[[nodiscard]] bucket_model model_of(const weir::token_bucket_rate<Word>& r, const scenario& s) {
    return bucket_model({integer{r.period()}, r.shift(), integer{r.portion()}, s.burst, s.debt(),
                         integer{r.longest()}, s.promised()});
}
template <class Word, weir::opens When>
[[nodiscard]] window_model model_of(const weir::window_rate<Word, When>& r, const scenario& s) {
    using enum window_model::opens;
    const bool by_clock = When == weir::opens::with_clock;
    return window_model({integer{r.period()}, r.shift(), s.burst, s.debt(),
                         by_clock ? with_clock : with_first_action});
}
template <class Word>
[[nodiscard]] sliding_model model_of(const weir::sliding_window_rate<Word>& r, const scenario& s) {
    return sliding_model({integer{r.period()}, r.coarseness(), s.burst, s.debt()});
}

// Each rule needs a model of its own, but what shares a rule shares the model.
template <class Rate>
concept has_model = requires(const Rate r, const scenario s) {
    model_of(r, s);
};

template <weir::answer Decision>
[[nodiscard]] answer answer_of(const Decision& d) {
    answer a{outcome::admitted, integer{d.remaining()}, integer{d.reset_after()},
             integer{d.retry_after()}};
    if (d.verdict() == weir::verdict::wait) a.verdict = outcome::wait;
    if (d.verdict() == weir::verdict::never) {
        a.verdict = outcome::never;
        const auto forever = weir::largest<typename Decision::word_type>;
        a.retry_after = d.retry_after() == forever ? 0 : -1;
    }
    return a;
}

[[nodiscard]] inline weir::tick tick_of(integer now) {
    return {static_cast<weir::word>(static_cast<std::uint64_t>(now))};
}

template <class Cell>
class duel {
public:
    using word = typename Cell::word_type;
    using rate = typename Cell::rate;
    static_assert(has_model<rate>,
                  "this cell's rule has no exact model: write one beside meter_model.hpp and add a "
                  "model_of() that makes it to duel.hpp");
    using model = decltype(model_of(rate{}, scenario{}));

    duel(const scenario& s, const rate& r, integer now)
        : scenario_(s),
          rate_(r),
          guard_(guard_of<Cell>(s, r)),
          ahead_(furthest_ahead_of<Cell>(s, r)),
          model_(model_of(r, s)),
          latest_(now) {
        cell_.start(tick_of(now), static_cast<word>(s.start()), rate_);
        model_.fill(now, s.start());
    }

    // From the latest time that the cell has seen minus its guard to where a word that wraps would
    // take the idle state for a busy one (two ticks, or two windows, for what is rounded). Outside,
    // less is promised.
    [[nodiscard]] integer earliest() const { return std::max<integer>(latest_ - guard_, 0); }
    [[nodiscard]] integer furthest() const {
        if constexpr (follows_clock<Cell>) {
            const integer window = ticks_of_period(rate_);
            const integer ahead = ceiling_of(ahead_, window) + 2;
            const integer last = model_.number() + window_numbers<Cell>(scenario_) - ahead;
            return std::min(last * window, end_of_clock) - 1;
        } else {
            const integer circle = integer{1} << weir::bits_of<word>;
            const integer ahead = model_.reach() + ((ahead_ + 2) << rate_.shift());
            return (model_.instant() + circle - ahead - 1) >> rate_.shift();
        }
    }
    // How often the word has come round until then.
    [[nodiscard]] integer turns(integer now) const {
        if constexpr (follows_clock<Cell>) {
            return now / ticks_of_period(rate_) / window_numbers<Cell>(scenario_);
        } else {
            return (now << rate_.shift()) >> weir::bits_of<word>;
        }
    }
    // Time is up: the next instant lies beyond what is promised, or beyond the clock.
    [[nodiscard]] bool over() const {
        return furthest() < latest_ || (follows_clock<Cell> && latest_ == end_of_clock - 1);
    }
    [[nodiscard]] bool allows(const event& e) const {
        return e.now >= earliest() && e.now <= furthest();
    }

    [[nodiscard]] std::string time_as_held() const {
        return "period " + text_of(integer{rate_.period()}) + " * 2^" +
               std::to_string(step_of(rate_)) + " / 2^" + std::to_string(shift_of(rate_)) +
               " ticks";
    }

    // True if both say the same, of what is owed after it too.
    bool apply(const event& e) {
        return act(e) && equal("debt", model_.debt(e.now), cell_.debt(tick_of(e.now), rate_));
    }

    [[nodiscard]] Cell& cell() { return cell_; }
    [[nodiscard]] const answer& last() const { return last_; }
    [[nodiscard]] integer latest() const { return latest_; }
    [[nodiscard]] integer guard() const { return guard_; }
    [[nodiscard]] const rate& held() const { return rate_; }
    [[nodiscard]] const scenario& about() const { return scenario_; }
    [[nodiscard]] const std::string& difference() const { return difference_; }

private:
    bool act(const event& e) {
        latest_ = std::max(latest_, e.now);
        const weir::tick now = tick_of(e.now);
        const auto n = static_cast<word>(e.n);
        switch (e.what) {
            case action::try_acquire:
                return same(model_.try_acquire(e.now, n), cell_.try_acquire(now, n, rate_));
            case action::charge: return same(model_.charge(e.now, n), cell_.charge(now, n, rate_));
            case action::peek: return same(model_.peek(e.now, n), cell_.peek(now, n, rate_));
            case action::acquire_up_to: {
                const partial should = model_.acquire_up_to(e.now, n);
                const auto is = cell_.acquire_up_to(now, n, rate_);
                return same(should.after, is.after) && equal("granted", should.units, is.units);
            }
            case action::reserve: return reserve(e, now, n);
            case action::fill:
                model_.fill(e.now, n);
                cell_.fill(now, n, rate_);
                return true;
            case action::save: {
                saved_ = model_.save(e.now);
                const auto is = cell_.state(now, rate_);
                return equal("saved units", saved_->units, is.units) &&
                       equal("saved ticks", saved_->ticks, is.ticks);
            }
            case action::restore: return restore(e.now);
            case action::level: return same_level(e.now);
        }
        return false;
    }

    bool same(const answer& should, const weir::answer auto& d) {
        last_ = should;
        const answer is = answer_of(d);
        if (should == is) return true;
        difference_ = "model: " + text_of(should) + ", cell: " + text_of(is);
        return false;
    }

    bool equal(const char* what, integer should, integer is) {
        if (should == is) return true;
        difference_ = std::string(what) + ": model " + text_of(should) + ", cell " + text_of(is);
        return false;
    }

    // Cells that cannot reserve look instead.
    bool reserve(const event& e, weir::tick now, word n) {
        if constexpr (requires { cell_.reserve(now, n, n, rate_); }) {
            const auto patience = static_cast<word>(e.patience);
            return same(model_.reserve(e.now, n, patience),
                        rate_.answer(cell_.reserve(now, n, patience, rate_), now));
        } else {
            return same(model_.peek(e.now, n), cell_.peek(now, n, rate_));
        }
    }

    bool restore(integer now) {
        if (!saved_) return true;
        const weir::cell_state<word> state = {static_cast<word>(saved_->units),
                                              static_cast<word>(saved_->ticks)};
        model_.restore(now, *saved_);
        return equal("restored", 1, cell_.restore(tick_of(now), state, rate_) ? 1 : 0);
    }

    bool same_level(integer now) {
        if constexpr (requires { cell_.level(weir::tick{}, rate_); }) {
            return equal("level", model_.level(now), cell_.level(tick_of(now), rate_));
        }
        return true;
    }

    scenario scenario_;
    rate rate_;
    integer guard_;
    integer ahead_;
    Cell cell_;
    model model_;
    integer latest_;
    answer last_;
    std::optional<saved_state> saved_;
    std::string difference_;
};

}  // namespace oracle
