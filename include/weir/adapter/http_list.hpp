// SPDX-License-Identifier: MIT
// http_list: a list of items with parameters, as RFC 9651 (structured fields) writes it:
//     "default";r=50;t=30, "daily";r=900
// Each mistake refuses the whole value, as that standard demands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weir/adapter/http_scan.hpp>

namespace weir::http::detail {

enum class item_kind : unsigned char { text, token, count, bytes, other };

// `text` are the characters between the quotes or colons, with their backslashes. A `count` is a
// whole number that is not negative; negative numbers and fractions are `other`.
struct bare_item {
    item_kind kind = item_kind::other;
    std::string_view text;
    std::uint64_t count = 0;
};

enum class member : unsigned char { another, none, mistake };

class list_text {
public:
    constexpr explicit list_text(std::string_view value) noexcept : text_(trimmed(value)) {}

    // Each answers false if what comes is not written as it must be.
    constexpr bool item(bare_item& i) noexcept {
        const char c = text_.next();
        if (is_digit(c) || c == '-') return number(i);
        if (text_.take('"')) return quoted(i);
        if (text_.take(':')) {
            i = {item_kind::bytes, text_.take_while(is_base64)};
            return text_.take(':');
        }
        if (is_letter(c) || c == '*') {
            i = {item_kind::token, text_.take_while(is_of_token)};
            return true;
        }
        i = {};
        if (text_.take('?')) return text_.take('0') || text_.take('1');
        if (text_.take('@')) return date();
        bare_item ignored;
        return text_.take('%') && text_.take('"') && quoted(ignored);
    }

    // The parameters of what was read last. Without a value a parameter is `other`.
    [[nodiscard]] constexpr bool has_parameter() const noexcept { return text_.next() == ';'; }
    constexpr bool parameter(std::string_view& key, bare_item& value) noexcept {
        text_.skip();
        while (text_.take(' ')) {
        }
        value = {};
        return this->key(key) && (!text_.take('=') || item(value));
    }
    constexpr bool key(std::string_view& key) noexcept {
        const char first = text_.next();
        if (first != '*' && (first < 'a' || first > 'z')) return false;
        key = text_.take_while(
            [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || is_one_of("_-.*", c); });
        return true;
    }
    constexpr bool take_equals() noexcept { return text_.take('='); }

    // Goes from one member to the next. A comma at the end is a mistake.
    constexpr member next_member() noexcept {
        if (text_.is_over()) return member::none;
        text_.skip_blanks();
        if (!text_.take(',')) return member::mistake;
        text_.skip_blanks();
        return text_.is_over() ? member::mistake : member::another;
    }

    // A number of any length, for the headers that are older than the standard.
    constexpr bool count_of_any_length(std::uint64_t& count) noexcept {
        const digits d = text_.number();
        count = d.value;
        return d.count != 0;
    }

private:
    static constexpr bool is_one_of(std::string_view all, char c) noexcept {
        return all.find(c) != all.npos;
    }
    static constexpr bool is_base64(char c) noexcept {
        return is_letter(c) || is_digit(c) || is_one_of("+/=", c);
    }
    static constexpr bool is_of_token(char c) noexcept {
        return is_letter(c) || is_digit(c) || is_one_of("!#$%&'*+-.^_`|~:/", c);
    }

    constexpr bool number(bare_item& i) noexcept {
        const bool is_negative = text_.take('-');
        const digits whole = text_.number();
        i = {is_negative ? item_kind::other : item_kind::count, {}, whole.value};
        if (whole.count == 0 || whole.count > 15) return false;
        if (!text_.take('.')) return true;
        i.kind = item_kind::other;
        const digits part = text_.number();
        return whole.count <= 12 && part.count >= 1 && part.count <= 3;
    }

    constexpr bool date() noexcept {
        text_.take('-');
        const unsigned size = text_.number().count;
        return size >= 1 && size <= 15;
    }

    constexpr bool quoted(bare_item& i) noexcept {
        const std::string_view begin = text_.rest();
        for (;;) {
            const char c = text_.next();
            if (c < 0x20 || c > 0x7E) return false;  // a zero behind the end is refused too
            if (c == '"') break;
            text_.skip();
            if (c == '\\' && text_.next() != '"' && text_.next() != '\\') return false;
            if (c == '\\') text_.skip();
        }
        i = {item_kind::text, begin.substr(0, begin.size() - text_.rest().size())};
        text_.skip();
        return true;
    }

    scan text_;
};

}  // namespace weir::http::detail
