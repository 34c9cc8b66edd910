// limiter: a cell with its quota and a clock; what most users want and nothing else. All that it
// can be asked is `basic_limiter`'s; here is a quota that never changes.
//
// A limiter becomes ready with its first decision, at the time of that decision: the compiler,
// which constructs it if it is `constinit`, knows neither the clock's frequency nor the time, and a
// time that is given may count from anywhere. `in_force` loads the phase with acquire, paired with
// the release in `get_ready`, after which the rate never changes. Threads that come first together
// each compute the same rate and use their own copy of it until one of them has published it, so
// nobody waits; until then each decision costs some microseconds.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#if __STDC_HOSTED__
#include <weir/cell/gcra.hpp>
#include <weir/clock/default.hpp>
#endif
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

template <cell Cell, clock Clock>
class fixed_setting {
    using rate = typename Cell::rate;
    using cell_word = typename Cell::word_type;

public:
    using clock_type = Clock;
    using decision_type = typename Cell::decision_type;
    static constexpr bool changes = false;
    struct place {};

    constexpr fixed_setting(const quota& q, const options& o) noexcept : quota_(q), options_(o) {}
    fixed_setting(fixed_setting&& other) noexcept
        : phase_(other.phase_.load_relaxed()),
          rate_(other.rate_),
          quota_(other.quota_),
          options_(other.options_) {}
    fixed_setting& operator=(fixed_setting&& other) noexcept {
        phase_.store_relaxed(other.phase_.load_relaxed());
        rate_ = other.rate_;
        quota_ = other.quota_;
        options_ = other.options_;
        return *this;
    }
    ~fixed_setting() = default;

    // The rate that all share, or before that is published a copy of one's own.
    class in_force {
    public:
        [[gnu::always_inline]] in_force(const fixed_setting& s, Cell& cell, tick now) noexcept
            : setting_(s), rate_(&s.rate_) {
            if (s.phase_.load_acquire() == phase::ready) [[likely]]
                return;
            s.get_ready(own_, cell, now);
            rate_ = &own_;
        }
        in_force(const in_force&) = delete;
        ~in_force() = default;

        [[nodiscard, gnu::always_inline]] const typename Cell::rate& rate() const noexcept {
            return *rate_;
        }
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
        [[nodiscard, gnu::always_inline]] cell_word until(cell_word wait, tick) const noexcept {
            return ticks(wait, rate_->shift());
        }
        [[nodiscard, gnu::always_inline]] static place place_at(cell_word, tick) noexcept {
            return {};
        }
        [[nodiscard, gnu::always_inline]] cell_word first_units() const noexcept {
            return setting_.first_units();
        }
        [[nodiscard, gnu::always_inline]] word burst() const noexcept { return setting_.burst(); }
        static void renew(const fixed_setting&) noexcept {}

    private:
        const fixed_setting& setting_;
        const typename Cell::rate* rate_;
        typename Cell::rate own_;
    };

    [[nodiscard]] const quota& limit() const noexcept { return quota_; }
    [[nodiscard]] word burst() const noexcept { return static_cast<word>(quota_.burst()); }

    // The compiler does not know the clock's frequency, only its bounds. So what compiles works
    // with each frequency within them; what is constructed at run time, with the one that was
    // found.
    [[nodiscard]] static constexpr error refusal(const quota& q, const options& o) noexcept {
        if (!std::is_constant_evaluated()) return Cell::rate::make(q, Clock::hertz(), o).error();
        return weir::refusal<rate>(q, {Clock::lowest_hertz, Clock::highest_hertz}, o);
    }

private:
    enum class phase : std::uint8_t { fresh, getting_ready, ready };

    [[nodiscard]] constexpr cell_word first_units() const noexcept {
        const bool all = options_.start == options::whole_burst;
        return static_cast<cell_word>(all ? quota_.burst() : options_.start);
    }

    // Const because `peek` may come first. A limiter that starts full behaves as if it had always
    // been ready; one that starts with fewer units begins to fill here.
    [[gnu::noinline, gnu::cold]] void get_ready(rate& own, Cell& cell, tick now) const noexcept {
        const auto made = Cell::rate::make(quota_, Clock::hertz(), options_);
        // Only a clock that is not within its own bounds, or is no longer as it was measured first.
        if (!made) [[unlikely]] {
            detail::end_program("a limiter cannot count in the frequency that its clock has",
                                describe(made.error()));
        }
        own = *made;
        cell.start(now, first_units(), own);
        phase expected = phase::fresh;
        if (phase_.try_exchange_relaxed(expected, phase::getting_ready)) {
            rate_ = own;
            phase_.store_release(phase::ready);  // pairs with the load in `in_force`
        }
    }

    mutable atomic<phase> phase_{phase::fresh};
    mutable rate rate_{};
    quota quota_;  // asked for at the beginning only
    options options_;
};

#if __STDC_HOSTED__
template <cell Cell = gcra<>, clock Clock = default_clock, class Observer = unobserved>
#else
template <cell Cell, clock Clock, class Observer = unobserved>
#endif
class limiter : public basic_limiter<Cell, fixed_setting<Cell, Clock>, Observer> {
    using base = basic_limiter<Cell, fixed_setting<Cell, Clock>, Observer>;

public:
    // A quota that this limiter cannot hold does not compile in a constant (`constinit`), and one
    // that compiles works at every frequency that the clock may have. At run time the quota is
    // checked for the frequency that the clock has: if it cannot be held, this throws `refused`, or
    // without exceptions prints the reason and ends the program.
    constexpr explicit limiter(const quota& q, const options& o = {}) : limiter(unchecked{}, q, o) {
        error reason = fixed_setting<Cell, Clock>::refusal(
            q, o);  // not const: or it would be a constant expression
        if (reason != error::none) detail::refuse(reason);
    }

    // The same with an error value.
    [[nodiscard]] static result<limiter> make(const quota& q, const options& o = {}) noexcept {
        const error reason = fixed_setting<Cell, Clock>::refusal(q, o);
        if (reason != error::none) return reason;
        return limiter(unchecked{}, q, o);
    }

    // Both for a cell whose memory is somewhere else, such as a log in given places.
    constexpr limiter(Cell&& cell, const quota& q, const options& o = {})
        : limiter(make(std::move(cell), q, o).value()) {}
    [[nodiscard]] static result<limiter> make(Cell&& cell, const quota& q,
                                              const options& o = {}) noexcept {
        const error reason = fixed_setting<Cell, Clock>::refusal(q, o);
        if (reason != error::none) return reason;
        if (cell.places() < static_cast<std::uint64_t>(q.units())) return error::log_too_small;
        return limiter(unchecked{}, std::move(cell), q, o);
    }

private:
    struct unchecked {};

    constexpr limiter(unchecked, const quota& q, const options& o) noexcept : base(q, o) {}
    limiter(unchecked, Cell&& cell, const quota& q, const options& o) noexcept
        : base(std::move(cell), q, o) {}
};

}  // namespace weir
