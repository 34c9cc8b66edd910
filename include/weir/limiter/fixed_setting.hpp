// SPDX-License-Identifier: MIT
// fixed_setting: a quota that never changes, with the rate that decisions go by.
//
// It becomes ready with the first decision, at the time of that decision: the compiler, which
// constructs it if its limiter is `constinit`, knows neither the clock's frequency nor the time,
// and a time that is given may count from anywhere. `in_force` loads the phase with acquire, paired
// with the release in `get_ready`, after which the rate never changes. Threads that come first
// together each compute the same rate and use their own copy of it until one of them has published
// it, so nobody waits; until then each decision costs some microseconds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/window_anchor.hpp>

namespace weir {

namespace detail {

// A guard in five bytes: exact up to two seconds, and a longer one is rounded up by less than a
// billionth.
class [[gnu::packed]] short_guard {
public:
    constexpr explicit short_guard(nanoseconds guard) noexcept : digits_(0), shift_(unsaid) {
        if (guard == options::by_word) return;
        const auto count = static_cast<std::uint64_t>(guard.count());
        const auto bits = static_cast<unsigned>(std::bit_width(count));
        shift_ = static_cast<std::uint8_t>(bits > 31 ? bits - 31 : 0);
        const std::uint64_t last = std::uint64_t{1} << shift_;  // what the last digit counts
        digits_ = static_cast<std::uint32_t>((count + last - 1) >> shift_);
    }

    [[nodiscard]] constexpr nanoseconds time() const noexcept {
        if (shift_ == unsaid) return options::by_word;
        const std::uint64_t count = std::uint64_t{digits_} << shift_;
        return count > INT64_MAX ? nanoseconds::longest()
                                 : nanoseconds(static_cast<std::int64_t>(count));
    }

private:
    static constexpr std::uint8_t unsaid = 0xFF;

    std::uint32_t digits_;
    std::uint8_t shift_;
};

}  // namespace detail

// What is in force of a cell that lives in the clock's time.
template <class Cell, clock Clock>
struct in_clock_time {
    using cell_word = typename Cell::word_type;
    using decision_type = typename Cell::decision_type;
    struct place {};

    [[nodiscard, gnu::always_inline]] static tick at(tick now) noexcept { return now; }
    [[nodiscard, gnu::always_inline]] static decision_type answer(const decision_type& d,
                                                                  tick) noexcept {
        return d;
    }
    [[nodiscard, gnu::always_inline]] static cell_word within(nanoseconds time, tick) noexcept {
        if (time <= nanoseconds{}) return 0;
        if (time == nanoseconds::longest()) return largest<cell_word>;
        const std::uint64_t ticks = to_whole_ticks<Clock>(time);
        return ticks > largest<cell_word> ? largest<cell_word> : static_cast<cell_word>(ticks);
    }
    [[nodiscard, gnu::always_inline]] static place place_at(cell_word, tick) noexcept { return {}; }
    // A time from now in the cell's, and back.
    [[nodiscard]] static cell_word ahead(nanoseconds time, tick) noexcept {
        const std::uint64_t ticks = to_ticks<Clock>(time);
        return ticks > largest<cell_word> ? largest<cell_word> : static_cast<cell_word>(ticks);
    }
    [[nodiscard]] static word passes_in(cell_word ticks, tick) noexcept { return ticks; }
};

template <cell Cell, clock Clock>
class fixed_setting {
    using rate = typename Cell::rate;
    using cell_word = typename Cell::word_type;
    using anchor_type = std::conditional_t<anchored_rate<rate>, window_anchor, no_anchor>;
    using cell_time = typename anchor_type::cell_time;

public:
    using clock_type = Clock;
    using decision_type = typename Cell::decision_type;
    static constexpr bool changes = false;
    static constexpr bool has_anchor = anchored_rate<rate>;
    static constexpr std::size_t read_bytes =
        sizeof(rate) + sizeof(word) + (has_anchor ? sizeof(window_anchor) : 0);  // with the phase
    using place = typename in_clock_time<Cell, Clock>::place;

    constexpr fixed_setting(const weir::quota& q, const options& o) noexcept
        : rate_(o),
          anchor_(q, o),
          debt_(o.debt),
          queue_(o.queue),
          quota_(q),
          start_(o.start == options::whole_burst ? q.burst() : o.start) {}
    // At a rate that was made before: it is ready, and never asks for the clock's frequency.
    fixed_setting(const weir::quota& q, const options& o, const rate& r) noexcept
        : fixed_setting(q, o) {
        rate_.set(r);
        rate_.at_phase.store_relaxed(phase::ready);  // nobody else knows of it yet
    }
    fixed_setting(fixed_setting&& other) noexcept : fixed_setting(other.quota_, other.kept()) {
        rate_ = other.rate_;
        if constexpr (has_anchor) anchor_ = other.anchor_;
    }
    fixed_setting& operator=(fixed_setting&&) noexcept = default;
    ~fixed_setting() = default;

    // The rate that all share, or before that is published a copy of one's own. `cells` is what
    // begins with the first decision: a cell, or those of an array.
    class in_force : public in_clock_time<Cell, Clock> {
    public:
        template <class Cells>
        [[gnu::always_inline]] in_force(const fixed_setting& s, Cells cells, tick now) noexcept
            : rate_(&s.rate_) {
            // Pairs with the release in `get_ready`: the rate and the cell's start come before.
            if (s.rate_.at_phase.load_acquire() != phase::ready) [[unlikely]] {
                s.get_ready(own_, cells, now);
                rate_ = &own_;
            }
            time_ = cell_time(s.anchor_);
        }
        in_force(const in_force&) = delete;
        ~in_force() = default;

        [[nodiscard, gnu::always_inline]] const typename Cell::rate& rate() const noexcept {
            return *rate_;
        }
        [[nodiscard, gnu::always_inline]] tick at(tick now) const noexcept { return time_.at(now); }
        [[nodiscard, gnu::always_inline]] cell_word until(cell_word wait, tick) const noexcept {
            return ticks(wait, rate_->shift());
        }
        [[nodiscard]] static cell_word first_units(const fixed_setting& s) noexcept {
            return s.first_units();
        }
        [[nodiscard]] static word burst(const fixed_setting& s) noexcept { return s.burst(); }
        static void renew(const fixed_setting&) noexcept {}

    private:
        const typename Cell::rate* rate_;
        [[no_unique_address]] cell_time time_;
        typename Cell::rate own_;
    };

    // The setting is ready: `its` is in force of it.
    void set_anchor(tick anchor, const in_force& its) noexcept requires has_anchor {
        anchor_.template set<Clock>(anchor, its.rate());
    }

    [[nodiscard]] const weir::quota& quota() const noexcept { return quota_; }
    [[nodiscard]] word burst() const noexcept { return static_cast<word>(quota_.burst()); }

    // The compiler does not know the clock's frequency, only its bounds. So what compiles works
    // with each frequency within them; what is constructed at run time, with the one that was
    // found.
    [[nodiscard]] static constexpr quota_error refusal(const weir::quota& q,
                                                       const options& asked) noexcept {
        options o = asked;
        if (o.guard >= nanoseconds{}) o.guard = detail::short_guard(o.guard).time();
        if (!std::is_constant_evaluated()) return Cell::rate::make(q, Clock::hertz(), o).error();
        return weir::refusal<rate>(q, {Clock::lowest_hertz, Clock::highest_hertz}, o);
    }

private:
    enum class phase : std::uint8_t { fresh, getting_ready, ready };
    // What is small lies where a gcra's rate ends. So the rate is always assigned: that leaves what
    // lies there as it is. GCC 12 takes an initialisation for one that clears it too, and leaves
    // out what is 0 there. Copied only while nobody else uses either.
    struct shared_rate : rate {
        constexpr explicit shared_rate(const options& o) noexcept
            : whole_periods(o.whole_periods), guard(o.guard) {
            set(rate{});
        }
        shared_rate(const shared_rate&) = delete;
        shared_rate& operator=(const shared_rate& other) noexcept {
            set(other);
            at_phase.store_relaxed(other.at_phase.load_relaxed());
            whole_periods = other.whole_periods;
            guard = other.guard;
            return *this;
        }
        ~shared_rate() = default;

        constexpr void set(const rate& r) noexcept { static_cast<rate&>(*this) = r; }

        atomic<phase> at_phase{phase::fresh};
        bool whole_periods;
        detail::short_guard guard;
    };

    [[nodiscard]] options kept() const noexcept {
        return {start_, debt_, queue_, rate_.guard.time(), rate_.whole_periods, anchor_.given()};
    }
    [[nodiscard]] constexpr cell_word first_units() const noexcept {
        return static_cast<cell_word>(start_);
    }

    // Const because `peek` may come first. A limiter that starts full behaves as if it had always
    // been ready; one that starts with fewer units begins to fill here.
    template <class Cells>
    [[gnu::noinline, gnu::cold]] void get_ready(rate& own, Cells cells, tick now) const noexcept {
        const auto made = Cell::rate::make(quota_, Clock::hertz(), kept());
        // Only a clock that is not within its own bounds, or is no longer as it was measured first.
        if (!made) [[unlikely]] {
            detail::end_program("a limiter cannot count in the frequency that its clock has",
                                describe(made.error()));
        }
        own = *made;
        anchor_.template begin<Clock>(own);
        const tick at = cell_time(anchor_).at(now);
        cells.start(at, first_units(), own);
        // Relaxed: it says only who publishes, and what is published has its own release.
        phase expected = phase::fresh;
        if (rate_.at_phase.try_exchange_relaxed(expected, phase::getting_ready)) {
            if constexpr (requires { cells.start_others(at, first_units(), own); })
                cells.start_others(at, first_units(), own);
            rate_.set(own);
            // Pairs with the acquire in `in_force`.
            rate_.at_phase.store_release(phase::ready);
        }
    }

    mutable shared_rate rate_;
    [[no_unique_address]] mutable anchor_type anchor_;
    std::int64_t debt_;
    std::int64_t queue_;
    weir::quota quota_;
    std::int64_t start_;
};

}  // namespace weir
