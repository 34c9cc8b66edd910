// calibration: how fast a counter runs, measured against a clock that counts nanoseconds. It takes
// 8 to 20 ms. Where that clock stands still, as in a sandbox that is frozen, it gives up.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>

namespace weir {

template <class Counter, class Reference>
class calibration {
public:
    // The counter's ticks per second; 0 if they cannot be told. A bracket is about 50 ns wide, so
    // its middle is off by 25 ns at most, and two of them by 6 ppm of 8 ms. If one was disturbed,
    // successive results differ, and a longer base line decides.
    [[nodiscard]] static std::uint64_t measure() noexcept {
        constexpr std::uint64_t shortest = 8'000'000;
        constexpr std::uint64_t step = 2'000'000;
        constexpr std::uint64_t agreement = 200'000;  // 1/200 000 = 5 ppm
        const instant start = read_both();
        std::uint64_t previous = 0;
        for (std::uint64_t target = shortest - step;; target += step) {
            if (!wait(start, target)) return 0;
            const instant end = read_both();
            if (end.nanoseconds == start.nanoseconds) return 0;
            const std::uint64_t hertz =
                divide(multiply(end.cycles - start.cycles, nanoseconds::per_second),
                       {0, end.nanoseconds - start.nanoseconds})
                    .quotient.low;
            const std::uint64_t off = hertz > previous ? hertz - previous : previous - hertz;
            if (off <= hertz / agreement || target >= longest) return hertz;
            previous = hertz;
        }
    }

private:
    static constexpr std::uint64_t longest = 18'000'000;

    struct instant {
        std::uint64_t cycles;
        std::uint64_t nanoseconds;
    };

    // Both clocks at one instant, as near as the tightest of some tries brackets it.
    [[nodiscard]] static instant read_both() noexcept {
        constexpr int tries = 32;
        instant best{};
        std::uint64_t width = UINT64_MAX;
        for (int i = 0; i < tries; ++i) {
            const std::uint64_t before = Counter::now().count;
            const std::uint64_t time = Reference::now().count;
            const std::uint64_t after = Counter::now().count;
            if (after - before < width) {
                width = after - before;
                best = {before + width / 2, time};
            }
        }
        return best;
    }

    // False if the reference does not get there. Then the counter has counted, before the reference
    // was read, what takes the fastest one twice as long; or it stands still as well, and the
    // reference has been read more often than is possible in that time.
    [[nodiscard]] static bool wait(const instant& start, std::uint64_t target) noexcept {
        constexpr std::uint64_t most_cycles =
            2 * longest * (Counter::highest_hertz / nanoseconds::per_second);
        constexpr std::uint64_t most_reads = 1U << 24U;
        for (std::uint64_t reads = 0; reads < most_reads; ++reads) {
            const std::uint64_t cycles = Counter::now().count;
            if (Reference::now().count - start.nanoseconds >= target) return true;
            if (cycles - start.cycles > most_cycles) return false;
            spin_hint();
        }
        return false;
    }
};

}  // namespace weir
