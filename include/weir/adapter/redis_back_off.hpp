// SPDX-License-Identifier: MIT
// redis_back_off: when to connect to a Redis again: after 1 ms, and twice as long each time, up to
// 100 ms. Of that between half and all, so that clients do not come at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <weir/adapter/random_seed.hpp>
#include <weir/base/duration.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir::detail {

class redis_back_off {
    using clock = std::chrono::steady_clock;

public:
    static constexpr nanoseconds longest = milliseconds(100);

    redis_back_off() : spread_(random_seed().value, longest) {}

    void succeeded() noexcept { length_ = nanoseconds{}; }
    void failed() noexcept {
        length_ =
            nanoseconds(std::clamp<std::int64_t>(2 * length_.count(), 1'000'000, longest.count()));
        const std::int64_t half = length_.count() / 2;
        const std::int64_t more =
            spread_.after(nanoseconds{}).count() % (length_.count() - half + 1);
        next_ = clock::now() + nanoseconds(half + more);
    }

    [[nodiscard]] bool is_over(clock::time_point now) const noexcept { return now >= next_; }
    [[nodiscard]] nanoseconds left() const noexcept {
        return std::max(nanoseconds{}, nanoseconds(next_ - clock::now()));
    }

private:
    jitter spread_;
    nanoseconds length_;
    clock::time_point next_{};
};

}  // namespace weir::detail
