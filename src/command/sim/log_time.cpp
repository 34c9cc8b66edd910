// SPDX-License-Identifier: MIT
#include "command/sim/log_time.hpp"

#include <cstring>

namespace weir::command {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t last_second = INT64_MAX / second - 1;  // in 2262

[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Reads from left to right; once something is missing, nothing that follows counts.
class reader {
public:
    explicit reader(std::string_view text) noexcept : text_(text) {}

    // Exactly so many digits.
    [[nodiscard]] int digits(std::size_t count) noexcept {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const char c = next();
            if (!is_digit(c)) failed_ = true;
            value = 10 * value + (c - '0');
        }
        return value;
    }
    void expect(char c) noexcept {
        if (next() != c) failed_ = true;
    }
    [[nodiscard]] bool comes(char c) const noexcept {
        return at_ < text_.size() && text_[at_] == c;
    }
    [[nodiscard]] bool comes_digit() const noexcept {
        return at_ < text_.size() && is_digit(text_[at_]);
    }
    char next() noexcept {
        if (at_ >= text_.size()) {
            failed_ = true;
            return '\0';
        }
        return text_[at_++];
    }
    // Digits of a fraction, in billionths; further digits are cut off.
    [[nodiscard]] std::int64_t billionths() noexcept {
        std::int64_t value = 0;
        std::int64_t one = second;
        if (!comes_digit()) failed_ = true;
        while (comes_digit()) {
            const int digit = next() - '0';
            one /= 10;
            value += digit * one;
        }
        return value;
    }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    void fail() noexcept { failed_ = true; }
    [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

// Days since 1970 of a date of the Gregorian calendar (Howard Hinnant's days_from_civil).
[[nodiscard]] std::int64_t days_since_1970(int year, int month, int day) noexcept {
    year -= month <= 2 ? 1 : 0;
    const int era = year / 400;  // no year is negative here
    const int of_era = year - era * 400;
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    return std::int64_t{era} * 146'097 + day_of_era - 719'468;
}

[[nodiscard]] bool is_date(int year, int month, int day) noexcept {
    constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1) return false;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= lengths[month - 1] + (leap && month == 2 ? 1 : 0);
}

[[nodiscard]] std::int64_t seconds_since_1970(int year, int month, int day, int hour,
                                              int minute) noexcept {
    return days_since_1970(year, month, day) * 86'400 + std::int64_t{hour} * 3'600 +
           std::int64_t{minute} * 60;
}

// 60 is a leap second, and counts as the one before.
[[nodiscard]] bool is_time_of_day(int hour, int minute, int seconds) noexcept {
    return hour < 24 && minute < 60 && seconds <= 60;
}

[[nodiscard]] int month_of(char a, char b, char c) noexcept {
    constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (std::size_t i = 0; i < names.size(); i += 3) {
        if (names[i] == a && names[i + 1] == b && names[i + 2] == c)
            return static_cast<int>(i / 3) + 1;
    }
    return 0;
}

[[nodiscard]] std::optional<log_time> made(std::int64_t seconds, std::int64_t rest, bool whole,
                                           std::size_t length) noexcept {
    if (seconds < 0 || seconds > last_second) return {};
    return log_time{static_cast<std::uint64_t>(seconds * second + rest), whole, length};
}

// +02:00, +0200, +02 in seconds.
[[nodiscard]] std::int64_t offset(reader& r, bool colon_allowed) noexcept {
    const char sign = r.next();
    if (sign != '+' && sign != '-') r.fail();
    const int hours = r.digits(2);
    int minutes = 0;
    if (colon_allowed && r.comes(':')) {
        r.expect(':');
        minutes = r.digits(2);
    } else if (!colon_allowed || r.comes_digit()) {
        minutes = r.digits(2);
    }
    if (hours > 23 || minutes > 59) r.fail();
    const std::int64_t ahead = std::int64_t{hours} * 3'600 + std::int64_t{minutes} * 60;
    return sign == '-' ? -ahead : ahead;
}

}  // namespace

std::optional<log_time> number_time(std::string_view text) noexcept {
    // Whole numbers as large as these are no seconds, and so on.
    constexpr std::uint64_t least_milliseconds = 100'000'000'000;  // in 1973
    constexpr std::uint64_t thousand = 1'000;
    constexpr std::size_t most_digits = 19;
    std::uint64_t whole = 0;
    std::size_t i = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) {
        if (i == most_digits) return {};
        whole = 10 * whole + static_cast<std::uint64_t>(text[i] - '0');
    }
    if (i == 0) return {};
    std::uint64_t unit = second;
    for (std::uint64_t least = least_milliseconds; unit > 1 && whole >= least; least *= thousand)
        unit /= thousand;
    bool fraction = false;
    std::uint64_t rest = 0;
    if (i < text.size() && text[i] == '.') {
        std::uint64_t one = unit;
        for (++i; i < text.size() && is_digit(text[i]); ++i) {
            one /= 10;
            rest += static_cast<std::uint64_t>(text[i] - '0') * one;
        }
        fraction = true;
    }
    if (whole > static_cast<std::uint64_t>(INT64_MAX) / unit - 1) return {};
    return log_time{whole * unit + rest, unit == second && !fraction, i};
}

std::optional<log_time> iso_time(std::string_view text) noexcept {
    reader r(text);
    const int year = r.digits(4);
    r.expect('-');
    const int month = r.digits(2);
    r.expect('-');
    const int day = r.digits(2);
    const char between = r.next();
    if (between != 'T' && between != 't' && between != ' ') r.fail();
    const int hour = r.digits(2);
    r.expect(':');
    const int minute = r.digits(2);
    int seconds = 0;
    if (r.comes(':')) {
        r.expect(':');
        seconds = r.digits(2);
    }
    std::int64_t rest = 0;
    const bool fraction = r.comes('.');
    if (fraction) {
        r.expect('.');
        rest = r.billionths();
    }
    std::int64_t ahead = 0;
    if (r.comes('Z') || r.comes('z')) {
        r.next();
    } else if (r.comes('+') || r.comes('-')) {
        ahead = offset(r, true);
    }
    if (r.failed() || !is_date(year, month, day) || !is_time_of_day(hour, minute, seconds))
        return {};
    const std::int64_t at = seconds_since_1970(year, month, day, hour, minute) + seconds -
                            (seconds == 60 ? 1 : 0) - ahead;
    return made(at, rest, !fraction, r.at());
}

// The seconds since 1970 of 10/Oct/2000:13:55:36, as if it were UTC.
std::optional<std::int64_t> access_time::second(std::string_view text) noexcept {
    constexpr std::size_t length = minute_length + 3;
    if (text.size() < length) return {};
    if (std::memcmp(text.data(), known_, minute_length) != 0) {
        reader r(text);
        const int day = r.digits(2);
        r.expect('/');
        const char a = r.next();
        const char b = r.next();
        const int month = month_of(a, b, r.next());
        r.expect('/');
        const int year = r.digits(4);
        r.expect(':');
        const int hour = r.digits(2);
        r.expect(':');
        const int minute = r.digits(2);
        if (r.failed() || !is_date(year, month, day) || !is_time_of_day(hour, minute, 0)) return {};
        at_ = seconds_since_1970(year, month, day, hour, minute);
        std::memcpy(known_, text.data(), minute_length);
    }
    const char* const rest = text.data() + minute_length;
    if (rest[0] != ':' || !is_digit(rest[1]) || !is_digit(rest[2])) return {};
    const int seconds = 10 * (rest[1] - '0') + (rest[2] - '0');
    if (seconds > 60) return {};
    return at_ + seconds - (seconds == 60 ? 1 : 0);
}

std::optional<log_time> access_time::with_offset(std::string_view text) noexcept {
    const auto at = second(text);
    if (!at) return {};
    reader r(text.substr(minute_length + 3));
    r.expect(' ');
    const std::int64_t ahead = offset(r, false);
    if (r.failed()) return {};
    return made(*at - ahead, 0, true, minute_length + 3 + r.at());
}

std::optional<log_time> access_time::with_fraction(std::string_view text) noexcept {
    const auto at = second(text);
    if (!at) return {};
    reader r(text.substr(minute_length + 3));
    r.expect('.');
    const std::int64_t rest = r.billionths();
    if (r.failed()) return {};
    return made(*at, rest, false, minute_length + 3 + r.at());
}

}  // namespace weir::command
