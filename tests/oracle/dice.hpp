// SPDX-License-Identifier: MIT
// Random numbers of all tests: the same on every platform and library, so that a seed means one
// history. A fuzzer throws the dice itself: then bytes mean one history, and a history ends with
// them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact.hpp"

namespace oracle {

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}
    explicit dice(std::span<const std::uint8_t> thrown) : thrown_(thrown), is_thrown_(true) {}

    // True when all that was thrown has been used.
    [[nodiscard]] bool over() const { return is_thrown_ && thrown_.empty(); }

    std::uint64_t next() { return next(8); }

    std::uint64_t roll(std::uint64_t sides) {
        return next(sides <= UINT8_MAX ? 1 : sides <= UINT16_MAX ? 2 : 8) % sides;
    }

    // From 0 up to limit, limit included.
    integer up_to(integer limit) {
        if (limit <= 0) return 0;
        const std::size_t bytes = limit <= UINT8_MAX    ? 1
                                  : limit <= UINT16_MAX ? 2
                                  : limit <= UINT32_MAX ? 4
                                                        : 8;
        const integer low = integer{next(bytes)};
        if (limit <= UINT32_MAX) return low % (limit + 1);
        return (integer{next() >> 1U} << 64U | low) % (limit + 1);
    }

    // From 0 up to limit, each number of digits as likely as any other.
    integer magnitude(integer limit) {
        unsigned digits = 0;
        while (digits < 126 && (integer{1} << digits) <= limit) ++digits;
        const integer rough = integer{1} << static_cast<unsigned>(roll(digits + 1));
        return up_to(rough < limit ? rough : limit);
    }

    // From least to most, both included; not the whole range of numbers.
    std::uint64_t between(std::uint64_t least, std::uint64_t most) {
        return least + roll(most - least + 1);
    }

    // The same, each number of binary digits as likely as any other.
    std::uint64_t magnitude(std::uint64_t least, std::uint64_t most) {
        const std::uint64_t digits = between(static_cast<std::uint64_t>(std::bit_width(least)),
                                             static_cast<std::uint64_t>(std::bit_width(most)));
        const std::uint64_t first = std::uint64_t{1} << (digits - 1);
        return between(std::max(least, first), std::min(most, 2 * first - 1));
    }

    bool chance(unsigned percent) { return roll(100) < percent; }
    bool one_in(std::uint64_t sides) { return roll(sides) == 0; }

    std::size_t index(std::size_t count) { return static_cast<std::size_t>(roll(count)); }

    template <class T, std::size_t Size>
    const T& one_of(const T (&list)[Size]) {
        return list[index(Size)];
    }

private:
    // Of bytes that were thrown no more than are needed, so that to change one changes one throw.
    std::uint64_t next(std::size_t bytes) {
        if (thrown_.empty()) return split_mix();
        std::uint64_t value = 0;
        for (; bytes > 0 && !thrown_.empty(); --bytes) {
            value = value << 8U | thrown_.front();
            thrown_ = thrown_.subspan(1);
        }
        return value;
    }

    // SplitMix64 (Steele, Lea, Flood, 2014).
    std::uint64_t split_mix() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    std::uint64_t state_ = 0;
    std::span<const std::uint8_t> thrown_;
    bool is_thrown_ = false;
};

}  // namespace oracle
