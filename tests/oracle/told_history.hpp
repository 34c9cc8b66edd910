// SPDX-License-Identifier: MIT
// Random histories of a cell that is told now and then what a server says is left. Beside it lie
// the server's own ledger and the exact model of the quota, which is told nothing: whatever the
// cell lets pass, both let pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/obeyed.hpp>

#include "dice.hpp"
#include "duel.hpp"
#include "history.hpp"
#include "log_duel.hpp"
#include "log_history.hpp"
#include "scenario.hpp"
#include "server_ledger.hpp"
#include "shape.hpp"

namespace oracle {

// Its time has granules that are longer than a tick, as that of a keyed table: no model follows it.
template <class Rate>
inline constexpr bool is_coarse = false;
template <class Word, unsigned TagBits>
inline constexpr bool is_coarse<weir::backlog_rate<Word, TagBits>> = (TagBits >
                                                                      weir::refund_tag_bits<Word>);
// What of a word is a tag, which changes although the state does not.
template <class Rate>
inline constexpr unsigned tag_bits = 0;
template <class Word, unsigned TagBits>
inline constexpr unsigned tag_bits<weir::backlog_rate<Word, TagBits>> = TagBits;
template <class Word, unsigned TagBits>
    requires is_coarse<weir::backlog_rate<Word, TagBits>>
[[nodiscard]] meter_model model_of(const weir::backlog_rate<Word, TagBits>& r, const scenario& s) {
    return meter_model({integer{r.period()}, r.shift(), s.burst, s.debt(), integer{r.longest()}});
}

struct told_tally {
    std::uint64_t events = 0;
    std::uint64_t histories = 0;
    std::uint64_t admitted = 0;
    std::uint64_t denied = 0;
    std::uint64_t late = 0;
    std::uint64_t outcomes[3]{};  // of `obeyed`
    std::uint64_t obeying = 0;    // admitted while the server's word is open
};

// The cell, its rate and how late a clock may be.
template <class Cell>
struct told_subject {
    using word = typename Cell::word_type;

    static opening<Cell> any(dice& chaos) {
        std::uint64_t refused = 0;
        return any_opening<Cell>(chaos, refused);
    }
    explicit told_subject(const opening<Cell>& o)
        : guard(guard_of<Cell>(o.about, o.rate)), model(model_of(o.rate, o.about)) {}

    Cell& cell() { return own; }

    Cell own;
    integer guard;
    decltype(model_of(typename Cell::rate{}, scenario{})) model;
};
template <weir::log_cell Cell>
struct told_subject<Cell> {
    using word = typename Cell::word_type;

    static opening<Cell> any(dice& chaos) {
        for (;;) {
            const scenario s = any_log_scenario(chaos);
            const auto rate = Cell::rate::make(s.quota(), s.hertz, s.options);
            if (rate) return {s, *rate, chaos.magnitude(integer{1} << 60U)};
        }
    }
    explicit told_subject(const opening<Cell>& o)
        : own(static_cast<std::size_t>(o.about.burst)),
          guard(log_scale(o.rate).guard()),
          model({o.about.burst, integer{o.rate.period()}, o.rate.coarseness(),
                 log_scale(o.rate).debt, integer{o.rate.most_state().ticks}}) {}

    Cell& cell() { return own.log; }

    log_with_places<Cell> own;
    integer guard;
    log_model model;
};

template <class Cell>
class told_history {
    using word = typename Cell::word_type;
    // Where a word may begin a window or a portion of its own, the model cannot follow it: then no
    // more than this may pass in any span of time.
    static constexpr bool has_windows = [] {
        if constexpr (weir::log_cell<Cell>) {
            return false;
        } else {
            return family_of<typename Cell::rate> == family::own_windows;
        }
    }();
    static constexpr bool has_granules = is_coarse<typename Cell::rate>;
    static constexpr bool has_portions = requires(const typename Cell::rate r) { r.portion(); };

public:
    told_history(const opening<Cell>& o, told_tally& sum)
        : about_(o.about),
          rate_(o.rate),
          subject_(o),
          sum_(sum),
          latest_(o.now),
          now_(o.now),
          begin_(o.now) {
        subject_.cell().start(tick_of(now_), static_cast<word>(about_.start()), rate_);
        subject_.model.fill(now_, about_.start());
    }

    // Nothing, or what went wrong.
    std::optional<std::string> step(dice& chaos) {
        now_ = any_instant(chaos);
        if (now_ < latest_) ++sum_.late;
        latest_ = std::max(latest_, now_);
        ++sum_.events;
        const auto n = static_cast<word>(any_units(chaos));
        const word before = shown();
        auto wrong = act(chaos, n);
        // Who comes later with a late clock meets what has been written now.
        if (shown() != before || weir::log_cell<Cell>) {
            ledger_.see(now_);
            seen_ = std::max(seen_, now_);
        }
        return wrong;
    }

    // The last events.
    [[nodiscard]] std::string story() const {
        std::string all;
        for (const std::string& line : story_) all += "\n" + line;
        return all;
    }

private:
    std::optional<std::string> act(dice& chaos, word n) {
        const auto face = chaos.roll(100);
        if (face < 60)
            return pass(n, subject_.cell().try_acquire(tick_of(now_), n, rate_).admitted());
        if (face < 75) {
            const auto g = subject_.cell().acquire_up_to(tick_of(now_), n, rate_);
            return pass(g.units, g.units != 0);
        }
        if (face < 78) return charge(n);
        return tell(chaos, n);
    }

    // The cell's word without its tag; a log has many words.
    [[nodiscard]] word shown() {
        if constexpr (weir::log_cell<Cell>) {
            return 0;
        } else {
            return subject_.own.seen() >> tag_bits<typename Cell::rate>;
        }
    }

    void note(const std::string& line) {
        story_.push_back("at " + text_of(now_) + " " + line);
        if (story_.size() > 20) story_.pop_front();
    }

    [[nodiscard]] integer period() const { return ticks_of_period(rate_); }
    [[nodiscard]] integer portion() const {
        if constexpr (has_portions) return integer{rate_.portion()};
        return 1;
    }
    [[nodiscard]] bool may_follow() const {
        return !has_windows && !has_granules && portion() == 1;
    }
    // In which so many units come.
    [[nodiscard]] integer time_of(integer units) const {
        if constexpr (weir::log_cell<Cell> || counts_windows<Cell>) {
            return period() * units / about_.burst;
        } else {
            return (units / portion() * period_of(rate_)) >> shift_of(rate_);
        }
    }
    [[nodiscard]] integer any_instant(dice& chaos) const {
        const auto face = chaos.roll(100);
        integer now = latest_;
        if (face < 30)
            now = latest_;
        else if (face < 45)
            now += chaos.up_to(2 * (time_of(1) + 1));
        else if (face < 65)
            now += chaos.up_to(time_of(about_.burst) + 1);
        else if (face < 75)
            now = std::max(latest_, last_reset_ - 1 + integer{chaos.roll(3)});
        else if (face < 85)
            now = std::max(latest_, last_reset_ - chaos.magnitude(time_of(about_.burst)));
        else if (face < 88)
            now += chaos.magnitude(4 * time_of(about_.burst) + 1);
        else
            now -= chaos.magnitude(subject_.guard);
        const integer earliest = std::max<integer>(latest_ - subject_.guard, 0);
        return std::clamp(now, earliest, std::max(latest_, end()));
    }
    // A log's times come round: it may then take what it recorded long ago for the present.
    [[nodiscard]] integer end() const {
        const integer clock = (integer{1} << 62U) - 1;
        if constexpr (weir::log_cell<Cell>) {
            const log_scale<typename Cell::rate> scale(rate_);
            return std::min(clock, begin_ + scale.ticks(scale.circle) / 2);
        }
        return clock;
    }

    [[nodiscard]] integer any_units(dice& chaos) const {
        const auto face = chaos.roll(100);
        const integer burst = about_.burst;
        integer n = 1;
        if (face < 35)
            n = 1;
        else if (face < 45)
            n = burst;
        else if (face < 50)
            n = 0;
        else if (face < 52)
            n = burst + 1;
        else if (face < 80)
            n = chaos.up_to(burst);
        else
            n = chaos.magnitude(burst);
        return std::min(n, integer{weir::largest<word>});
    }

    std::optional<std::string> pass(integer units, bool admitted) {
        ++(admitted ? sum_.admitted : sum_.denied);
        if (!admitted || units == 0) return std::nullopt;
        note(text_of(units) + " pass");
        if (ledger_.open() != 0) ++sum_.obeying;
        if (!ledger_.pass(now_, units)) return "more passes than the server said";
        if (follows_model_) {
            const auto let = [units](auto& model, integer at) {
                return model.try_acquire(at, units);
            };
            if (!model_lets(let)) return "more passes than the quota allows";
        } else if (!conforms(units)) {
            return "more passes than any limit of this quota lets pass";
        }
        return std::nullopt;
    }

    // To a late clock a window that somebody has seen begin has begun already.
    template <class Act>
    [[nodiscard]] bool model_lets(Act act) {
        auto tried = subject_.model;
        const bool now = act(tried, now_).verdict == outcome::admitted;
        return act(subject_.model, now ? now_ : std::max(now_, seen_)).verdict == outcome::admitted;
    }

    // What was done anyway: the server counts it, but has not been asked.
    std::optional<std::string> charge(word n) {
        if (!subject_.cell().charge(tick_of(now_), n, rate_).admitted()) return std::nullopt;
        note(text_of(integer{n}) + " are charged");
        const auto let = [n](auto& model, integer at) { return model.charge(at, n); };
        if (follows_model_ && !model_lets(let)) return "more is charged than the quota allows";
        return std::nullopt;
    }

    std::optional<std::string> tell(dice& chaos, word n) {
        const bool lowers = chaos.chance(60);
        const auto reset = static_cast<word>(any_reset(chaos));
        integer told = n;
        if (chaos.chance(20)) told = chaos.magnitude(integer{4} * about_.burst);
        if (chaos.chance(3)) told = integer{weir::largest<word>};
        const auto units = static_cast<word>(std::min(told, integer{weir::largest<word>}));
        const word before = shown();
        const auto t = lowers ? subject_.cell().lower_remaining(tick_of(now_), units, reset, rate_)
                              : subject_.cell().set_remaining(tick_of(now_), units, reset, rate_);
        ++sum_.outcomes[static_cast<std::size_t>(t.how)];
        note((lowers ? "at most " : "told ") + text_of(integer{units}) + " until " +
             text_of(integer{reset}) + " later: " + weir::describe(t.how) + ", for " +
             text_of(integer{t.ticks}) + ", " + text_of(integer{t.after.remaining()}) + " remain");
        if (t.how != weir::obeyed::in_part && t.ticks != reset) return "the time is not the whole";
        if (t.how == weir::obeyed::in_part && t.ticks > reset)
            return "it is obeyed beyond the reset";
        if (integer{t.after.remaining()} > integer{units}) return "more remain than were told";
        if (!lowers && reset == 0 &&
            integer{t.after.remaining()} != std::min<integer>(units, about_.burst))
            return "what was told is not there";
        const bool is_unchanged =
            weir::log_cell<Cell> ? t.how != weir::obeyed::whole : shown() == before;
        if (!lowers) ledger_.forget();
        last_reset_ = now_ + integer{t.ticks};
        ledger_.told(now_, integer{units}, integer{t.ticks},
                     t.how == weir::obeyed::needless || is_unchanged);
        // From here on as if nothing had come before.
        if (!lowers) {
            subject_.model.fill(now_, about_.burst);
            passed_.clear();
            seen_ = now_;
        }
        follows_model_ = may_follow() && (lowers ? follows_model_ : !has_portions);
        return std::nullopt;
    }

    integer any_reset(dice& chaos) const {
        const integer most = integer{weir::largest<word>};
        const auto face = chaos.roll(100);
        integer reset = 0;
        if (face < 20)
            reset = 0;
        else if (face < 50)
            reset = chaos.up_to(period());
        else if (face < 60)
            reset = period() * integer{1 + chaos.roll(4)} + integer{chaos.roll(3)} - 1;
        else if (face < 75)
            reset = chaos.up_to(2 * time_of(about_.burst) + 1);
        else if (face < 95)
            reset = chaos.magnitude(8 * time_of(about_.burst) + 1);
        else if (face < 98)
            reset = chaos.magnitude(most);
        else
            reset = most;
        return std::clamp<integer>(reset, 0, most);
    }

    // No thread is later than the latest time that another one has seen.
    [[nodiscard]] bool conforms(integer units) {
        seen_ = std::max(seen_, now_);
        passed_.push_back({seen_, 0});
        if (passed_.size() > 64) passed_.pop_front();
        bool fits = true;
        for (auto& p : passed_) {
            p.units += units;
            const integer span = (seen_ - p.at) << shift_of(rate_);
            const integer all = period_of(rate_);
            integer most = about_.burst + portion() * (span / all + 1);
            if (has_windows) most = about_.burst * (span / all + 2);
            fits = fits && p.units <= most;
        }
        return fits;
    }

    struct passage {
        integer at;
        integer units;  // since then, then included
    };

    scenario about_;
    typename Cell::rate rate_;
    told_subject<Cell> subject_;
    server_ledger ledger_;
    told_tally& sum_;
    integer latest_;
    integer now_;
    integer begin_;
    integer last_reset_ = 0;
    bool follows_model_ = may_follow();
    integer seen_ = 0;  // the latest time since it began anew
    std::deque<passage> passed_;
    std::deque<std::string> story_;
};

}  // namespace oracle
