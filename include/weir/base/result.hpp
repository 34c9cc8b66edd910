// A value, or the reason why there is none: std::expected (C++23) in small, for set-up functions
// that report at run time. In a constant expression the same mistake is a compile error. Who wants
// no error value gets a thrown `refused`, or without exceptions a program that prints the reason
// and ends.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/end_program.hpp>

#ifdef __cpp_exceptions
#include <exception>
#endif

namespace weir {

enum class error : std::uint8_t {
    none,
    units_not_positive,
    period_not_positive,
    period_too_long,
    burst_not_positive,
    burst_too_long,
    rate_too_fine,
    clock_without_frequency,
    debt_negative,
    waiting_negative,
    guard_negative,
    whole_periods_unknown,
    start_not_in_burst,
    burst_not_the_window,
    debt_beyond_the_window,
    log_too_small,
    change_negative,
    change_too_long,
    catch_up_negative,
    frames_not_positive,
    lane_without_places,
    limit_given_twice,
    not_a_quota,
    units_not_whole,
    units_too_many,
    period_not_whole,
    period_unit_unknown,
};

[[nodiscard]] constexpr const char* describe(error reason) noexcept {
    switch (reason) {
        case error::none: return "no error";
        case error::units_not_positive: return "a quota must allow at least one unit per period";
        case error::period_not_positive: return "a quota's period must be longer than zero";
        case error::period_too_long: return "a quota's period must be shorter than 292 years";
        case error::burst_not_positive: return "a quota's burst must be at least one unit";
        case error::burst_too_long:
            return "burst, debt and guard together span more time than this cell can hold";
        case error::rate_too_fine: return "this cell cannot hold the rate within 1 %";
        case error::clock_without_frequency: return "the clock must tick at least once per second";
        case error::debt_negative: return "the debt allowed must not be negative";
        case error::waiting_negative: return "the units that may wait must not be negative";
        case error::guard_negative: return "the guard against late clocks must not be negative";
        case error::start_not_in_burst: return "a limit starts with 0 units up to its burst";
        case error::burst_not_the_window:
            return "a window passes a period's units: the burst must be the same number";
        case error::debt_beyond_the_window:
            return "a sliding window holds a debt of its own units at most";
        case error::log_too_small: return "the log has fewer places than the quota has units";
        case error::change_negative: return "a quota cannot change within less than no time";
        case error::change_too_long: return "a quota cannot change as slowly as that, or as much";
        case error::catch_up_negative: return "what a pacer may catch up must not be negative";
        case error::frames_not_positive:
            return "a pacer must be polled in at least one frame per second";
        case error::lane_without_places: return "a lane must have at least one place";
        case error::limit_given_twice: return "all_of takes each limit once";
        case error::not_a_quota:
            return "a quota is written as in 500/min, 1.5M/s or 20/100ms, burst 5";
        case error::units_not_whole:
            return "units and burst must be whole numbers: 30/min instead of 0.5/s";
        case error::units_too_many: return "units and burst must be less than 2^63";
        case error::period_not_whole: return "a quota's period must be whole nanoseconds";
        case error::period_unit_unknown:
            return "a quota's period is in ns, us, ms, s, min, h or d, as in 500/min";
        case error::whole_periods_unknown: return "only a token bucket refills in whole periods";
    }
    return "unknown error";
}

#ifdef __cpp_exceptions
class refused : public std::exception {
public:
    explicit refused(error reason) noexcept : reason_(reason) {}
    [[nodiscard]] const char* what() const noexcept override { return describe(reason_); }
    [[nodiscard]] error reason() const noexcept { return reason_; }

private:
    error reason_;
};
#endif

namespace detail {

// Not constexpr: in a constant expression the compiler stops at one of these and shows its name.
inline void a_quota_must_allow_at_least_one_unit_per_period() {}
inline void a_period_must_be_longer_than_zero() {}
inline void a_period_must_be_shorter_than_292_years() {}
inline void a_burst_must_be_at_least_one_unit() {}
inline void burst_debt_and_guard_span_more_time_than_this_cell_can_hold() {}
inline void this_cell_cannot_hold_the_rate_within_one_percent() {}
inline void a_window_passes_a_periods_units_so_the_burst_must_be_the_same_number() {}
inline void the_log_has_fewer_places_than_the_quota_has_units() {}
inline void all_of_takes_each_limit_once() {}
inline void this_text_is_not_a_quota() {}
inline void an_option_of_this_limit_is_invalid() {}

constexpr void refuse(error reason) {
    switch (reason) {
        case error::none: break;
        case error::units_not_positive: a_quota_must_allow_at_least_one_unit_per_period(); break;
        case error::period_not_positive: a_period_must_be_longer_than_zero(); break;
        case error::period_too_long: a_period_must_be_shorter_than_292_years(); break;
        case error::burst_not_positive: a_burst_must_be_at_least_one_unit(); break;
        case error::burst_too_long:
            burst_debt_and_guard_span_more_time_than_this_cell_can_hold();
            break;
        case error::rate_too_fine: this_cell_cannot_hold_the_rate_within_one_percent(); break;
        case error::burst_not_the_window:
            a_window_passes_a_periods_units_so_the_burst_must_be_the_same_number();
            break;
        case error::log_too_small: the_log_has_fewer_places_than_the_quota_has_units(); break;
        case error::limit_given_twice: all_of_takes_each_limit_once(); break;
        case error::not_a_quota:
        case error::units_not_whole:
        case error::units_too_many:
        case error::period_not_whole:
        case error::period_unit_unknown: this_text_is_not_a_quota(); break;
        default: an_option_of_this_limit_is_invalid();
    }
    if (reason == error::none) return;
#ifdef __cpp_exceptions
    throw refused(reason);
#else
    end_program(describe(reason));
#endif
}

// Does not compile in a constant expression, and elsewhere ends the program.
[[noreturn, gnu::cold]] constexpr void end_without_value(error reason) noexcept {
    if (std::is_constant_evaluated()) {
        refuse(reason);
        __builtin_unreachable();
    } else {
        end_program("the value of a result was used that has none", describe(reason));
    }
}

// Not constexpr, so it does the same.
[[noreturn, gnu::cold]] inline void a_result_is_a_value_or_an_error_and_none_is_neither() noexcept {
    end_program("a result is a value or an error, and error::none is neither");
}

}  // namespace detail

template <class T>
class [[nodiscard]] result {
public:
    static_assert(std::is_trivially_destructible_v<T>);

    // NOLINTBEGIN(google-explicit-constructor)
    constexpr result(T value) noexcept : value_(std::move(value)) {}
    // `error::none` is no reason: it ends the program; in a constant expression it does not
    // compile.
    constexpr result(weir::error reason) noexcept : nothing_{}, reason_(reason) {
        if (reason == weir::error::none) [[unlikely]]
            detail::a_result_is_a_value_or_an_error_and_none_is_neither();
    }
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return reason_ == weir::error::none;
    }
    [[nodiscard]] constexpr weir::error error() const noexcept { return reason_; }

    // Only what succeeded has a value. To ask an error for one ends the program, which prints the
    // reason; in a constant expression it does not compile.
    [[nodiscard]] constexpr const T& operator*() const& noexcept { return *known(); }
    [[nodiscard]] constexpr T& operator*() & noexcept { return *known(); }
    [[nodiscard]] constexpr T&& operator*() && noexcept { return std::move(*known()); }
    [[nodiscard]] constexpr const T* operator->() const noexcept { return known(); }
    [[nodiscard]] constexpr T* operator->() noexcept { return known(); }

    // The value. Without one: a compile error in a constant expression; otherwise the reason is
    // thrown, or without exceptions printed, and the program ends.
    [[nodiscard]] constexpr T value() && {
        if (!*this) detail::refuse(reason_);
        return std::move(value_);
    }

private:
    [[nodiscard]] constexpr const T* known() const noexcept {
        if (!*this) [[unlikely]]
            detail::end_without_value(reason_);
        return &value_;
    }
    [[nodiscard]] constexpr T* known() noexcept {
        if (!*this) [[unlikely]]
            detail::end_without_value(reason_);
        return &value_;
    }

    union {
        char nothing_;
        T value_;
    };
    weir::error reason_ = weir::error::none;
};

}  // namespace weir
