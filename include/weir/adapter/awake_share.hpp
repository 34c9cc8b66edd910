// SPDX-License-Identifier: MIT
// awake_share: how long a thread of a real-time class has to sleep so that it uses no more than
// four fifths of a core. One that uses 95 % of a second the kernel stops for the rest of it, and
// who spins between its items uses all.
//
// Time in which it did not run counts as slept, whatever the reason: in a sink that blocks, for
// example. More than was owed is not saved up.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>

namespace weir {

class awake_share {
public:
    // Often enough to ask: to sleep for a fourth of it is no less than the system can.
    static constexpr nanoseconds interval = microseconds(500);

    constexpr awake_share(nanoseconds now, nanoseconds used) noexcept
        : asked_(now.count()), used_(used.count()) {}

    [[nodiscard]] constexpr bool is_over(nanoseconds now) const noexcept {
        return now.count() - asked_ >= interval.count();
    }

    // What the thread has to sleep if it has used so much of a core in all; 0: nothing worth it.
    [[nodiscard]] constexpr nanoseconds owed(nanoseconds now, nanoseconds used) noexcept {
        const std::int64_t worked = used.count() - used_;
        const std::int64_t slept = now.count() - asked_ - worked;
        owed_ += worked / 4 - slept;
        if (owed_ < 0) owed_ = 0;
        asked_ = now.count();
        used_ = used.count();
        return owed_ < interval.count() / 5 ? nanoseconds{} : nanoseconds(owed_);
    }

private:
    std::int64_t owed_ = 0;
    std::int64_t asked_;
    std::int64_t used_;
};

}  // namespace weir
