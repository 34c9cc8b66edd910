// SPDX-License-Identifier: MIT
// An arrival is a request that asks for units at an instant of virtual time, and a source is where
// arrivals come from: made by a rule, or read from a log.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::command {

struct arrival {
    std::uint64_t time;  // nanoseconds; since 1970 if a log tells that
    std::uint32_t key;   // by number, in the order of their first arrivals
    std::uint32_t cost;  // units
};

// Arrivals come in batches: each limit takes a whole batch in a loop of its own.
inline constexpr std::size_t batch_size = 4'096;

class source {
public:
    source() = default;
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    virtual ~source() = default;

    // Puts the next arrivals in the place of those in `batch`, in the order of their times. None:
    // that was all, or nothing came for a moment: see `is_over`.
    virtual void read(std::vector<arrival>& batch) = 0;
    [[nodiscard]] virtual bool is_over() const = 0;
};

}  // namespace weir::command
