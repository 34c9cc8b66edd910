// SPDX-License-Identifier: MIT
// Refunds against an exact account of time: the axis on which a meter's tat moves, on paper, and
// random histories of a limiter beside it. Written from what a refund promises; slow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/limiter/limiter.hpp>

#include "dice.hpp"
#include "exact.hpp"
#include "scenario.hpp"
#include "shrink.hpp"

namespace oracle {

// What was admitted lies on the axis in the order of the calls, each in a span as long as its cost;
// what of it lies before now has drained. A refund takes out what of a span has not, and all that
// lies behind it moves up. Everything in fractions of a tick.
class refund_axis {
public:
    struct span {
        integer begin;
        integer end;
        integer start;  // as it was told when it was admitted
    };

    refund_axis(integer tat, integer depth) : first_(tat), tat_(tat), depth_(depth) {}

    [[nodiscard]] integer tat() const { return tat_; }
    [[nodiscard]] integer wait(integer now, integer cost) const {
        return std::max<integer>(std::max(tat_, now) + cost - now - depth_, 0);
    }
    std::size_t admit(integer now, integer cost) {
        const integer start = now + wait(now, cost);
        tat_ = std::max(tat_, now) + cost;
        spans_.push_back({tat_ - cost, tat_, start});
        return spans_.size() - 1;
    }

    [[nodiscard]] const span& at(std::size_t which) const { return spans_[which]; }
    [[nodiscard]] integer future(std::size_t which, integer now) const {
        const span& s = spans_[which];
        return std::max<integer>(s.end - std::max(s.begin, now), 0);
    }
    void give_back(std::size_t which, integer cost) {
        tat_ -= cost;
        spans_[which].end -= cost;
        for (std::size_t i = which + 1; i < spans_.size(); ++i) {
            spans_[i].begin -= cost;
            spans_[i].end -= cost;
        }
    }

    // What is left of all spans, each as one arrival at its start, through a GCRA that knows of no
    // refunds (I.371, virtual scheduling).
    [[nodiscard]] bool conforms() const {
        std::vector<span> arrivals = spans_;
        std::stable_sort(arrivals.begin(), arrivals.end(),
                         [](const span& a, const span& b) { return a.start < b.start; });
        integer tat = first_;
        for (const span& s : arrivals) {
            if (s.begin == s.end) continue;
            tat = std::max(tat, s.start) + s.end - s.begin;
            if (tat - s.start > depth_) return false;
        }
        return true;
    }

private:
    integer first_;
    integer tat_;
    integer depth_;
    std::vector<span> spans_;
};

// A cell that shows its word.
template <class Cell>
class showing : public Cell {
public:
    showing() noexcept { last_ = this; }
    [[nodiscard]] auto word() const noexcept { return this->load(); }
    [[nodiscard]] static const showing* last() noexcept { return last_; }

private:
    static inline const showing* last_ = nullptr;
};

enum class refund_action { try_acquire, charge, reserve, refund, reset, save, restore };

// Any run of events is a history: a refund's permit is counted among those that there are.
struct refund_event {
    refund_action what;
    integer now;
    std::uint64_t n;
    std::uint64_t which = 0;
    weir::nanoseconds patience;
};

[[nodiscard]] inline std::string text_of(const refund_event& e) {
    const char* const names[] = {"try_acquire", "charge", "reserve", "refund",
                                 "reset",       "save",   "restore"};
    std::string text = "at " + text_of(e.now) + " " + names[static_cast<int>(e.what)] + " " +
                       text_of(integer{e.n});
    if (e.what == refund_action::refund) text += " of permit " + text_of(integer{e.which});
    if (e.what == refund_action::reserve) {
        text += " within " + text_of(integer{e.patience.count()}) + " ns";
    }
    return text;
}

struct refund_tally {
    std::uint64_t histories = 0;
    std::uint64_t events = 0;
    std::uint64_t admitted = 0;
    std::uint64_t later = 0;    // reservations that start later
    std::uint64_t whole = 0;    // refunds of all that was asked for
    std::uint64_t part = 0;     // of some of it
    std::uint64_t nothing = 0;  // of nothing: all of it has drained
    std::uint64_t ended = 0;    // of a permit from before a reset
    std::uint64_t less = 0;     // of less than has not drained
};

// A limiter and the axis, side by side.
template <class Limiter>
class refund_duel {
public:
    using word = typename Limiter::cell_type::word_type;
    using rate = typename Limiter::rate;

    refund_duel(const scenario& s, integer now)
        : scenario_(s),
          rate_(*rate::make(s.quota(), Limiter::clock_type::hertz(), s.options)),
          limit_(s.quota(), s.options),
          cell_(showing<typename Limiter::cell_type::base>::last()),
          axis_(filled(now), depth()) {
        (void)limit_.peek(0, tick_at(now));  // it starts with this
    }

    bool apply(const refund_event& e, refund_tally& sum) {
        const instant now = tick_at(e.now);
        const bool never = integer{e.n} > scenario_.burst;
        const integer at = fractions(e.now);
        const integer cost = never ? 0 : integer{e.n} * integer{rate_.period()};
        const integer wait = never ? 1 : axis_.wait(at, cost);
        ++sum.events;
        switch (e.what) {
            case refund_action::try_acquire:
            case refund_action::charge: {
                const bool charged = e.what == refund_action::charge;
                const bool is = charged ? limit_.charge(e.n, now).admitted()
                                        : limit_.try_acquire(e.n, now).admitted();
                if (is != (wait == 0 || e.n == 0)) return differs("admitted", wait == 0, is);
                if (is && e.n > 0) axis_.admit(at, cost);
                if (is) ++sum.admitted;
                break;
            }
            case refund_action::reserve: {
                auto p = limit_.reserve(e.n, e.patience, now);
                const bool should = e.n == 0 || (!never && wait <= longest(e.patience));
                if (bool{p} != should) return differs("reserved", should, bool{p});
                if (!should || e.n == 0) break;
                if (p.start() != tick_at(e.now + ticks(wait))) {
                    return differs("start", e.now + ticks(wait), integer{p.start().count});
                }
                const std::size_t span = axis_.admit(at, cost);
                held_.push_back({std::move(p), span, axis_.tat(), cost, ends_, given_});
                ++sum.admitted;
                if (wait > 0) ++sum.later;
                break;
            }
            case refund_action::refund:
                if (held_.empty()) break;
                if (!refund(e, sum)) return false;
                break;
            case refund_action::reset:
                if (!ends_well()) return false;
                limit_.reset(now);
                begin(filled(e.now));
                break;
            case refund_action::save: saved_ = limit_.save(now); break;
            case refund_action::restore: {
                if (!saved_) break;
                if (!ends_well()) return false;
                if (!limit_.restore(*saved_, now)) return differs("restored", 1, 0);
                const integer time = integer{saved_->time.count()} * integer{hertz()};
                const integer most = integer{rate_.most_state().ticks};
                begin(fractions(e.now + std::min(ceiling_of(time, 1'000'000'000), most)));
                break;
            }
        }
        const auto should = static_cast<word>(static_cast<std::uint64_t>(axis_.tat()));
        if ((cell_->word() & ~tag) == (should & ~tag)) return true;
        return differs("tat", integer{should}, integer{cell_->word()});
    }

    // Do the admissions since the last reset conform?
    bool ends_well() { return axis_.conforms() || differs("conforms", 1, 0); }

    [[nodiscard]] const scenario& about() const { return scenario_; }
    [[nodiscard]] const rate& held() const { return rate_; }
    [[nodiscard]] const refund_axis& axis() const { return axis_; }
    [[nodiscard]] std::size_t permits() const { return held_.size(); }
    [[nodiscard]] const std::string& difference() const { return difference_; }
    // The span of one of the permits, if its generation lives.
    [[nodiscard]] std::optional<refund_axis::span> span_of(std::size_t which) const {
        const holding& h = held_[which];
        if (h.ends != ends_) return std::nullopt;
        return axis_.at(h.span);
    }
    [[nodiscard]] integer ticks(integer part) const {
        return ceiling_of(part, integer{1} << rate_.shift());
    }

private:
    struct holding {
        typename Limiter::permit_type permit;
        std::size_t span;
        integer until;  // where its span ended when it was granted,
        integer cost;
        std::uint64_t ends;  // how many resets there had been,
        integer given;       // and how much all refunds had given back
    };

    // No test of what a state's lowest bits are used for.
    static constexpr word tag = sizeof(word) == 8 ? 7 : 0;

    bool refund(const refund_event& e, refund_tally& sum) {
        const auto place = held_.begin() + static_cast<std::ptrdiff_t>(e.which % held_.size());
        holding h = std::move(*place);
        held_.erase(place);

        const integer at = fractions(e.now);
        const integer cost = std::min(integer{e.n} * integer{rate_.period()}, h.cost);
        const bool lives = h.ends == ends_;
        // No more than what has not drained. No less than if all that others have been given since
        // the grant had lain before it, or than nothing if it is not the last and somebody waits.
        const integer most = lives ? std::min(cost, axis_.future(h.span, at)) : 0;
        const integer end = h.until - (given_ - h.given);
        const bool kept = !lives || (axis_.tat() - at > depth() && end != axis_.tat());
        const integer least = kept ? 0 : std::clamp<integer>(end - at, 0, cost);

        const word before = cell_->word() & static_cast<word>(~tag);
        const weir::refunded asked = limit_.refundable(h.permit, e.n, tick_at(e.now));
        const weir::refunded is = limit_.refund(std::move(h.permit), e.n, tick_at(e.now));
        const auto back =
            integer{static_cast<word>(before - (cell_->word() & static_cast<word>(~tag)))};
        if (back > most) return differs("at most", most, back);
        if (back < least) return differs("at least", least, back);
        if (bool{is} != (back != 0)) return differs("said", back != 0, bool{is});
        const integer units = floor_of(back, integer{rate_.period()});
        if (integer{is.units()} != units) return differs("said", units, integer{is.units()});
        if (bool{asked} != bool{is}) return differs("could", bool{is}, bool{asked});
        if (asked.units() != is.units()) {
            return differs("could", integer{is.units()}, integer{asked.units()});
        }
        ++(!lives ? sum.ended : back == 0 ? sum.nothing : back < cost ? sum.part : sum.whole);
        if (back < most) ++sum.less;
        if (back > 0) axis_.give_back(h.span, back);
        given_ += back;
        return true;
    }

    void begin(integer tat) {
        ++ends_;
        axis_ = refund_axis(tat, depth());
    }

    bool differs(const char* what, integer should, integer is) {
        difference_ = std::string(what) + " " + text_of(should) + ", but " + text_of(is);
        return false;
    }

    [[nodiscard]] static std::uint64_t hertz() { return Limiter::clock_type::hertz(); }
    using instant = weir::instant<typename Limiter::clock_type>;
    [[nodiscard]] static instant tick_at(integer now) {
        return instant(static_cast<std::uint64_t>(now));
    }
    [[nodiscard]] integer fractions(integer now) const {
        return now * (integer{1} << rate_.shift());
    }
    [[nodiscard]] integer depth() const { return scenario_.burst * integer{rate_.period()}; }
    [[nodiscard]] integer filled(integer now) const {
        return fractions(now) + depth() - scenario_.start() * integer{rate_.period()};
    }
    [[nodiscard]] integer longest(weir::nanoseconds patience) const {
        const integer asked = integer{patience.count()} * integer{hertz()};
        const integer most = scenario_.options.queue == weir::options::by_guard
                                 ? integer{rate_.longest()}
                                 : scenario_.options.queue * integer{rate_.period()};
        return std::min(fractions(floor_of(asked, 1'000'000'000)), most);
    }

    scenario scenario_;
    rate rate_;
    Limiter limit_;
    const showing<typename Limiter::cell_type::base>* cell_;
    refund_axis axis_;
    std::vector<holding> held_;
    integer given_ = 0;
    std::uint64_t ends_ = 0;
    std::optional<weir::snapshot> saved_;
    std::string difference_;
};

// Quotas whose periods are whole or not, some with deep queues. What everybody asks back in one
// history stays far below the circle of a word, and so does its time.
[[nodiscard]] inline scenario any_refund_scenario(dice& chaos) {
    static constexpr std::pair<std::int64_t, std::int64_t> quotas[] = {
        {1, 1'000'000'000},     {3, 7'000'000'000},      {1'000, 1'000'000'000},
        {10, 1'000'000'000},    {7, 13'000'000},         {1'000'000, 1'000'000'000},
        {5, 3'600'000'000'000}, {333, 1'000'000'000'000}};
    scenario s;
    const auto& [units, period] = chaos.one_of(quotas);
    s.units = units;
    s.period = period;
    s.burst = 1 + static_cast<std::int64_t>(chaos.chance(70) ? chaos.roll(8) : chaos.roll(100));
    s.options.debt = 0;
    const auto face = chaos.roll(4);
    if (face == 0) s.options.queue = static_cast<std::int64_t>(chaos.roll(4));
    if (face > 1) s.options.queue = s.burst * static_cast<std::int64_t>(1 + chaos.roll(8));
    if (chaos.chance(20)) s.options.start = static_cast<std::int64_t>(chaos.up_to(s.burst));
    return s;
}

// At 0, where the word or the clock wraps, anywhere.
[[nodiscard]] inline integer any_refund_beginning(dice& chaos, unsigned shift) {
    const integer wrap = integer{1} << (64U - shift);
    switch (chaos.roll(4)) {
        case 0: return 0;
        case 1: return wrap - chaos.magnitude(wrap);
        case 2: return (integer{1} << 64U) - chaos.magnitude(wrap);
        default: return chaos.up_to(wrap);
    }
}

template <class Limiter>
[[nodiscard]] integer any_refund_instant(dice& chaos, const refund_duel<Limiter>& d,
                                         integer before) {
    const integer unit = d.ticks(integer{d.held().period()});
    const integer nudge = integer{chaos.roll(3)} - 1;
    const auto face = chaos.roll(100);
    integer now = before;
    if (face >= 50 && face < 56) now = before + 1 + integer{chaos.roll(3)};
    if (face >= 56 && face < 72) now = before + chaos.up_to(2 * unit);
    if (face >= 72 && face < 76) now = d.ticks(d.axis().tat()) + nudge;
    if (face >= 76 && face < 98 && d.permits() > 0) {
        if (const auto s = d.span_of(static_cast<std::size_t>(chaos.roll(d.permits())))) {
            const integer edges[] = {s->begin, s->end, s->start, (s->begin + s->end) / 2};
            now = d.ticks(chaos.one_of(edges)) + nudge;
        }
    }
    if (face >= 98) now = before + chaos.magnitude(100 * d.about().burst * unit);
    return std::max(now, before);
}

template <class Limiter>
[[nodiscard]] refund_event any_refund_event(dice& chaos, const refund_duel<Limiter>& d,
                                            integer before) {
    using enum refund_action;
    static constexpr refund_action usual[] = {reserve, reserve, reserve,     refund,
                                              refund,  refund,  try_acquire, try_acquire};
    static constexpr refund_action rare[] = {charge, reset, save, restore};
    refund_event e{chaos.chance(94) ? chaos.one_of(usual) : chaos.one_of(rare),
                   any_refund_instant(chaos, d, before), 1, chaos.next() >> 32U,
                   weir::nanoseconds::longest()};
    const auto burst = static_cast<std::uint64_t>(d.about().burst);
    const auto face = chaos.roll(100);
    if (face >= 30 && face < 90) e.n = 1 + chaos.roll(burst);
    if (face >= 90 && face < 98) e.n = burst;
    if (face == 98) e.n = burst + 1;
    if (face == 99) e.n = 0;
    if (e.what == refund && chaos.chance(60)) e.n = burst;
    if (e.what == reserve && chaos.chance(10)) {
        e.patience = weir::nanoseconds(static_cast<std::int64_t>(
            chaos.up_to(integer{d.about().period} / d.about().units * d.about().burst)));
    }
    return e;
}

// Nothing, or how limiter and axis came to disagree: the shortest run of events that still does.
template <class Limiter>
[[nodiscard]] std::optional<std::string> refund_disagreement(dice chaos, refund_tally& sum) {
    scenario about = any_refund_scenario(chaos);
    about.hertz = Limiter::clock_type::hertz();
    const auto rate = refund_duel<Limiter>::rate::make(about.quota(), Limiter::clock_type::hertz(),
                                                       about.options);
    if (!rate) return std::nullopt;
    const integer first = any_refund_beginning(chaos, rate->shift());

    std::vector<refund_event> events;
    std::optional<refund_duel<Limiter>> d;
    const auto fails = [&](const std::vector<refund_event>& some) {
        refund_tally none;
        d.emplace(about, some.empty() ? first : some.front().now);
        for (const refund_event& e : some) {
            if (!d->apply(e, none)) return true;
        }
        return !d->ends_well();
    };

    d.emplace(about, first);
    const std::uint64_t length = 4 + chaos.roll(36);
    const integer last = first + (integer{1} << (61U - rate->shift()));
    bool agree = true;
    integer now = first;
    while (agree && events.size() < length && now <= last && !chaos.over()) {
        events.push_back(any_refund_event(chaos, *d, now));
        now = events.back().now;
        agree = d->apply(events.back(), sum);
    }
    ++sum.histories;
    if (agree && d->ends_well()) return std::nullopt;

    events = shrunk(events, fails);
    (void)fails(events);
    std::string text = text_of(about) + "; start " + text_of(about.start()) + ", queue " +
                       text_of(integer{about.options.queue}) + "; period " +
                       text_of(integer{rate->period()}) + " / 2^" + std::to_string(rate->shift()) +
                       " ticks\n";
    for (const refund_event& e : events) text += text_of(e) + "\n";
    return text + d->difference();
}

}  // namespace oracle
