// SPDX-License-Identifier: MIT
// http_budget: what a server has told of one of its budgets. A response may tell of several, such
// as requests and tokens, or one a minute and one a day; they are never mixed up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/base/duration.hpp>

namespace weir::http {

// What is not told is not there. The texts lie in the `told` that has answered.
struct budget {
    std::string_view name;       // "" if the server has none for it
    std::string_view unit;       // "requests", "tokens", ...; "" if it is not known
    std::string_view partition;  // whose part of it, if the server says so: base64
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> burst;
    std::optional<std::uint64_t> used;
    std::optional<std::uint64_t> remaining;
    std::optional<nanoseconds> window;       // the limit is for so long
    std::optional<nanoseconds> reset_after;  // from now on
};

// What `set_remaining` of a limit takes.
struct left_units {
    std::uint64_t units = 0;
    nanoseconds reset_after;
};

namespace detail {

// A text that is kept, since the response may be gone.
class kept_text {
public:
    static constexpr std::size_t capacity = 47;

    constexpr kept_text() noexcept = default;

    [[nodiscard]] constexpr std::string_view view() const noexcept {
        return {characters_.data(), size_};
    }

    // Keeps nothing of what does not fit or cannot be printed.
    [[nodiscard]] constexpr http_error keep(std::string_view text) noexcept {
        if (text.size() > capacity) return http_error::word_too_long;
        for (const char c : text) {
            if (c < 0x20 || c > 0x7E) return http_error::word_not_printable;
        }
        size_ = 0;
        for (const char c : text) characters_[size_++] = c;
        return http_error::none;
    }
    // Names of headers are in any case.
    [[nodiscard]] constexpr http_error keep_lowered(std::string_view text) noexcept {
        const http_error why = keep(text);
        for (char& c : characters_) c = lowered(c);
        return why;
    }
    // What is kept once stays: another text is refused.
    [[nodiscard]] constexpr http_error keep_first(std::string_view text) noexcept {
        if (size_ != 0 && view() != text) return http_error::two_names;
        return keep(text);
    }
    // What stands between quotes, without its backslashes.
    [[nodiscard]] constexpr http_error keep_quoted(std::string_view text) noexcept {
        kept_text plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\') ++i;
            if (plain.size_ == capacity) return http_error::word_too_long;
            plain.characters_[plain.size_++] = text[i];
        }
        return keep(plain.view());
    }

private:
    std::array<char, capacity> characters_{};
    unsigned char size_ = 0;
};

// Of two values of one budget the stricter one counts.
template <class T>
constexpr void keep_lower(std::optional<T>& known, std::optional<T> value) noexcept {
    if (value && (!known || *value < *known)) known = value;
}
template <class T>
constexpr void keep_higher(std::optional<T>& known, std::optional<T> value) noexcept {
    if (value && (!known || *known < *value)) known = value;
}

// Which headers a budget is from. Those of two origins are two budgets: a proxy may add its own to
// those of the server behind it.
enum class origin : unsigned char {
    items,      // RateLimit, RateLimit-Policy
    older,      // RateLimit-Limit, ...
    nameless,   // policies of the older drafts, which are told apart by their quota
    x,          // X-RateLimit-Limit, ...
    anthropic,  // anthropic-ratelimit-requests-limit, ...
    used,       // X-MBX-USED-WEIGHT-1M, ...
};

struct entry {
    constexpr entry() noexcept = default;
    constexpr explicit entry(origin which) noexcept : from(which) {}

    origin from = origin::items;
    kept_text name;
    kept_text unit;
    kept_text partition;
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> burst;
    std::optional<std::uint64_t> used;
    std::optional<std::uint64_t> remaining;
    std::optional<nanoseconds> window;
    std::optional<nanoseconds> reset_in;  // from the response on
    std::optional<nanoseconds> reset_at;  // since 1970

    [[nodiscard]] constexpr bool is_of(const entry& other) const noexcept {
        return from == other.from && name.view() == other.name.view() &&
               partition.view() == other.partition.view() &&
               (from != origin::nameless || limit == other.limit);
    }

    // Changes nothing if it is refused.
    constexpr http_error add(const entry& other) noexcept {
        if (!other.unit.view().empty()) {
            const http_error why = unit.keep_first(other.unit.view());
            if (why != http_error::none) return why;
        }
        keep_lower(limit, other.limit);
        keep_lower(burst, other.burst);
        keep_higher(used, other.used);
        keep_lower(remaining, other.remaining);
        keep_higher(window, other.window);
        keep_higher(reset_in, other.reset_in);
        keep_higher(reset_at, other.reset_at);
        return http_error::none;
    }
};

}  // namespace detail

}  // namespace weir::http
