// SPDX-License-Identifier: MIT
// Division by a number that is known at set-up: a multiplication and at most one correction.
#pragma once

#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>

namespace weir {

template <class Word>
class divisor {
public:
    divisor() = default;
    constexpr explicit divisor(Word value) noexcept
        : value_(value), reciprocal_(static_cast<Word>(largest<Word> / value)) {}

    [[nodiscard]] constexpr Word value() const noexcept { return value_; }

    [[nodiscard, gnu::always_inline]] constexpr Word quotient(Word x) const noexcept {
        // reciprocal > 2^bits / value - 1, so this is exact or one too small.
        const Word low = mul_high(x, reciprocal_);
        return static_cast<Word>(low + (static_cast<Word>(x - low * value_) >= value_ ? 1U : 0U));
    }

    // Rounded up; x + value must not wrap.
    [[nodiscard, gnu::always_inline]] constexpr Word quotient_up(Word x) const noexcept {
        return quotient(static_cast<Word>(x + (value_ - 1)));
    }

private:
    Word value_;
    Word reciprocal_;
};

}  // namespace weir
