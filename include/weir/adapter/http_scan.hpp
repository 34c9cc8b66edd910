// SPDX-License-Identifier: MIT
// http_scan: reads the characters of a header from left to right. It never reads behind the end,
// never allocates, and knows no locale. Bytes beyond ASCII are neither letters nor digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::http::detail {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr char lowered(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return lowered(c) >= 'a' && lowered(c) <= 'z';
}

[[nodiscard]] constexpr bool is_same_word(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (lowered(a[i]) != lowered(b[i])) return false;
    }
    return true;
}

// A number of any length: saturated at the largest, which `is_beyond` tells.
struct digits {
    std::uint64_t value = 0;
    unsigned count = 0;  // how many there are
    bool is_beyond = false;
};

// What stands behind the point, in parts of 10^9, rounded up: a time never becomes shorter.
struct decimal {
    digits whole;
    std::uint64_t parts = 0;
};

class scan {
public:
    constexpr explicit scan(std::string_view text) noexcept : rest_(text) {}

    [[nodiscard]] constexpr bool is_over() const noexcept { return rest_.empty(); }
    [[nodiscard]] constexpr std::string_view rest() const noexcept { return rest_; }
    // The next character; a zero behind the last.
    [[nodiscard]] constexpr char next() const noexcept { return rest_.empty() ? '\0' : rest_[0]; }
    constexpr void skip() noexcept { rest_.remove_prefix(rest_.empty() ? 0 : 1); }

    constexpr bool take(char c) noexcept {
        if (rest_.empty() || rest_[0] != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    // In any case, and all of it or nothing.
    constexpr bool take_word(std::string_view word) noexcept {
        if (!is_same_word(rest_.substr(0, word.size()), word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    constexpr void skip_blanks() noexcept {
        while (next() == ' ' || next() == '\t') skip();
    }

    // As long as the character is one of `Kind`.
    template <class Kind>
    constexpr std::string_view take_while(const Kind& kind) noexcept {
        std::size_t size = 0;
        while (size < rest_.size() && kind(rest_[size])) ++size;
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    constexpr digits number() noexcept {
        digits d;
        for (const char c : take_while(is_digit)) {
            const auto digit = static_cast<std::uint64_t>(c - '0');
            d.is_beyond = d.is_beyond || __builtin_mul_overflow(d.value, 10, &d.value) ||
                          __builtin_add_overflow(d.value, digit, &d.value);
            ++d.count;
        }
        if (d.is_beyond) d.value = UINT64_MAX;
        return d;
    }

    // Exactly so many digits; false if there are others.
    constexpr bool take_digits(unsigned count, std::uint64_t& value) noexcept {
        const digits d = number();
        value = d.value;
        return d.count == count;
    }

    // Digits, and perhaps a point with more of them. False if there are none where they must be.
    constexpr bool take_decimal(decimal& d) noexcept {
        d.whole = number();
        return d.whole.count != 0 && (!take('.') || take_fraction(d.parts));
    }
    constexpr bool take_fraction(std::uint64_t& parts) noexcept {
        const std::string_view all = take_while(is_digit);
        parts = 0;
        bool is_more = false;
        for (std::size_t i = 0; i < 9; ++i)
            parts = parts * 10 + (i < all.size() ? static_cast<std::uint64_t>(all[i] - '0') : 0U);
        for (std::size_t i = 9; i < all.size(); ++i) is_more = is_more || all[i] != '0';
        parts += is_more ? 1 : 0;
        return !all.empty();
    }

private:
    std::string_view rest_;
};

// Without the blanks around it, and without the line's end.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace weir::http::detail
