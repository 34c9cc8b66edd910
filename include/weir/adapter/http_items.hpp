// SPDX-License-Identifier: MIT
// http_items: what the values of RateLimit and RateLimit-Policy mean, in all drafts, and those of
// the older headers that hold counts:
//     "default";r=50;t=30               RateLimit, since draft 8; a name may stand without quotes
//     limit=100, remaining=50, reset=30 RateLimit of draft 7
//     "default";q=100;w=60;qu="tokens"  RateLimit-Policy, since draft 8
//     100;w=60, 5000;w=3600             RateLimit-Policy before, whose policies have no names
//     100, 100;w=60                     RateLimit-Limit of draft 3, and Envoy's X-RateLimit-Limit
// Each function hands out entries, or refuses the value. Who calls throws away what a refused value
// has handed out before.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_list.hpp>
#include <weir/base/duration.hpp>

namespace weir::http::detail {

[[nodiscard]] constexpr nanoseconds whole_seconds(std::uint64_t count) noexcept {
    return count > INT64_MAX ? nanoseconds::longest() : seconds(static_cast<std::int64_t>(count));
}

enum class items_of : unsigned char { limits, policies };

// The parameters that mean something; others are comments.
class item_terms {
public:
    constexpr item_terms(items_of what, entry& e) noexcept : what_(what), e_(e) {}

    constexpr http_error take(std::string_view key, const bare_item& value) noexcept {
        const bool is_policy = what_ == items_of::policies;
        if (key == "pk") return partition(value);
        if (is_policy && key == "qu") return unit(value);
        if (is_policy && key == "window") key = "w";  // as the first drafts had it
        if (is_policy && key == "w" && value.count == 0)
            return http_error::parameter_of_another_kind;
        if (key == (is_policy ? "q" : "r"))
            return count(is_policy ? e_.limit : e_.remaining, value);
        if (key == (is_policy ? "w" : "t")) return time(is_policy ? e_.window : e_.reset_in, value);
        if (is_policy && key == "weir-burst") return count(e_.burst, value);
        return http_error::none;
    }

private:
    static constexpr http_error count(std::optional<std::uint64_t>& to,
                                      const bare_item& value) noexcept {
        if (value.kind != item_kind::count) return http_error::parameter_of_another_kind;
        to = value.count;
        return http_error::none;
    }
    static constexpr http_error time(std::optional<nanoseconds>& to,
                                     const bare_item& value) noexcept {
        if (value.kind != item_kind::count) return http_error::parameter_of_another_kind;
        to = whole_seconds(value.count);
        return http_error::none;
    }
    constexpr http_error partition(const bare_item& value) noexcept {
        if (value.kind != item_kind::bytes) return http_error::parameter_of_another_kind;
        return e_.partition.keep(value.text);
    }
    constexpr http_error unit(const bare_item& value) noexcept {
        if (value.kind != item_kind::text && value.kind != item_kind::token)
            return http_error::parameter_of_another_kind;
        // The drafts' registry has it in the singular.
        return e_.unit.keep_quoted(value.text == "request" ? "requests" : value.text);
    }

    items_of what_;
    entry& e_;
};

constexpr http_error read_parameters(list_text& list, items_of what, entry& e) noexcept {
    item_terms terms(what, e);
    while (list.has_parameter()) {
        std::string_view key;
        bare_item value;
        if (!list.parameter(key, value)) return http_error::not_a_list;
        const http_error why = terms.take(key, value);
        if (why != http_error::none) return why;
    }
    return http_error::none;
}

// RateLimit of draft 7: one budget, told as a dictionary.
template <class Each>
constexpr http_error read_dictionary(std::string_view value, const Each& each) noexcept {
    list_text list(value);
    entry e(origin::older);
    member next = member::another;
    for (; next == member::another; next = list.next_member()) {
        std::string_view key;
        bare_item number;
        if (!list.key(key) || !list.take_equals() || !list.item(number))
            return http_error::not_a_list;
        entry told(origin::older);
        if (key == "limit") told.limit = number.count;
        if (key == "remaining") told.remaining = number.count;
        if (key == "reset") told.reset_in = whole_seconds(number.count);
        const bool is_known = told.limit || told.remaining || told.reset_in;
        if (is_known && number.kind != item_kind::count)
            return http_error::parameter_of_another_kind;
        (void)e.add(told);  // without units nothing is refused
        entry comments;
        const http_error why = read_parameters(list, items_of::limits, comments);
        if (why != http_error::none) return why;
    }
    if (next == member::mistake) return http_error::not_a_list;
    return e.remaining ? each(e) : http_error::item_without_its_count;
}

// RateLimit and RateLimit-Policy.
template <class Each>
constexpr http_error read_items(std::string_view value, items_of what, const Each& each) noexcept {
    list_text list(value);
    list_text ahead(value);
    std::string_view key;
    if (what == items_of::limits && ahead.key(key) && ahead.take_equals())
        return read_dictionary(value, each);
    for (;;) {
        entry e;
        bare_item name;
        if (!list.item(name)) return http_error::not_a_list;
        http_error why = read_parameters(list, what, e);
        if (why != http_error::none) return why;
        const member next = list.next_member();
        if (next == member::mistake) return http_error::not_a_list;
        if (what == items_of::policies && name.kind == item_kind::count) {
            e.from = origin::nameless;
            e.limit = name.count;
        } else if (name.kind == item_kind::text || name.kind == item_kind::token) {
            why = e.name.keep_quoted(name.text);
        } else {
            why = http_error::not_a_list;
        }
        if (why == http_error::none && !e.limit && !e.remaining)
            why = http_error::item_without_its_count;
        if (why == http_error::none) why = each(e);
        if (why != http_error::none || next == member::none) return why;
    }
}

enum class count_of : unsigned char { limit, remaining, used };

// The first member is the count. A later one is the same header sent twice, so the stricter one
// counts; or, if it has parameters, a policy of draft 3: that of the limit's quota says the window.
constexpr http_error read_count(std::string_view value, count_of what, std::uint64_t& count,
                                std::optional<nanoseconds>& window) noexcept {
    list_text list(value);
    bool is_first = true;
    member next = member::another;
    for (; next == member::another; next = list.next_member(), is_first = false) {
        std::uint64_t number = 0;
        if (!list.count_of_any_length(number)) return http_error::not_a_count;
        const bool is_policy = what == count_of::limit && list.has_parameter() && !is_first;
        entry e;
        const http_error why = read_parameters(list, items_of::policies, e);
        if (why != http_error::none) return why;
        const bool is_stricter = what == count_of::used ? number > count : number < count;
        if (is_first || (!is_policy && is_stricter)) count = number;
        if (what == count_of::limit && number == count) keep_higher(window, e.window);
    }
    return next == member::none ? http_error::none : http_error::not_a_count;
}

}  // namespace weir::http::detail
