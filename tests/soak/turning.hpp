// SPDX-License-Identifier: MIT
// turning_clock: the system's time, moved so that its word comes round in the middle of a round.
// 2^64 ticks are 2^32 of them many times over, so there the time of a smaller word and the
// fractions of a tick come round too.
//
// Each round moves its own time; all of its threads have the same one.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>

namespace weir::soak {

// By how many ticks the calling thread's time is moved. A round hands it on to its crowd.
struct moved_time {
    static inline thread_local word by_ = 0;
};

template <std::uint64_t Hertz = nanoseconds::per_second>
class turning_clock {
    static_assert(nanoseconds::per_second % Hertz == 0, "a tick is a number of nanoseconds");

public:
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;
    static constexpr bool turns = true;

    [[nodiscard]] static instant<turning_clock> now() noexcept {
        return instant<turning_clock>(static_cast<word>(unmoved() + moved_time::by_));
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr clock_facts facts() noexcept {
        return {"the system's, moved", Hertz, nanoseconds::from(1, 1, std::int64_t{Hertz}), true};
    }

    // Its word comes round so many ticks from now. The answer is this `now`.
    static instant<turning_clock> turn_in(word ticks) noexcept {
        const auto before = static_cast<word>(0 - ticks);
        moved_time::by_ = static_cast<word>(before - unmoved());
        return instant<turning_clock>(before);
    }
    // Comes back when it has.
    static void wait_for_the_turn() {
        while (earlier(now(), instant<turning_clock>(0U))) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }

private:
    [[nodiscard]] static word unmoved() noexcept {
        return steady_clock::now().count / (nanoseconds::per_second / Hertz);
    }
};

template <class Clock>
concept turning = clock<Clock> && requires {
    requires Clock::turns;
};

}  // namespace weir::soak
