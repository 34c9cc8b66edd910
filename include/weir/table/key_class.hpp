// SPDX-License-Identifier: MIT
// key_class: a quota for each class of a keyed table, which can change while others acquire.
//
// A change writes one value, which decisions read whole: see exchanged.hpp. It touches no key, as
// keys live in the time of their class: see class_time.hpp.
//
// As an adjustable limit's, a decision reads the clock first and the quota after it. Whoever
// changes the quota reads the clock before the new one is there. If it stops in between, what the
// new rate brings meanwhile comes at once when it goes on, up to the burst. It needs 64-bit words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/exchanged.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/pace.hpp>
#include <weir/table/class_time.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/keyed_options.hpp>

namespace weir {

// One class of a table. All of them lie in one array.
template <std::size_t Classes, clock Clock>
class key_class {
    using classes = key_classes<Classes>;

public:
    using clock_type = Clock;
    using decision_type = class_decision;
    using rate_type = class_rate<Classes, Clock>;
    struct place {};
    static constexpr bool changes = true;

    class in_force {
    public:
        template <class Cells>
        [[gnu::always_inline]] in_force(const key_class& c, Cells, tick now) noexcept
            : setting_(c.setting()), rate_(c, setting_, now) {}

        [[nodiscard, gnu::always_inline]] const rate_type& rate() const noexcept { return rate_; }
        [[nodiscard, gnu::always_inline]] tick at(tick now) const noexcept {
            return setting_.at(now);
        }
        [[nodiscard, gnu::always_inline]] class_decision answer(const decision<word>& d,
                                                                tick now) const noexcept {
            return {d, setting_.pace, now};
        }
        [[nodiscard, gnu::always_inline]] static place place_at(word, tick) noexcept { return {}; }
        [[nodiscard]] word ahead(nanoseconds time, tick now) const noexcept {
            return own_setting::grains_in<Clock>(setting_.pace, time, now);
        }
        [[nodiscard]] word passes_in(word grains, tick now) const noexcept {
            return setting_.pace.until(now, grains);
        }
        [[nodiscard]] static word first_units(const key_class& c) noexcept { return c.burst(); }
        [[nodiscard]] word burst(const key_class&) const noexcept {
            return static_cast<word>(setting_.burst);
        }

    private:
        class_setting setting_;
        rate_type rate_;
    };

    key_class(const weir::quota& q, const options& o, std::int64_t room,
              std::size_t number) noexcept
        : setting_(first(q, o, room)), options_(o), room_(room), number_(number) {}

    [[nodiscard]] weir::quota quota() const noexcept {
        const class_setting s = setting();
        return weir::quota::make(s.units, nanoseconds(s.period), s.burst).value();
    }
    [[nodiscard]] word burst() const noexcept { return static_cast<word>(setting().burst); }

    [[nodiscard]] static quota_error refusal(const weir::quota& q, const options& o,
                                             std::int64_t room) noexcept {
        return made_for(q, o, room).error();
    }
    // By default classes may become eight times as large as the largest one is at first.
    [[nodiscard]] static std::int64_t room_for(const weir::quota* all, const options& o,
                                               std::int64_t asked) noexcept {
        if (asked != keyed_options::by_quotas) return asked;
        wide room{0, 1'024};
        for (std::size_t i = 0; i < Classes; ++i) {
            const wide eight = units_of(all[i], o) << 3U;
            if (eight > room) room = eight;
        }
        return room.fits(most_room) ? static_cast<std::int64_t>(room.low) : most_room;
    }

    // Lock-free for up to three threads that change one class at the same time; see `exchanged`.
    template <class... Now>
    [[nodiscard]] quota_error set_quota(const weir::quota& q, nanoseconds over,
                                        Now... given) noexcept {
        if (over < nanoseconds{}) return quota_error::change_negative;
        const auto wanted = made_for(q, options_, room_);
        if (!wanted) return wanted.error();
        for (;;) {
            const auto old = setting_.look();
            const tick now = detail::time_of_call<Clock>(given...);
            const std::uint64_t ticks = to_ticks<Clock>(over);
            const auto changed = old.value.pace.changed(now, wanted->per_tick, ticks);
            if (!changed) return changed.error();
            class_setting next = setting_of(*changed, *wanted, q);
            const std::uint64_t before = old.value.kept_at(now);
            if (before > next.kept) next.kept_before = before;
            next.kept_until.count += ticks + to_ticks<Clock>(options_.guard);
            if (setting_.try_exchange(old, next)) return quota_error::none;
        }
    }

    // For the classes above.
    [[nodiscard, gnu::always_inline]] class_setting setting() const noexcept {
        return setting_.load();
    }
    [[nodiscard, gnu::always_inline]] std::size_t number() const noexcept { return number_; }
    [[nodiscard]] const key_class* first() const noexcept { return this - number_; }
    // How far ahead of now a key's time may lie, in grains.
    [[nodiscard, gnu::always_inline]] std::uint64_t horizon() const noexcept {
        return static_cast<std::uint64_t>(2 * room_) << class_grain_bits;
    }
    [[nodiscard]] static std::uint64_t of_claims(tick now) noexcept {
        const auto bits = static_cast<unsigned>(std::bit_width(Clock::hertz()));
        constexpr unsigned most = key_word::claim_time;
        return bits < most ? now.count << (most - bits) : now.count;
    }

private:
    // A quarter of the circle.
    static constexpr std::int64_t most_room = std::int64_t{1} << (64 - class_grain_bits - 3);

    struct made {
        speed per_tick{};
        std::uint64_t debt = 0;
        std::uint64_t kept = 0;
    };

    // What comes within the guard, in parts of a unit of which there are 2^bits.
    [[nodiscard]] static constexpr wide in_guard(const weir::quota& q, const options& o,
                                                 unsigned bits) noexcept {
        const wide units = multiply(static_cast<std::uint64_t>(o.guard.count()),
                                    static_cast<std::uint64_t>(q.units()));
        if (units.high >> (63 - bits) != 0) return {largest<std::uint64_t>, 0};
        return divide_up(units << bits, {0, static_cast<std::uint64_t>(q.period().count())});
    }
    // What a class needs room for.
    [[nodiscard]] static constexpr wide units_of(const weir::quota& q, const options& o) noexcept {
        if (o.guard < nanoseconds{}) return {};
        return wide{0, static_cast<std::uint64_t>(q.burst())} +
               wide{0, scale<std::uint64_t>::debt_of(q, o)} + in_guard(q, o, 0);
    }
    [[nodiscard]] static result<made, quota_error> made_for(const weir::quota& q, const options& o,
                                                            std::int64_t room) noexcept {
        const quota_error invalid = scale<std::uint64_t>::reason_against(q, o, Clock::hertz());
        if (invalid != quota_error::none) return invalid;
        const auto per_tick = speed::of(q, Clock::hertz(), class_grain_bits);
        if (!per_tick) return per_tick.error();
        if (room < 0 || room > most_room || !units_of(q, o).fits(static_cast<std::uint64_t>(room)))
            return quota_error::burst_too_long;
        // A tick must not bring so much that time comes round.
        if (per_tick->multiplier >> per_tick->shift > class_unit << 20U)
            return quota_error::rate_too_fine;
        // Rounded up: a time is rounded down by less than a granule.
        const std::uint64_t guard = in_guard(q, o, class_grain_bits).low + classes::granule;
        const std::uint64_t burst = static_cast<std::uint64_t>(q.burst()) << class_grain_bits;
        return made{*per_tick, scale<std::uint64_t>::debt_of(q, o),
                    burst + (guard & ~classes::below)};
    }

    [[nodiscard]] static class_setting first(const weir::quota& q, const options& o,
                                             std::int64_t room) noexcept {
        tick begin{};
        if constexpr (!told_clock<Clock>) begin = Clock::now();
        const auto m = made_for(q, o, room);
        const made its = m ? *m : made{};  // it is refused, see keyed_limits
        return setting_of(pace(begin, 0, its.per_tick), its, q);
    }
    [[nodiscard]] static class_setting setting_of(const weir::pace& p, const made& m,
                                                  const weir::quota& q) noexcept {
        return {p, q.units(), q.period().count(), q.burst(), m.debt, m.kept, m.kept, p.begin()};
    }

    exchanged<class_setting> setting_;
    options options_;
    std::int64_t room_;
    std::size_t number_;
};

// The classes of a table.
template <std::size_t Classes, clock Clock>
class quota_of_classes {
public:
    using given = std::conditional_t<Classes == 1, quota, quota[Classes]>;
    using setting_type = key_class<Classes, Clock>;

    quota_of_classes(const given& all, const keyed_options& o) noexcept
        : quota_of_classes(first_of(all), detail::as_options(o), room_of(all, o),
                           std::make_index_sequence<Classes>{}) {}

    [[nodiscard]] static quota_error refusal(const given& all, const keyed_options& o) noexcept {
        const std::int64_t room = room_of(all, o);
        for (std::size_t i = 0; i < Classes; ++i) {
            const quota_error reason =
                setting_type::refusal(first_of(all)[i], detail::as_options(o), room);
            if (reason != quota_error::none) return reason;
        }
        return quota_error::none;
    }
    template <class Class>
    [[nodiscard, gnu::always_inline]] setting_type& of(Class its) noexcept {
        static_assert(std::is_enum_v<Class> || std::is_integral_v<Class>,
                      "a class is a number or an enumerator");
        const auto number = static_cast<std::size_t>(its);
        if (number >= Classes) [[unlikely]]
            detail::end_program("a keyed table has no such class");
        return all_[number];
    }
    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return all_[0];
    }
    [[nodiscard]] class_times<Classes, Clock> times(tick now) const noexcept { return {all_, now}; }

private:
    [[nodiscard]] static const quota* first_of(const given& all) noexcept {
        if constexpr (Classes == 1) {
            return &all;
        } else {
            return all;
        }
    }
    [[nodiscard]] static std::int64_t room_of(const given& all, const keyed_options& o) noexcept {
        return setting_type::room_for(first_of(all), detail::as_options(o), o.room);
    }
    template <std::size_t... I>
    quota_of_classes(const quota* all, const options& o, std::int64_t room,
                     std::index_sequence<I...> /*all*/) noexcept
        : all_{setting_type(all[I], o, room, I)...} {}

    setting_type all_[Classes];
};

}  // namespace weir
