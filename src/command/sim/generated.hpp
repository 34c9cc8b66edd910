// SPDX-License-Identifier: MIT
// generated: arrivals that are made by rules, each of its own, merged in the order of their times.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

#include "command/sim/arrival.hpp"

namespace weir::command {

// When requests come, as it is written on the command line.
struct pattern {
    enum class kind { even, poisson, on_off, burst };
    kind how;
    quota rate = quota(1, seconds(1));  // of `even` and `poisson`, and of `on_off` while it is on
    nanoseconds lasts = nanoseconds::longest();  // of `even` and `poisson`
    nanoseconds on{};
    nanoseconds off{};
    std::uint64_t count = 0;  // of `burst`
    nanoseconds at{};         // when it begins; not of `on_off`
};

// even:50/s  even:50/s@2s+1s  poisson:50/s  onoff:200/s,1s,4s  burst:100@2s. Throws usage_error.
[[nodiscard]] pattern parse_pattern(std::string_view text);

class generated final : public source {
public:
    // All begin at 0, unless they say when, and end before `length`. The same seed makes the same
    // arrivals.
    generated(const std::vector<pattern>& all, nanoseconds length, std::uint64_t seed);

    void read(std::vector<arrival>& batch) override;
    [[nodiscard]] bool is_over() const override;

private:
    struct stream {
        pattern how;
        std::mt19937_64 chance;
        double gap;          // nanoseconds, on average
        double on_time = 0;  // how long it has been on
        std::uint64_t count = 0;
        std::uint64_t next = 0;
    };

    static void advance(stream& s);

    std::vector<stream> streams_;
    std::uint64_t end_;
};

}  // namespace weir::command
