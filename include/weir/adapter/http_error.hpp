// SPDX-License-Identifier: MIT
// http_error: why a header is not understood, or cannot be written. A header that is not understood
// changes nothing of what is known.
#pragma once

#include <cstdint>

namespace weir::http {

enum class http_error : std::uint8_t {
    none,
    // what is read
    not_a_count,
    not_a_time,
    not_a_truth,
    not_a_list,
    item_without_its_count,
    parameter_of_another_kind,
    word_too_long,
    word_not_printable,
    two_names,
    too_many_budgets,
    // what is written
    name_empty,
    name_with_quotes,
};

[[nodiscard]] constexpr const char* describe(http_error reason) noexcept {
    switch (reason) {
        case http_error::none: return "no error";
        case http_error::not_a_count: return "the value is no whole number of units";
        case http_error::not_a_time:
            return "the value is no time: seconds, 6m0s, a time since 1970 or a date";
        case http_error::not_a_truth: return "the value is neither true nor false";
        case http_error::not_a_list: return "the value is no list of items as RFC 9651 writes them";
        case http_error::item_without_its_count:
            return "an item of RateLimit must have r, and one of RateLimit-Policy q";
        case http_error::parameter_of_another_kind:
            return "q, r, w and t are whole numbers, qu is a text and pk is bytes";
        case http_error::word_too_long:
            return "a name, unit or partition key has 47 characters at most";
        case http_error::word_not_printable:
            return "a name, unit or partition key is of printable ASCII characters";
        case http_error::two_names:
            return "a budget has two names or two units, or the response has two scopes";
        case http_error::too_many_budgets: return "the response tells of more than 16 budgets";
        case http_error::name_empty: return "a policy must have a name";
        case http_error::name_with_quotes:
            return "the name and the unit of a policy are without quotes and backslashes";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops at one of these and shows its name.
inline void the_name_and_the_unit_of_a_policy_are_1_to_47_printable_characters_without_quotes() {}
inline void this_header_is_not_understood() {}

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(http_error reason) {
    switch (reason) {
        case http_error::none: break;
        case http_error::word_too_long:
        case http_error::word_not_printable:
        case http_error::name_empty:
        case http_error::name_with_quotes:
            detail::
                the_name_and_the_unit_of_a_policy_are_1_to_47_printable_characters_without_quotes();
            break;
        default: detail::this_header_is_not_understood();
    }
}

}  // namespace weir::http
