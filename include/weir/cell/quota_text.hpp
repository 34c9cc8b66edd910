// SPDX-License-Identifier: MIT
// A quota out of text, as configuration files and command lines have it:
//     10/s     500/min     1.5M/s     20/100ms, burst 5
// Units, with a decimal prefix (k, M, G), a binary one (Ki, Mi, Gi) or none; a slash; the period,
// its number left out where it is one; and the burst, without which all units of the period may
// pass at once. Spaces may stand between the parts, and the line's end, \n or \r\n, behind the
// last. A number means exactly what it says or is refused: nothing is rounded, and nothing left
// over is overlooked.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/cell/quota.hpp>

namespace weir {
namespace detail {

// Reads from left to right; the first mistake is the one that is told.
class quota_text {
public:
    constexpr quota_text(const char* begin, const char* end) noexcept : next_(begin), end_(end) {
        while (end_ != next_ && (is_space(end_[-1]) || end_[-1] == '\r' || end_[-1] == '\n'))
            --end_;
    }

    [[nodiscard]] constexpr result<quota, quota_error> read() noexcept {
        const std::int64_t units = amount();
        expect("/");
        const std::int64_t period = duration();
        std::int64_t burst = units;
        if (!is_over()) {
            expect(",");
            expect("burst");
            burst = amount();
        }
        if (!is_over()) refuse(quota_error::not_a_quota);
        if (wrong_ != quota_error::none) return wrong_;
        return quota::make(units, nanoseconds(period), burst);
    }

private:
    // whole + fraction / one. A fraction of more digits is no whole number of anything decimal, and
    // is refused of binary ones too.
    struct decimal {
        std::uint64_t whole = 0;
        std::uint64_t fraction = 0;
        std::uint64_t one = 1;
        bool too_large = false;
        bool too_fine = false;
    };

    static constexpr symbol prefixes[] = {
        {"k", 1'000},      {"M", 1'000'000},  {"G", 1'000'000'000},
        {"Ki", 1U << 10U}, {"Mi", 1U << 20U}, {"Gi", 1U << 30U},
        {"", 0},
    };

    constexpr std::int64_t amount() noexcept {
        const decimal d = number();
        const std::uint64_t prefix = one_of(prefixes);
        return product(d, prefix == 0 ? 1 : prefix, quota_error::units_not_whole,
                       quota_error::units_too_many);
    }

    constexpr std::int64_t duration() noexcept {
        decimal d{.whole = 1};
        skip_spaces();
        if (is_digit()) d = number();
        const std::uint64_t unit = one_of(period_units);
        if (unit == 0) refuse(quota_error::period_unit_unknown);
        return product(d, unit, quota_error::period_not_whole, quota_error::period_too_long);
    }

    constexpr decimal number() noexcept {
        constexpr std::uint64_t most = UINT64_MAX / 10;
        decimal d;
        skip_spaces();
        if (!is_digit()) refuse(quota_error::not_a_quota);
        while (is_digit()) {
            if (d.whole >= most) d.too_large = true;
            d.whole = d.too_large ? 0 : 10 * d.whole + digit();
            ++next_;
        }
        if (next_ == end_ || *next_ != '.') return d;
        ++next_;
        if (!is_digit()) refuse(quota_error::not_a_quota);
        for (; is_digit(); ++next_) {
            if (d.one >= most) {
                d.too_fine = d.too_fine || digit() != 0;
            } else {
                d.fraction = 10 * d.fraction + digit();
                d.one *= 10;
            }
        }
        return d;
    }

    constexpr std::int64_t product(const decimal& d, std::uint64_t scale, quota_error not_whole,
                                   quota_error too_large) noexcept {
        const wide whole = multiply(d.whole, scale);
        const division part = divide(multiply(d.fraction, scale), {0, d.one});
        const wide sum = whole + part.quotient;
        if (d.too_large || !sum.fits(INT64_MAX)) {
            refuse(too_large);
            return 0;
        }
        if (d.too_fine || part.remainder != wide{}) refuse(not_whole);
        return static_cast<std::int64_t>(sum.low);
    }

    // What the name stands for that is all of the letters that come next; 0, and none of them read,
    // if none.
    constexpr std::uint64_t one_of(const symbol* all) noexcept {
        skip_spaces();
        const char* const begin = next_;
        for (; all->value != 0; ++all) {
            if (comes(all->name) && !is_letter()) return all->value;
            next_ = begin;
        }
        return 0;
    }

    constexpr void expect(const char* text) noexcept {
        skip_spaces();
        if (!comes(text)) refuse(quota_error::not_a_quota);
    }

    // What of it is there is read.
    constexpr bool comes(const char* text) noexcept {
        for (; *text != '\0'; ++text, ++next_) {
            if (next_ == end_ || *next_ != *text) return false;
        }
        return true;
    }

    constexpr bool is_over() noexcept {
        skip_spaces();
        return next_ == end_;
    }
    constexpr void skip_spaces() noexcept {
        while (next_ != end_ && is_space(*next_)) ++next_;
    }
    [[nodiscard]] static constexpr bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }
    [[nodiscard]] constexpr bool is_digit() const noexcept {
        return next_ != end_ && *next_ >= '0' && *next_ <= '9';
    }
    [[nodiscard]] constexpr bool is_letter() const noexcept {
        return next_ != end_ &&
               ((*next_ >= 'a' && *next_ <= 'z') || (*next_ >= 'A' && *next_ <= 'Z'));
    }
    [[nodiscard]] constexpr std::uint64_t digit() const noexcept {
        return static_cast<std::uint64_t>(*next_ - '0');
    }

    constexpr void refuse(quota_error reason) noexcept {
        if (wrong_ == quota_error::none) wrong_ = reason;
    }

    const char* next_;
    const char* end_;
    quota_error wrong_ = quota_error::none;
};

}  // namespace detail

// Of a std::string, a std::string_view or what else has its characters in a row.
template <class Text>
    requires requires(const Text& t) {
        { t.data() } -> std::convertible_to<const char*>;
        { t.size() } -> std::convertible_to<std::size_t>;
    }
[[nodiscard]] constexpr result<quota, quota_error> parse_quota(const Text& text) noexcept {
    return detail::quota_text(text.data(), text.data() + text.size()).read();
}

// Of a literal, or of what getenv returns: no text is no quota.
[[nodiscard]] constexpr result<quota, quota_error> parse_quota(const char* text) noexcept {
    if (text == nullptr) return quota_error::not_a_quota;
    const char* end = text;
    while (*end != '\0') ++end;
    return detail::quota_text(text, end).read();
}

}  // namespace weir
