// SPDX-License-Identifier: MIT
// class_time: the time of a class of a keyed table, and what the words of keys mean in it.
//
// The time counts units: see own_time.hpp. A unit is 2^37 grains there, whatever the quota is, and
// `pace` says how that time runs against the clock. So a change of a quota touches no key, and each
// keeps as many units as it has. The cell's time is the pace's less the burst, so that holds for
// another burst too.
//
// A key's word says its class, since another key that wants its place has to know in whose time it
// lies. It says so in the lowest bits of its time, instead of a part of a unit: in a table with
// two classes times are rounded down to 1/4096 of a unit, and with 16 to 1/512.
//
//     established  tat (40 - bits)   class (bits)   tag     0
//
// If a key comes with another class than its word has, its word is moved into the time of the new
// class, as many units from now as before. It is written when units are taken.
//
// Claims have a time that all classes share: the clock's, in a second or two.
//
// It needs 64-bit words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/own_time.hpp>
#include <weir/limiter/pace.hpp>
#include <weir/table/key_word.hpp>

namespace weir {

template <std::size_t Classes>
struct key_classes {
    static_assert(Classes >= 1 && Classes <= 16, "a keyed table has up to 16 classes");

    static constexpr unsigned bits = static_cast<unsigned>(std::bit_width(Classes - 1));
    using rate = backlog_rate<std::uint64_t, key_word::tag_bits + bits>;

    // What a time is rounded to, and what of a word is not time.
    static constexpr std::uint64_t granule = std::uint64_t{1} << (key_word::tag_bits + bits);
    static constexpr std::uint64_t below = granule - 1;

    [[nodiscard, gnu::always_inline]] static constexpr std::size_t
    class_of(std::uint64_t state) noexcept {
        return static_cast<std::size_t>((state & below) >> key_word::tag_bits);
    }
    [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t
    with_class(std::uint64_t time, std::size_t of_class) noexcept {
        return (time & ~(below & key_word::tat_mask)) | std::uint64_t{of_class}
                                                            << key_word::tag_bits;
    }
};

inline constexpr unsigned class_grain_bits = 37;
inline constexpr std::uint64_t class_unit = std::uint64_t{1} << class_grain_bits;

// What is in force of a class.
struct class_setting {
    weir::pace pace;
    std::int64_t units;
    std::int64_t period;
    std::int64_t burst;
    std::uint64_t debt;
    // So many grains after a key's time its place may go to another key: burst and guard. A larger
    // burst or a faster pace counts until whoever is late by the guard knows of the change.
    std::uint64_t kept;
    std::uint64_t kept_before;
    tick kept_until;

    [[nodiscard]] constexpr std::uint64_t kept_at(tick now) const noexcept {
        return earlier(now, kept_until) ? kept_before : kept;
    }
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t burst_in_grains() const noexcept {
        return static_cast<std::uint64_t>(burst) << class_grain_bits;
    }
    // The cell's time.
    [[nodiscard, gnu::always_inline]] constexpr tick at(tick now) const noexcept {
        return {pace.grains_at(now) - burst_in_grains()};
    }
    // In ticks, and one at least: until so many grains have come.
    [[nodiscard]] constexpr std::int64_t until(tick now, std::uint64_t grains) const noexcept {
        const std::uint64_t ticks = smaller(pace.until(now, grains), std::uint64_t{INT64_MAX});
        return ticks == 0 ? 1 : static_cast<std::int64_t>(ticks);
    }
};

// A wait for units is in grains, as all that the cell answers. A wait for a place is in ticks.
class [[nodiscard]] class_decision : public paced_decision {
public:
    static constexpr std::uint64_t of_place = std::uint64_t{1} << 63U;

    constexpr class_decision(const decision<word>& d, const pace& p, tick now) noexcept
        : paced_decision(d, p, now), wait_(d.retry_after()) {}

    [[nodiscard]] constexpr word retry_after() const noexcept {
        const bool waits_for_place = verdict() == verdict::wait && (wait_ & of_place) != 0;
        return waits_for_place ? wait_ & ~of_place : paced_decision::retry_after();
    }

private:
    word wait_;
};

template <std::size_t Classes, clock Clock>
class key_class;

// The words of a table's places at a time, see `key_times`. From 0 down, "until free" is in grains.
template <std::size_t Classes, clock Clock>
class class_times {
    using classes = key_classes<Classes>;

public:
    class_times(const key_class<Classes, Clock>* all, tick now) noexcept
        : class_times(all, now, std::make_index_sequence<Classes>{}) {}

    [[nodiscard]] std::uint64_t of_claims() const noexcept { return of_claims_; }

    [[nodiscard]] std::int64_t until_free(std::uint64_t state, bool how_long) const noexcept {
        if (state == 0) return INT64_MIN;
        if (key_word::is_claim(state)) return key_word::until_abandoned(state, of_claims_);
        const time& its = of(state);
        const std::uint64_t guard = its.setting.kept_at(now_) - its.setting.burst_in_grains();
        const std::uint64_t left = its.ahead(state) + guard;
        if (left == 0 || left > largest<std::uint64_t> / 2) return static_cast<std::int64_t>(left);
        if (left > horizon_ + guard) return INT64_MIN;  // a relic
        return how_long ? its.until(left, now_) : 1;
    }
    // In ticks, and marked as such: see `class_decision`.
    [[nodiscard]] static std::uint64_t wait(std::int64_t until) noexcept {
        return static_cast<std::uint64_t>(until) | class_decision::of_place;
    }
    [[nodiscard]] static std::uint64_t forgiven(std::int64_t until) noexcept {
        return static_cast<std::uint64_t>(until);
    }

    [[nodiscard]] std::uint64_t busy(std::uint64_t state) const noexcept {
        if (state == 0 || key_word::is_claim(state)) return 0;
        const time& its = of(state);
        const std::uint64_t ahead = its.ahead(state);
        if (ahead == 0 || ahead > horizon_) return 0;
        return static_cast<std::uint64_t>(its.until(ahead, now_));
    }
    [[nodiscard]] static std::uint64_t ticks(std::uint64_t forgiven) noexcept { return forgiven; }

private:
    struct time {
        class_setting setting;
        std::uint64_t at;  // that of the cell

        // So many grains after now, rounded down, the key is idle.
        [[nodiscard]] std::uint64_t ahead(std::uint64_t state) const noexcept {
            return (state & ~classes::below) - (at & ~classes::below);
        }
        [[nodiscard]] std::int64_t until(std::uint64_t ahead, tick now) const noexcept {
            return setting.until(now, ahead - (at & classes::below));
        }
    };

    template <std::size_t... I>
    class_times(const key_class<Classes, Clock>* all, tick now,
                std::index_sequence<I...> /*all*/) noexcept
        : its_{time{all[I].setting(), 0}...},
          now_(now),
          of_claims_(all->of_claims(now)),
          horizon_(all->horizon()) {
        for (time& t : its_) t.at = t.setting.at(now).count;
    }

    [[nodiscard]] const time& of(std::uint64_t state) const noexcept {
        return its_[classes::class_of(state)];
    }

    time its_[Classes];
    tick now_;
    std::uint64_t of_claims_;
    std::uint64_t horizon_;
};

// Of a key that comes with this class. States of other classes are understood.
template <std::size_t Classes, clock Clock>
class class_rate : public key_classes<Classes>::rate {
    using classes = key_classes<Classes>;
    using base = typename classes::rate;
    using state_word = std::uint64_t;

public:
    class_rate() noexcept = default;
    [[gnu::always_inline]] class_rate(const key_class<Classes, Clock>& own, const class_setting& s,
                                      tick clock_time) noexcept
        : base(base::in_units(class_unit, static_cast<state_word>(s.burst), s.debt,
                              own.horizon() >> class_grain_bits)),
          own_(&own),
          clock_time_(clock_time) {}

    [[nodiscard, gnu::always_inline]] step<state_word> take(state_word state, tick now,
                                                            state_word n) const noexcept {
        return waits_as_before(state, base::take(in_own_time(state), now, n));
    }
    [[nodiscard, gnu::always_inline]] step<state_word> charge(state_word state, tick now,
                                                              state_word n) const noexcept {
        return waits_as_before(state, base::charge(in_own_time(state), now, n));
    }
    [[nodiscard]] lowered_to<state_word> lowered(state_word state, tick now, state_word units,
                                                 state_word reset, bool anew) const noexcept {
        return base::lowered(in_own_time(state), now, units, reset, anew);
    }
    [[nodiscard]] state_word debt(state_word state, tick now) const noexcept {
        return base::debt(in_own_time(state), now);
    }
    [[nodiscard, gnu::always_inline]] state_word at(tick now) const noexcept {
        return classes::with_class(base::at(now), own_->number());
    }
    [[nodiscard]] state_word filled(tick now, state_word units) const noexcept {
        return classes::with_class(base::filled(now, units), own_->number());
    }

    [[nodiscard]] class_times<Classes, Clock> times() const noexcept {
        return {own_->first(), clock_time_};
    }

private:
    // A refusal writes nothing. So until the key takes some, its units come as fast as in the class
    // that its word has, and the wait is told by that: in ticks, up to the next granule.
    [[nodiscard, gnu::always_inline]] step<state_word>
    waits_as_before(state_word state, step<state_word> s) const noexcept {
        if constexpr (Classes > 1) {
            const std::size_t its_class = classes::class_of(state);
            if (its_class != own_->number() && s.verdict == verdict::wait) [[unlikely]]
                s.wait = wait_in(its_class, s.wait);
        }
        return s;
    }
    [[nodiscard, gnu::noinline, gnu::cold]] state_word wait_in(std::size_t its_class,
                                                               state_word grains) const noexcept {
        const class_setting its = own_->first()[its_class].setting();
        return class_times<Classes, Clock>::wait(its.until(clock_time_, grains + classes::granule));
    }
    [[nodiscard, gnu::always_inline]] state_word in_own_time(state_word state) const noexcept {
        if constexpr (Classes == 1) return state;
        if (classes::class_of(state) == own_->number()) [[likely]]
            return state;
        return moved(*own_, state, clock_time_);
    }
    // As many units as before, to the granule. A pace tells nothing of the time before it began, so
    // whoever is late looks at both classes when both have begun.
    [[nodiscard, gnu::noinline, gnu::cold]] static state_word
    moved(const key_class<Classes, Clock>& own, state_word state, tick clock_time) noexcept {
        const pace from = own.first()[classes::class_of(state)].setting().pace;
        const pace to = own.setting().pace;
        tick at = clock_time;
        if (earlier(at, from.begin())) at = from.begin();
        if (earlier(at, to.begin())) at = to.begin();
        const state_word by =
            (to.grains_at(at) & ~classes::below) - (from.grains_at(at) & ~classes::below);
        return classes::with_class(state + by, own.number());
    }

    const key_class<Classes, Clock>* own_ = nullptr;
    tick clock_time_;
};

}  // namespace weir
