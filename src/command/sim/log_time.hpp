// SPDX-License-Identifier: MIT
// Times as logs have them, in nanoseconds since 1970 (UTC). Times before 1970 and after 2261 are
// none: a limit counts nanoseconds in 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::command {

struct log_time {
    std::uint64_t nanoseconds;
    bool whole_second;   // the log tells no parts of seconds
    std::size_t length;  // characters that it took
};

// 1714560000.25, or a whole number since 1970 in milliseconds, microseconds or nanoseconds: the
// number says by its size which of them it is. 0.5 is half a second.
[[nodiscard]] std::optional<log_time> number_time(std::string_view text) noexcept;

// 2024-05-01T12:00:00.25Z, also with a space in place of the T, with an offset such as +02:00 or
// +0200, or with none, which is taken for UTC.
[[nodiscard]] std::optional<log_time> iso_time(std::string_view text) noexcept;

// Times of access logs, each nearly always in the same minute as the one before: so the minute is
// remembered. One thread uses it.
class access_time {
public:
    // 10/Oct/2000:13:55:36 -0700, as nginx and Apache write it.
    [[nodiscard]] std::optional<log_time> with_offset(std::string_view text) noexcept;
    // 06/Feb/2009:12:14:14.655, as HAProxy writes it; taken for UTC.
    [[nodiscard]] std::optional<log_time> with_fraction(std::string_view text) noexcept;

private:
    [[nodiscard]] std::optional<std::int64_t> second(std::string_view text) noexcept;

    static constexpr std::size_t minute_length = 17;  // 10/Oct/2000:13:55
    char known_[minute_length] = {};
    std::int64_t at_ = 0;  // seconds since 1970 when the minute that is known begins
};

}  // namespace weir::command
