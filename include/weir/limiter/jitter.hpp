// SPDX-License-Identifier: MIT
// jitter: spreads what would come back at one instant. A crowd that is refused together is told the
// same wait and would be back together; with some jitter each waits that long and a random while
// more. Seeded, so that a run can be repeated; one thread's own.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>

namespace weir {

class jitter {
public:
    // Adds up to `most`; a negative time is none.
    constexpr explicit jitter(std::uint64_t seed, nanoseconds most) noexcept
        : state_(seed),
          spread_(most <= nanoseconds{} ? 0 : static_cast<std::uint64_t>(most.count())) {}

    // No earlier than `wait`, no later than `most` after it, each time another.
    [[nodiscard]] constexpr nanoseconds after(nanoseconds wait) noexcept {
        const auto more = static_cast<std::int64_t>(mul_high(random(), spread_ + 1));
        return wait.count() > INT64_MAX - more ? nanoseconds::longest()
                                               : nanoseconds(wait.count() + more);
    }

private:
    // SplitMix64 (Steele, Lea, Flood 2014): every seed will do.
    [[nodiscard]] constexpr std::uint64_t random() noexcept {
        state_ += 0x9E37'79B9'7F4A'7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9U;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBU;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
    std::uint64_t spread_;
};

}  // namespace weir
