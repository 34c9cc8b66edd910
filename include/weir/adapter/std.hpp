// SPDX-License-Identifier: MIT
// What of the standard library the core does without, because it is large: times and lengths of
// time as std::chrono's, and std::format for whatever of weir has a text.
//
//     std::this_thread::sleep_for(to_chrono(decision.retry_after()));
//     const auto again = std::chrono::steady_clock::now() + decision.retry_after();
//     limit.try_acquire(1, to_instant(frame_began));   // by weir::steady_clock, on Linux
//     std::cout << decision;                           // these two need no header
//     std::format("{:>20}", decision);                 // where the standard library has <format>
//
// It includes nothing of the pacer, and knows its texts if they are there.
#pragma once

#include <chrono>
#include <cstdint>
#include <version>

#ifdef __cpp_lib_format
#include <format>
#endif

#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/clock/instant.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

// The longest time, which is the wait for what never comes, becomes half of it (146 years): the
// standard library adds what it is given to the time of a clock without a look at its range.
[[nodiscard]] constexpr std::chrono::nanoseconds to_chrono(nanoseconds time) noexcept {
    const bool never = time == nanoseconds::longest();
    return std::chrono::nanoseconds(never ? time.count() / 2 : time.count());
}

#ifdef __linux__
// The standard library's steady clock is weir's on Linux; elsewhere it may be another one.
[[nodiscard]] constexpr instant<steady_clock>
to_instant(std::chrono::steady_clock::time_point time) noexcept {
    return instant<steady_clock>(std::chrono::nanoseconds(time.time_since_epoch()).count());
}
[[nodiscard]] constexpr std::chrono::steady_clock::time_point
to_chrono(instant<steady_clock> time) noexcept {
    return std::chrono::steady_clock::time_point(
        std::chrono::nanoseconds(static_cast<std::int64_t>(time.count)));
}
#endif

}  // namespace weir

#ifdef __cpp_lib_format
// As of a C string: with the same width, fill and alignment.
template <weir::detail::has_text T>
struct std::formatter<T, char> : std::formatter<const char*, char> {
    template <class Context>
    auto format(const T& value, Context& context) const {
        return std::formatter<const char*, char>::format(to_text(value).c_str(), context);
    }
};
#endif
