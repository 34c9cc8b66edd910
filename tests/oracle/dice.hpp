// Random numbers that are the same on every platform and library, so that a seed means one history.
#pragma once

#include <cstdint>

#include "exact.hpp"

namespace oracle {

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    // SplitMix64 (Steele, Lea, Flood, 2014).
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    std::uint64_t roll(std::uint64_t sides) { return next() % sides; }

    // From 0 up to limit, limit included.
    integer up_to(integer limit) {
        if (limit <= 0) return 0;
        const integer low = integer{next()};
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

    bool chance(unsigned percent) { return roll(100) < percent; }

    template <class T, std::size_t Size>
    const T& one_of(const T (&list)[Size]) {
        return list[roll(Size)];
    }

private:
    std::uint64_t state_;
};

}  // namespace oracle
