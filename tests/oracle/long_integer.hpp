// SPDX-License-Identifier: MIT
// Signed integers of 128 bits for compilers that have none, which are those for 32-bit machines.
// Two's complement, as the compilers' own; only what the models use.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace oracle {

class long_integer {
public:
    constexpr long_integer() = default;
    template <std::integral T>
    constexpr long_integer(T value)  // NOLINT(google-explicit-constructor): as the native one
        : low_(static_cast<std::uint64_t>(value)) {
        if constexpr (std::signed_integral<T>) high_ = value < 0 ? ~std::uint64_t{0} : 0;
    }

    template <std::integral T>
    constexpr explicit operator T() const {
        return static_cast<T>(low_);
    }
    constexpr explicit operator double() const {
        constexpr double circle = 18'446'744'073'709'551'616.0;
        return negative() ? -static_cast<double>(-*this)
                          : static_cast<double>(high_) * circle + static_cast<double>(low_);
    }

    friend constexpr bool operator==(long_integer, long_integer) = default;
    friend constexpr std::strong_ordering operator<=>(long_integer a, long_integer b) {
        const auto by_high =
            static_cast<std::int64_t>(a.high_) <=> static_cast<std::int64_t>(b.high_);
        return by_high != 0 ? by_high : a.low_ <=> b.low_;
    }

    constexpr long_integer operator-() const { return long_integer{} - *this; }
    friend constexpr long_integer operator+(long_integer a, long_integer b) {
        const std::uint64_t low = a.low_ + b.low_;
        return {a.high_ + b.high_ + (low < a.low_ ? 1U : 0U), low};
    }
    friend constexpr long_integer operator-(long_integer a, long_integer b) {
        return {a.high_ - b.high_ - (a.low_ < b.low_ ? 1U : 0U), a.low_ - b.low_};
    }
    friend constexpr long_integer operator*(long_integer a, long_integer b) {
        // By halves of the lower words; what is above 128 bits falls off.
        constexpr std::uint64_t half = 0xFFFF'FFFFU;
        const std::uint64_t cross = (a.low_ >> 32U) * (b.low_ & half);
        const std::uint64_t other = (a.low_ & half) * (b.low_ >> 32U);
        const long_integer top{(a.low_ >> 32U) * (b.low_ >> 32U) + a.high_ * b.low_ +
                                   a.low_ * b.high_,
                               (a.low_ & half) * (b.low_ & half)};
        return top + (long_integer{0, cross} << 32U) + (long_integer{0, other} << 32U);
    }
    friend constexpr long_integer operator/(long_integer a, long_integer b) {
        const long_integer size = quotient(a.magnitude(), b.magnitude());
        return a.negative() == b.negative() ? size : -size;
    }
    friend constexpr long_integer operator%(long_integer a, long_integer b) {
        return a - a / b * b;
    }

    friend constexpr long_integer operator|(long_integer a, long_integer b) {
        return {a.high_ | b.high_, a.low_ | b.low_};
    }
    friend constexpr long_integer operator<<(long_integer a, unsigned by) {
        if (by == 0) return a;
        if (by >= 64) return {a.low_ << (by - 64), 0};
        return {a.high_ << by | a.low_ >> (64 - by), a.low_ << by};
    }
    friend constexpr long_integer operator>>(long_integer a, unsigned by) {
        if (by == 0) return a;
        const auto high = static_cast<std::int64_t>(a.high_);
        const auto sign = static_cast<std::uint64_t>(high >> 63);
        if (by >= 64) return {sign, static_cast<std::uint64_t>(high >> (by - 64))};
        return {static_cast<std::uint64_t>(high >> by), a.high_ << (64 - by) | a.low_ >> by};
    }

    constexpr long_integer& operator+=(long_integer b) { return *this = *this + b; }
    constexpr long_integer& operator-=(long_integer b) { return *this = *this - b; }
    constexpr long_integer& operator*=(long_integer b) { return *this = *this * b; }
    constexpr long_integer& operator/=(long_integer b) { return *this = *this / b; }
    constexpr long_integer& operator++() { return *this += 1; }
    constexpr long_integer& operator--() { return *this -= 1; }

private:
    constexpr long_integer(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

    [[nodiscard]] constexpr bool negative() const { return high_ >> 63U != 0; }
    [[nodiscard]] constexpr long_integer magnitude() const { return negative() ? -*this : *this; }

    // Of two that are not negative: one bit at a time, unless both are short.
    [[nodiscard]] static constexpr long_integer quotient(long_integer a, long_integer b) {
        if (a.high_ == 0 && b.high_ == 0) return {0, a.low_ / b.low_};
        long_integer whole;
        long_integer rest;
        for (unsigned bit = 128; bit-- > 0;) {
            rest = rest << 1U | long_integer{0, (a >> bit).low_ & 1U};
            whole = whole << 1U;
            if (rest >= b) {
                rest -= b;
                whole.low_ |= 1U;
            }
        }
        return whole;
    }

    std::uint64_t high_ = 0;
    std::uint64_t low_ = 0;
};

}  // namespace oracle
