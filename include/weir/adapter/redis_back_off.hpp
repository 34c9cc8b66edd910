// SPDX-License-Identifier: MIT
// redis_back_off: when to connect to a Redis again: after 1 ms, and twice as long each time, up to
// 100 ms, of which between half and all.
#pragma once

#include <algorithm>
#include <chrono>

#include <weir/adapter/back_off.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/base/duration.hpp>

namespace weir::detail {

class redis_back_off {
    using clock = std::chrono::steady_clock;

public:
    static constexpr nanoseconds longest = milliseconds(100);

    redis_back_off() : wait_(milliseconds(1), longest, random_seed().value) {}

    void succeeded() noexcept { wait_.succeeded(); }
    void failed() noexcept { next_ = clock::now() + wait_.failed(); }

    [[nodiscard]] bool is_over(clock::time_point now) const noexcept { return now >= next_; }
    [[nodiscard]] nanoseconds left() const noexcept {
        return std::max(nanoseconds{}, nanoseconds(next_ - clock::now()));
    }

private:
    back_off wait_;
    clock::time_point next_{};
};

}  // namespace weir::detail
