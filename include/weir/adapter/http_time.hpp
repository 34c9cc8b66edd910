// SPDX-License-Identifier: MIT
// http_time: when something resets, in whichever way a server tells it. One rule for all headers:
//     30    2.5              seconds from now on
//     1700000000.25          a number of nine zeros or more: seconds since 1970
//     1700000000000          of twelve, fifteen, eighteen: milliseconds, microseconds, nanoseconds
//     6m0s    1h2.5s    20ms a length of time, as Go writes it
//     and the dates of http_date.hpp
// Seconds from now on end at 31 years, so no number is meant both ways; the numbers that lie
// between two of these ranges are refused. Times are rounded up to nanoseconds, and what is longer
// than 292 years is for ever: a client that errs waits too long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_date.hpp>
#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>

namespace weir::http::detail {

struct told_time {
    nanoseconds time;
    bool is_since_1970 = false;  // else from now on
};

struct named_time {
    std::string_view name;
    std::uint64_t size;  // ns
};
inline constexpr named_time time_units[] = {{"ms", 1'000'000},
                                            {"us", 1'000},
                                            {"\xC2\xB5s", 1'000},  // Go's own, in UTF-8
                                            {"ns", 1},
                                            {"s", 1'000'000'000},
                                            {"m", 60'000'000'000},
                                            {"h", 3'600'000'000'000},
                                            {"d", 86'400'000'000'000}};

[[nodiscard]] constexpr nanoseconds in_units(const decimal& d, std::uint64_t unit) noexcept {
    constexpr wide billion{0, 1'000'000'000};
    const wide sum = multiply(d.whole.value, unit) + divide_up(multiply(d.parts, unit), billion);
    return sum.fits(INT64_MAX) ? nanoseconds(static_cast<std::int64_t>(sum.low))
                               : nanoseconds::longest();
}

[[nodiscard]] constexpr result<told_time, http_error> plain_time(const decimal& d) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    if (d.whole.is_beyond) return http_error::not_a_time;
    if (d.whole.value < second) return told_time{in_units(d, second), false};
    for (std::uint64_t unit = second, from = second;; unit /= 1'000, from *= 1'000) {
        if (d.whole.value < from) return http_error::not_a_time;
        if (d.whole.value / 100 < from) return told_time{in_units(d, unit), true};
        if (unit == 1) return http_error::not_a_time;
    }
}

[[nodiscard]] constexpr result<told_time, http_error> parse_time(std::string_view value) noexcept {
    const std::string_view text = trimmed(value);
    scan s(text);
    decimal d;
    if (text.find('-') != text.npos || !is_digit(s.next())) {
        const auto date = date_text(text).read();
        if (!date) return date.error();
        return told_time{*date, true};
    }
    if (!s.take_decimal(d)) return http_error::not_a_time;
    if (s.is_over()) return plain_time(d);
    nanoseconds sum;
    for (;;) {
        std::uint64_t unit = 0;
        for (const named_time& u : time_units) {
            if (unit == 0 && s.take_word(u.name)) unit = u.size;
        }
        if (unit == 0) return http_error::not_a_time;
        sum = sum + in_units(d, unit);
        if (s.is_over()) return told_time{sum, false};
        if (!s.take_decimal(d)) return http_error::not_a_time;
    }
}

// The latest time of a value, which has several if a client joins headers that came twice: 30, 31.
// A date has a comma of its own: joined with another time it is refused.
[[nodiscard]] constexpr http_error read_times(std::string_view value,
                                              std::optional<nanoseconds>& from_now,
                                              std::optional<nanoseconds>& since_1970) noexcept {
    std::optional<nanoseconds> in = from_now;
    std::optional<nanoseconds> at = since_1970;
    for (bool is_last = false; !is_last;) {
        const std::size_t comma = is_digit(scan(value).next()) ? value.find(',') : value.npos;
        is_last = comma == value.npos;
        const auto time = parse_time(value.substr(0, comma));
        if (!time) return time.error();
        keep_higher(time->is_since_1970 ? at : in, std::optional(time->time));
        if (!is_last) value = trimmed(value.substr(comma + 1));
    }
    from_now = in;
    since_1970 = at;
    return http_error::none;
}

}  // namespace weir::http::detail
