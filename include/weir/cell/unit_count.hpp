// SPDX-License-Identifier: MIT
// unit_count: how many units somebody asks for. Units are whole and never negative: 0.5 and -1 do
// not compile. Nor does a signed variable, which might be negative: make it unsigned. What is more
// than a word can hold is as many as it can, which is more than any burst.
//
// The compiler's first line says what to do. Only of a signed expression such as n + 1, and of a
// const variable, does g++ say no more than that n is not a constant expression.
#pragma once

#include <concepts>
#include <type_traits>

#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

namespace detail {

// Only the compiler meets it, and cannot evaluate it: g++ shows its name.
inline void units_are_whole_and_not_negative() noexcept { __builtin_trap(); }
// clang shows this name, as an argument of the constructor that it cannot evaluate.
struct units_are_whole_and_not_negative_make_the_variable_unsigned;

template <class T>
concept no_number = std::floating_point<T> || std::same_as<T, bool> || std::same_as<T, char> ||
    std::same_as<T, wchar_t> || std::same_as<T, char8_t> || std::same_as<T, char16_t> ||
    std::same_as<T, char32_t>;

}  // namespace detail

class unit_count {
public:
    template <std::unsigned_integral Number>
        requires(!detail::no_number<Number>)
    [[gnu::always_inline]] constexpr unit_count(Number n) noexcept  // NOLINT(google-explicit-*)
        : count_(static_cast<word>(n)) {
        if constexpr (sizeof(Number) > sizeof(word)) {
            if (n > largest<word>) count_ = largest<word>;
        }
    }

    template <std::signed_integral Number,
              class = detail::units_are_whole_and_not_negative_make_the_variable_unsigned>
        requires(!detail::no_number<Number>)
    consteval unit_count(const Number& n) noexcept  // NOLINT(google-explicit-constructor)
        : unit_count(static_cast<std::make_unsigned_t<Number>>(n)) {
        if (n < 0) detail::units_are_whole_and_not_negative();
    }

    // These are not constexpr, as in `instant`.
    template <std::signed_integral Number>
        requires(!detail::no_number<Number> && !std::is_const_v<Number>)
    unit_count(Number&)
    noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Number) == 0,
                      "units are whole and not negative: make the variable unsigned");
    }
    template <detail::no_number Other>
    unit_count(Other) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "units are whole numbers, and no truth values or characters: for half a unit "
                      "count in smaller ones, such as bytes or thousandths");
    }
    template <class Clock>
    unit_count(instant<Clock>) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Clock) == 0,
                      "this is a time, and the number of units comes first: try_acquire(n, now)");
    }

    [[gnu::always_inline]] constexpr operator word() const noexcept {  // NOLINT(google-explicit-*)
        return count_;
    }

private:
    word count_;
};

}  // namespace weir
