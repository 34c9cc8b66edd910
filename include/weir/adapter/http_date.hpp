// SPDX-License-Identifier: MIT
// http_date: a day and a time of day, as headers write them, in nanoseconds since 1970:
//     Sun, 06 Nov 1994 08:49:37 GMT      HTTP's own
//     Sunday, 06-Nov-94 08:49:37 GMT     the older one; two digits are a year of 1970 to 2069
//     Sun Nov  6 08:49:37 1994           that of C's asctime
//     1994-11-06T08:49:37.5Z             RFC 3339, with Z or an offset
// What lies before 1970 becomes 1970: both are over. What lies beyond 2262 becomes the longest
// time. A day that is in no calendar is refused; whether it was a Sunday is not looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>

namespace weir::http::detail {

inline constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";
inline constexpr std::string_view day_names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                 "Thursday", "Friday", "Saturday"};

class date_text {
public:
    constexpr explicit date_text(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] constexpr result<nanoseconds, http_error> read() noexcept {
        const bool is_read = is_digit(text_.next()) ? rfc3339() : with_a_weekday();
        if (!is_read || !text_.is_over() || !is_in_the_calendar()) return http_error::not_a_time;
        return since_1970();
    }

private:
    constexpr bool with_a_weekday() noexcept {
        bool is_short = false;
        if (!weekday(is_short)) return false;
        if (!text_.take(',')) return is_short && asctime();
        if (!text_.take(' ') || !text_.take_digits(2, day_)) return false;
        const char between = is_short ? ' ' : '-';
        if (!text_.take(between) || !month() || !text_.take(between)) return false;
        if (!text_.take_digits(is_short ? 4 : 2, year_)) return false;
        if (!is_short) year_ += year_ < 70 ? 2000 : 1900;
        return text_.take(' ') && time_of_day() && text_.take_word(" GMT");
    }

    constexpr bool asctime() noexcept {
        if (!text_.take(' ') || !month() || !text_.take(' ')) return false;
        const unsigned size = text_.take(' ') ? 1 : 2;
        return text_.take_digits(size, day_) && text_.take(' ') && time_of_day() &&
               text_.take(' ') && text_.take_digits(4, year_);
    }

    constexpr bool rfc3339() noexcept {
        if (!text_.take_digits(4, year_) || !text_.take('-') || !text_.take_digits(2, month_) ||
            !text_.take('-') || !text_.take_digits(2, day_))
            return false;
        if (!text_.take_word("T") && !text_.take(' ')) return false;
        if (!time_of_day() || (text_.take('.') && !text_.take_fraction(parts_))) return false;
        if (text_.take_word("Z")) return true;
        is_ahead_ = text_.next() == '+';
        if (!is_ahead_ && text_.next() != '-') return false;
        text_.skip();
        std::uint64_t hours = 0;
        std::uint64_t minutes = 0;
        if (!text_.take_digits(2, hours) || !text_.take(':') || !text_.take_digits(2, minutes))
            return false;
        offset_ = hours * 3600 + minutes * 60;
        return hours < 24 && minutes < 60;
    }

    constexpr bool weekday(bool& is_short) noexcept {
        const std::string_view name = text_.take_while(is_letter);
        for (const std::string_view full : day_names) {
            is_short = is_same_word(name, full.substr(0, 3));
            if (is_short || is_same_word(name, full)) return true;
        }
        return false;
    }
    constexpr bool month() noexcept {
        const std::string_view name = text_.take_while(is_letter);
        for (std::size_t m = 0; m < 12; ++m) {
            month_ = m + 1;
            if (is_same_word(name, month_names.substr(3 * m, 3))) return true;
        }
        return false;
    }
    // A leap second counts as the first of the next minute.
    constexpr bool time_of_day() noexcept {
        std::uint64_t hour = 0;
        std::uint64_t minute = 0;
        std::uint64_t second = 0;
        if (!text_.take_digits(2, hour) || !text_.take(':') || !text_.take_digits(2, minute) ||
            !text_.take(':') || !text_.take_digits(2, second))
            return false;
        seconds_ = hour * 3600 + minute * 60 + second;
        return hour < 24 && minute < 60 && second <= 60;
    }

    [[nodiscard]] constexpr bool is_leap() const noexcept {
        return year_ % 4 == 0 && (year_ % 100 != 0 || year_ % 400 == 0);
    }
    [[nodiscard]] constexpr std::uint64_t days_of(std::uint64_t month) const noexcept {
        if (month == 2) return is_leap() ? 29 : 28;
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }
    [[nodiscard]] constexpr bool is_in_the_calendar() const noexcept {
        return month_ >= 1 && month_ <= 12 && day_ >= 1 && day_ <= days_of(month_);
    }

    [[nodiscard]] constexpr nanoseconds since_1970() const noexcept {
        if (year_ < 1970) return nanoseconds{};
        const auto days_until = [](std::uint64_t year) {
            const std::uint64_t last = year - 1;
            return 365 * last + last / 4 - last / 100 + last / 400;
        };
        std::uint64_t days = days_until(year_) - days_until(1970) + day_ - 1;
        for (std::uint64_t m = 1; m < month_; ++m) days += days_of(m);
        std::uint64_t sum = days * 86'400 + seconds_;
        if (is_ahead_) {
            if (sum < offset_) return nanoseconds{};
            sum -= offset_;
        } else {
            sum += offset_;
        }
        return seconds(static_cast<std::int64_t>(sum)) +
               nanoseconds(static_cast<std::int64_t>(parts_));
    }

    scan text_;
    std::uint64_t year_ = 0;
    std::uint64_t month_ = 0;
    std::uint64_t day_ = 0;
    std::uint64_t seconds_ = 0;  // of the day
    std::uint64_t parts_ = 0;    // nanoseconds
    std::uint64_t offset_ = 0;   // of the local time, in seconds
    bool is_ahead_ = false;      // of UTC
};

}  // namespace weir::http::detail
