// SPDX-License-Identifier: MIT
// What must hold of any headers, whatever their bytes: a story of what does not, or none. `Told` is
// the reader, so that a planted mistake can be found in it.
//
// - What is refused changes nothing, and has its sentence.
// - Read again, and with names in another case, it says the same; so it does in another order.
// - Two lines of a list say what one line says that joins them.
// - No count comes out of nothing: its digits stand in the headers.
// - What is left is never more than the server says, or than the quota that was given.
// - What was read, written and read again is the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/adapter/http_policy.hpp>
#include <weir/adapter/http_told.hpp>

#include "dice.hpp"

namespace oracle {

using http_headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr auto http_now = weir::http::utc_time::since_1970(weir::seconds(1'700'000'000));

// A line each: the name, a colon and the value, which may be anything but a line's end.
[[nodiscard]] inline http_headers headers_in(std::string_view text) {
    http_headers all;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t colon = std::min(line.find(':'), line.size());
        all.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
    }
    return all;
}

template <class Told>
[[nodiscard]] std::vector<std::string> all_of_it(const Told& t) {
    const auto in_words = [](const auto& value) {
        if (!value) return std::string("-");
        if constexpr (requires { value->count(); }) {
            return std::to_string(value->count());
        } else {
            return std::to_string(*value);
        }
    };
    std::vector<std::string> all;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const weir::http::budget b = t[i];
        std::string line;
        for (const std::string_view word : {b.name, b.unit, b.partition}) {
            line += std::to_string(word.size());
            line.append(" ").append(word).append(" ");
        }
        for (const auto& count : {b.limit, b.burst, b.used, b.remaining})
            line += in_words(count) + " ";
        for (const auto& time : {b.window, b.reset_after}) line += in_words(time) + " ";
        all.push_back(line);
    }
    std::sort(all.begin(), all.end());
    all.push_back(std::to_string(t.retry_after(weir::nanoseconds(-1)).count()));
    all.emplace_back(t.scope());
    all.emplace_back(t.is_from_cache() ? "from a cache" : "");
    return all;
}

[[nodiscard]] inline std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return text;
}

using http_story = std::optional<std::string>;

template <class Told>
[[nodiscard]] http_story story_of_reading(const http_headers& all, Told& t) {
    using weir::http::http_error;
    for (const auto& [name, value] : all) {
        const auto before = all_of_it(t);
        const http_error why = t.read(name, value);
        const auto after = all_of_it(t);
        if (why != http_error::none) {
            if (after != before) return "what was refused changed something: " + name;
            if (std::string_view(describe(why)).size() < 10) return "a refusal without a sentence";
            if (t.error() == http_error::none) return "a refusal was forgotten";
            continue;
        }
        if (t.read(in_capitals(name), " " + value + " ") != http_error::none)
            return "refused what it had accepted: " + name;
        if (all_of_it(t) != after)
            return "another case or a second time changed something: " + name;
    }
    if (t.error() != http_error::none) return {};
    Told backwards(http_now);
    for (const auto& [name, value] : http_headers(all.rbegin(), all.rend()))
        backwards.read(name, value);
    // A refusal may depend on the order: of the seventeenth budget, and of the second name.
    if (backwards.error() == http_error::none && all_of_it(backwards) != all_of_it(t))
        return "another order said something else";
    return {};
}

template <class Told>
[[nodiscard]] http_story story_of_joining(const http_headers& all) {
    for (const std::string_view list : {"RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining"}) {
        Told lines(http_now);
        std::string joined;
        const char* between = "";
        for (const auto& [name, value] : all) {
            if (!weir::http::detail::is_same_word(name, list)) continue;
            lines.read(name, value);
            joined.append(between).append(value);
            between = ", ";
        }
        Told line(http_now);
        // What is refused in one line is refused with all that it is joined with, and a dictionary
        // of draft 7 may be whole only when its lines are joined.
        line.read(list, joined);
        if (line.error() != weir::http::http_error::none) continue;
        if (lines.error() != weir::http::http_error::none) continue;
        if (all_of_it(line) != all_of_it(lines)) return "one line says something else than two";
    }
    return {};
}

template <class Told>
[[nodiscard]] http_story story_of_counts(std::string_view text, const Told& t) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        const weir::http::budget b = t[i];
        for (const auto& count : {b.limit, b.burst, b.used, b.remaining}) {
            if (!count || *count == UINT64_MAX) continue;
            if (text.find(std::to_string(*count)) == text.npos)
                return std::to_string(*count) + " came out of nothing";
        }
        for (const auto& time : {b.window, b.reset_after}) {
            if (time && *time < weir::nanoseconds{}) return "a time in the past";
        }
        for (const weir::quota& own : {weir::per_minute(7), weir::per_hour(INT64_MAX)}) {
            const auto left = t.left(own, b.name);
            if (!left) continue;
            if (b.remaining && left->units > *b.remaining) return "more is left than was told";
            if (b.used && b.limit && left->units > *b.limit) return "more is left than the limit";
            if (b.used && !b.limit && left->units > static_cast<std::uint64_t>(own.units()))
                return "more is left than one's own quota";
            if (left->reset_after < weir::nanoseconds{}) return "a reset in the past";
        }
        if (t.is_from_cache() && t.left(weir::per_minute(7), b.name)) return "a cache was believed";
    }
    return {};
}

// A decision as it may be told.
struct told_decision {
    weir::verdict what = weir::verdict::admitted;
    std::uint64_t left = 0;
    weir::nanoseconds reset{};
    weir::nanoseconds retry{};

    [[nodiscard]] weir::verdict verdict() const { return what; }
    [[nodiscard]] std::uint64_t remaining() const { return left; }
    [[nodiscard]] weir::nanoseconds reset_after() const { return reset; }
    [[nodiscard]] weir::nanoseconds retry_after() const { return retry; }
};

// What a budget says, written as a server would, says the same.
template <class Told>
[[nodiscard]] http_story story_of_rewriting(const Told& t) {
    constexpr std::uint64_t most = 999'999'999'999'999;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const weir::http::budget b = t[i];
        const auto fits = [&](const std::optional<std::uint64_t>& n) { return n && *n <= most; };
        if (!fits(b.limit) || !fits(b.remaining) || *b.limit == 0 || !b.window || !b.reset_after)
            continue;
        const auto q =
            weir::quota::make(static_cast<std::int64_t>(*b.limit), *b.window,
                              static_cast<std::int64_t>(fits(b.burst) ? *b.burst : *b.limit));
        if (!q) continue;
        const auto p = weir::http::policy::make(b.name, *q, b.unit);
        if (!p) continue;
        Told again(http_now);
        bool is_understood = true;
        p->write(told_decision{.left = *b.remaining, .reset = *b.reset_after},
                 [&](std::string_view name, std::string_view value) {
                     is_understood =
                         again.read(name, value) == weir::http::http_error::none && is_understood;
                 });
        if (!is_understood || again.size() != 1) return "what was written is not understood";
        const weir::http::budget c = again[0];
        const std::int64_t second = weir::nanoseconds::per_second;
        const bool is_longest = *b.reset_after > weir::seconds(999'999'999);
        if (c.name != b.name || (!b.unit.empty() && c.unit != b.unit) || c.remaining != b.remaining)
            return "what was written says something else";
        if (c.limit != b.limit || c.window != b.window ||
            c.burst.value_or(*c.limit) != static_cast<std::uint64_t>(q->burst()))
            return "a policy that was written says something else";
        if (!is_longest && (*c.reset_after < *b.reset_after ||
                            c.reset_after->count() - b.reset_after->count() >= second))
            return "a reset that was written is another one";
    }
    return {};
}

// Whatever a server is made of, what it writes is understood and is as strict.
template <class Told>
[[nodiscard]] http_story story_of_writing(std::string_view text, dice d) {
    const std::string name(text.substr(0, static_cast<std::size_t>(d.roll(50))));
    const auto number = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(d.magnitude(1, most));
    };
    const auto q = weir::quota::make(number(INT64_MAX), weir::nanoseconds(number(INT64_MAX)),
                                     number(INT64_MAX));
    if (!q) return {};
    const auto p = weir::http::policy::make(name, *q, d.chance(50) ? "tokens" : "");
    if (!p) return {};
    const told_decision answer{d.chance(50) ? weir::verdict::admitted : weir::verdict::wait,
                               d.next(), weir::nanoseconds(number(INT64_MAX)),
                               weir::nanoseconds(number(INT64_MAX))};
    Told t(http_now);
    http_story wrong;
    const auto set = [&](std::string_view header, std::string_view value) {
        if (t.read(header, value) != weir::http::http_error::none)
            wrong = "did not understand " + std::string(value);
    };
    p->write(answer, set, {.older = true, .x = true, .now = http_now});
    weir::http::write_retry_after(answer, set);
    if (wrong) return wrong;
    const bool is_refused = answer.what == weir::verdict::wait;
    // A longer time is told as 31 years, so that nobody takes it for one since 1970.
    const weir::nanoseconds most = weir::seconds(999'999'999);
    const weir::nanoseconds reset = std::min(is_refused ? answer.retry : answer.reset, most);
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (*t[i].remaining > answer.left) return "more was told than is left";
        if (*t[i].reset_after < reset) return "an earlier reset was told";
    }
    if (t[0].name != name) return "another name was told";
    if (is_refused && t.retry_after() < std::max(reset, weir::seconds(1)))
        return "too short a wait was told";
    return {};
}

template <class Told>
[[nodiscard]] http_story http_disagreement(std::string_view text, dice d) {
    const http_headers all = headers_in(text);
    Told t(http_now);
    if (auto story = story_of_reading(all, t)) return story;
    if (auto story = story_of_joining<Told>(all)) return story;
    if (auto story = story_of_counts(text, t)) return story;
    if (auto story = story_of_rewriting(t)) return story;
    return story_of_writing<Told>(text, d);
}

}  // namespace oracle
