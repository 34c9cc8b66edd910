// SPDX-License-Identifier: MIT
// What has passed through `weir pace`, for people and for programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "command/pace/options.hpp"

namespace weir::command {

class passage {
public:
    using clock = std::chrono::steady_clock;

    void add(std::uint64_t units, std::uint64_t bytes) noexcept;
    void add_dropped(std::uint64_t units) noexcept { dropped_ += units; }

    [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
    [[nodiscard]] double seconds() const noexcept;
    // Units a second from the first to the last that passed, without those that went last: their
    // time comes after them. NaN if all passed at once.
    [[nodiscard]] double rate() const noexcept;

private:
    clock::time_point begin_ = clock::now();
    clock::time_point first_{};
    clock::time_point last_{};
    std::uint64_t last_units_ = 0;
    std::uint64_t units_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
};

// "12 lines (345 bytes) in 2.2 s, 5.000/s"
[[nodiscard]] std::string stats_text(const passage& p, const pace_options& o);
[[nodiscard]] std::string stats_json(const passage& p, const pace_options& o,
                                     std::chrono::nanoseconds waited);

// "3 lines"
[[nodiscard]] std::string units_text(std::uint64_t count, const pace_options& o);

}  // namespace weir::command
