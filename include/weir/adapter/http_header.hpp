// SPDX-License-Identifier: MIT
// http_header: what the name of a header says. The families:
//     RateLimit-Remaining                      the older three headers of the IETF's drafts
//     X-RateLimit-Remaining                    GitHub, Discord, Envoy, ...; also X-Rate-Limit-
//     X-RateLimit-Remaining-Tokens             a budget of that name; also the other way round
//     X-RateLimit-Remaining-Minute             a budget of an interval: Kong
//     x-ratelimit-remaining-tokens-minute      both: Cerebras
//     anthropic-ratelimit-tokens-remaining
//     X-MBX-USED-WEIGHT-1M, X-MBX-ORDER-COUNT-10S, X-SAPI-USED-IP-WEIGHT-1M     Binance
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/base/duration.hpp>

namespace weir::http::detail {

// What the value of a header is about.
enum class field : unsigned char {
    none,  // not of these families
    limit,
    remaining,
    used,
    reset,
    reset_after,
    retry_after,
    name,
    scope,
    is_global,
};

struct header {
    field what = field::none;
    origin from = origin::x;
    std::string_view budget;  // as the header has it, so in any case
    std::string_view unit;    // the same
    std::optional<nanoseconds> window;
};

struct named_field {
    std::string_view name;
    field what;
};
// A longer name comes before one that is its end.
inline constexpr named_field budget_fields[] = {
    {"reset-after", field::reset_after},
    {"limit", field::limit},
    {"remaining", field::remaining},
    {"used", field::used},
    {"reset", field::reset},
};
inline constexpr named_field response_fields[] = {
    {"retry-after", field::retry_after},
    {"resource", field::name},
    {"bucket", field::name},
    {"scope", field::scope},
    {"global", field::is_global},
};

struct family {
    std::string_view prefix;
    origin from;
};
inline constexpr family families[] = {
    {"ratelimit-", origin::older},
    {"x-ratelimit-", origin::x},
    {"x-rate-limit-", origin::x},
    {"anthropic-ratelimit-", origin::anthropic},
};

struct interval {
    std::string_view name;
    nanoseconds length;
};
inline constexpr interval intervals[] = {{"second", seconds(1)},
                                         {"minute", seconds(60)},
                                         {"hour", seconds(3'600)},
                                         {"day", seconds(86'400)}};

// "10s" of X-MBX-ORDER-COUNT-10S.
[[nodiscard]] constexpr std::optional<nanoseconds> short_interval(std::string_view text) noexcept {
    scan s(text);
    const digits count = s.number();
    const char letter = lowered(s.next());
    s.skip();
    const std::int64_t unit = letter == 's'   ? 1
                              : letter == 'm' ? 60
                              : letter == 'h' ? 3'600
                              : letter == 'd' ? 86'400
                                              : 0;
    if (!s.is_over() || unit == 0 || count.value == 0 || count.value > 1'000) return std::nullopt;
    return seconds(static_cast<std::int64_t>(count.value) * unit);
}

// Binance: what is used in an interval of the clock.
[[nodiscard]] constexpr header header_of_use(std::string_view name) noexcept {
    scan s(name);
    if (!s.take_word("x-mbx-") && !s.take_word("x-sapi-")) return {};
    const std::string_view budget = s.rest();
    if (!s.take_word("used-") && !s.take_word("order-count-")) return {};
    const std::size_t dash = budget.rfind('-');
    return {field::used, origin::used, budget, {}, short_interval(budget.substr(dash + 1))};
}

// "tokens", "minute" or "tokens-minute".
[[nodiscard]] constexpr header header_of_budget(field what, origin from,
                                                std::string_view name) noexcept {
    for (const interval& i : intervals) {
        if (is_same_word(name, i.name)) return {what, from, name, "requests", i.length};
        if (name.size() < i.name.size() + 2) continue;
        const std::size_t size = name.size() - i.name.size() - 1;
        if (name[size] == '-' && is_same_word(name.substr(size + 1), i.name))
            return {what, from, name, name.substr(0, size), i.length};
    }
    return {what, from, name, name, {}};
}

[[nodiscard]] constexpr header header_of_family(std::string_view rest, origin from) noexcept {
    for (const named_field& f : response_fields) {
        if (is_same_word(rest, f.name)) return {f.what, from, {}, "requests", {}};
    }
    for (const named_field& f : budget_fields) {
        if (is_same_word(rest, f.name)) return {f.what, from, {}, "requests", {}};
        if (rest.size() < f.name.size() + 2) continue;
        const std::size_t size = rest.size() - f.name.size() - 1;
        std::string_view budget;
        if (scan s(rest); s.take_word(f.name) && s.take('-')) {
            budget = s.rest();
        } else if (rest[size] == '-' && is_same_word(rest.substr(size + 1), f.name)) {
            budget = rest.substr(0, size);
        } else {
            continue;
        }
        for (const named_field& other : budget_fields) {
            if (is_same_word(budget, other.name)) return {};  // limit-reset: whatever that is
        }
        return header_of_budget(f.what, from, budget);
    }
    return {};
}

[[nodiscard]] constexpr header header_of(std::string_view name) noexcept {
    for (const family& f : families) {
        if (scan s(name); s.take_word(f.prefix)) return header_of_family(s.rest(), f.from);
    }
    return header_of_use(name);
}

}  // namespace weir::http::detail
