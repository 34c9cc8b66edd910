// Random numbers that are the same on every machine, so that a seed means one quota.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weir::soak {

class dice {
public:
    explicit dice(std::uint64_t seed) noexcept : state_(seed) {}

    // SplitMix64 (Steele, Lea, Flood, 2014).
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    // Both included; not the whole range of numbers.
    std::uint64_t between(std::uint64_t least, std::uint64_t most) noexcept {
        return least + next() % (most - least + 1);
    }

    // The same, each number of binary digits as likely as any other.
    std::uint64_t magnitude(std::uint64_t least, std::uint64_t most) noexcept {
        const std::uint64_t digits = between(static_cast<std::uint64_t>(std::bit_width(least)),
                                             static_cast<std::uint64_t>(std::bit_width(most)));
        const std::uint64_t first = std::uint64_t{1} << (digits - 1);
        return between(std::max(least, first), std::min(most, 2 * first - 1));
    }

    bool one_in(std::uint64_t sides) noexcept { return next() % sides == 0; }

private:
    std::uint64_t state_;
};

}  // namespace weir::soak
