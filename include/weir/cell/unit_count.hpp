// unit_count: how many units somebody asks for. Units are whole and never negative: 0.5 and -1 do
// not compile. Nor does a signed variable, which might be negative: make it unsigned. What is more
// than a word can hold is as many as it can, which is more than any burst.
#pragma once

#include <concepts>
#include <type_traits>

#include <weir/base/word.hpp>

namespace weir {

namespace detail {

void a_number_of_units_must_not_be_negative();  // not defined: only the compiler meets it

}  // namespace detail

class unit_count {
public:
    template <std::unsigned_integral Number>
    [[gnu::always_inline]] constexpr unit_count(Number n) noexcept  // NOLINT(google-explicit-*)
        : count_(static_cast<word>(n)) {
        if constexpr (sizeof(Number) > sizeof(word)) {
            if (n > largest<word>) count_ = largest<word>;
        }
    }

    template <std::signed_integral Number>
    consteval unit_count(Number n) noexcept  // NOLINT(google-explicit-constructor)
        : unit_count(static_cast<std::make_unsigned_t<Number>>(n)) {
        if (n < 0) detail::a_number_of_units_must_not_be_negative();
    }

    template <std::floating_point Number>
    constexpr unit_count(Number) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(
            sizeof(Number) == 0,
            "units are whole numbers: count in smaller ones, such as bytes or thousandths");
    }

    [[gnu::always_inline]] constexpr operator word() const noexcept {  // NOLINT(google-explicit-*)
        return count_;
    }

private:
    word count_;
};

}  // namespace weir
