// SPDX-License-Identifier: MIT
// quota_error: why a quota is refused: by itself, as a text, by a cell with its options, or as the
// next quota of a limit that changes. One enumeration for all of these, so that a program that
// reads a quota, makes a limiter of it and changes it later has one kind of error to tell.
#pragma once

#include <cstdint>

namespace weir {

enum class quota_error : std::uint8_t {
    none,
    // the quota
    units_not_positive,
    period_not_positive,
    period_too_long,
    burst_not_positive,
    // its text
    not_a_quota,
    units_not_whole,
    units_too_many,
    period_not_whole,
    period_unit_unknown,
    // a cell, its clock and its options
    burst_too_long,
    rate_too_fine,
    clock_without_frequency,
    debt_negative,
    queue_negative,
    guard_negative,
    whole_periods_unknown,
    anchor_unknown,
    start_not_in_burst,
    burst_not_the_window,
    debt_beyond_the_window,
    log_too_small,
    faster_than_the_range,
    // a change
    change_negative,
    change_too_long,
};

[[nodiscard]] constexpr const char* describe(quota_error reason) noexcept {
    switch (reason) {
        case quota_error::none: return "no error";
        case quota_error::units_not_positive:
            return "a quota must allow at least one unit per period";
        case quota_error::period_not_positive: return "a quota's period must be longer than zero";
        case quota_error::period_too_long: return "a quota's period must be shorter than 292 years";
        case quota_error::burst_not_positive: return "a quota's burst must be at least one unit";
        case quota_error::not_a_quota:
            return "a quota is written as in 500/min, 1.5M/s or 20/100ms, burst 5";
        case quota_error::units_not_whole:
            return "units and burst must be whole numbers: 30/min instead of 0.5/s";
        case quota_error::units_too_many: return "units and burst must be less than 2^63";
        case quota_error::period_not_whole: return "a quota's period must be whole nanoseconds";
        case quota_error::period_unit_unknown:
            return "a quota's period is in ns, us, ms, s, min, h or d, as in 500/min";
        case quota_error::burst_too_long:
            return "burst, debt and guard together span more time than this cell can hold";
        case quota_error::rate_too_fine: return "this cell cannot hold the rate within 1 %";
        case quota_error::clock_without_frequency:
            return "the clock must tick at least once per second";
        case quota_error::debt_negative: return "the debt allowed must not be negative";
        case quota_error::queue_negative: return "the units that may queue must not be negative";
        case quota_error::guard_negative:
            return "the guard against late clocks must not be negative";
        case quota_error::whole_periods_unknown:
            return "only a token bucket refills in whole periods";
        case quota_error::anchor_unknown:
            return "only an aligned window that no other process shares has an anchor";
        case quota_error::start_not_in_burst: return "a limit starts with 0 units up to its burst";
        case quota_error::burst_not_the_window:
            return "a window passes a period's units: the burst must be the same number";
        case quota_error::debt_beyond_the_window:
            return "a sliding window holds a debt of its own units at most";
        case quota_error::log_too_small: return "the log has fewer places than the quota has units";
        case quota_error::faster_than_the_range:
            return "no quota of a keyed table may be faster than the fastest of its range";
        case quota_error::change_negative: return "a quota cannot change within less than no time";
        case quota_error::change_too_long:
            return "a quota cannot change as slowly as that, or as much";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops at one of these and shows its name.
inline void a_quota_must_allow_at_least_one_unit_per_period() {}
inline void a_period_must_be_longer_than_zero() {}
inline void a_period_must_be_shorter_than_292_years() {}
inline void a_burst_must_be_at_least_one_unit() {}
inline void this_text_is_not_a_quota() {}
inline void burst_debt_and_guard_span_more_time_than_this_cell_can_hold() {}
inline void this_cell_cannot_hold_the_rate_within_one_percent() {}
inline void a_window_passes_a_periods_units_so_the_burst_must_be_the_same_number() {}
inline void the_log_has_fewer_places_than_the_quota_has_units() {}
inline void an_option_of_this_limit_is_invalid() {}

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(quota_error reason) {
    switch (reason) {
        case quota_error::none: break;
        case quota_error::units_not_positive:
            detail::a_quota_must_allow_at_least_one_unit_per_period();
            break;
        case quota_error::period_not_positive: detail::a_period_must_be_longer_than_zero(); break;
        case quota_error::period_too_long: detail::a_period_must_be_shorter_than_292_years(); break;
        case quota_error::burst_not_positive: detail::a_burst_must_be_at_least_one_unit(); break;
        case quota_error::not_a_quota:
        case quota_error::units_not_whole:
        case quota_error::units_too_many:
        case quota_error::period_not_whole:
        case quota_error::period_unit_unknown: detail::this_text_is_not_a_quota(); break;
        case quota_error::burst_too_long:
            detail::burst_debt_and_guard_span_more_time_than_this_cell_can_hold();
            break;
        case quota_error::rate_too_fine:
            detail::this_cell_cannot_hold_the_rate_within_one_percent();
            break;
        case quota_error::burst_not_the_window:
            detail::a_window_passes_a_periods_units_so_the_burst_must_be_the_same_number();
            break;
        case quota_error::log_too_small:
            detail::the_log_has_fewer_places_than_the_quota_has_units();
            break;
        default: detail::an_option_of_this_limit_is_invalid();
    }
}

}  // namespace weir
