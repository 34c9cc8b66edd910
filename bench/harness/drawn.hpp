// SPDX-License-Identifier: MIT
// drawn: the keys that the rows of keyed tables ask for, the same in every run.
#pragma once

#include <cmath>
#include <cstdint>

namespace bench {

// A xorshift (Marsaglia, 2003).
class drawn {
public:
    std::uint64_t next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_;
    }
    // From 0 to 1, which does not come.
    double part() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::uint64_t state_ = 88172645463325252;
};

// Of so many keys, of which the k-th is one k-th as likely as the first.
[[nodiscard]] inline std::uint32_t zipf_key(double keys, double part) {
    return static_cast<std::uint32_t>(std::pow(keys, part)) - 1;
}

// Keys lie far apart, as identifiers do, so no hash table is helped by neighbours.
[[nodiscard]] constexpr std::uint64_t identifier(std::uint64_t index) {
    return (index + 1) * std::uint64_t{0x9E37'79B9'7F4A'7C15};
}

}  // namespace bench
