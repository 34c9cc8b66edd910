// SPDX-License-Identifier: MIT
// back_off: when to try again what failed. Twice as long each time, up to the longest, and of that
// between half and all at random, so that many who failed together do not come back together. One
// thread's own.
#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir {

class back_off {
public:
    constexpr back_off(nanoseconds shortest, nanoseconds longest, std::uint64_t seed) noexcept
        : shortest_(shortest), longest_(longest), spread_(seed, longest) {}

    // It failed once more: how long to wait.
    [[nodiscard]] constexpr nanoseconds failed() noexcept {
        length_ = nanoseconds(std::clamp(2 * length_.count(), shortest_.count(), longest_.count()));
        const std::int64_t half = length_.count() / 2;
        return nanoseconds(half + spread_.after(nanoseconds{}).count() % (half + 1));
    }
    constexpr void succeeded() noexcept { length_ = nanoseconds{}; }

private:
    nanoseconds shortest_;
    nanoseconds longest_;
    nanoseconds length_{};
    jitter spread_;
};

}  // namespace weir
