// SPDX-License-Identifier: MIT
// What has passed and when: how much of it within one period, by counting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace oracle {

class passages {
public:
    explicit passages(std::uint64_t period) : period_(period) {}

    // Units that have passed in the period that ends with now, now included; times never run back.
    std::uint64_t within(std::uint64_t now) {
        while (!passed_.empty() && passed_.front().now + period_ <= now) {
            sum_ -= passed_.front().units;
            passed_.pop_front();
        }
        return sum_;
    }

    void pass(std::uint64_t now, std::uint64_t units) {
        if (units == 0) return;
        passed_.push_back({now, units});
        sum_ += units;
        total_ += units;
        most_ = std::max(most_, within(now));
    }

    // In all, and the most in any half-open interval of one period.
    [[nodiscard]] std::uint64_t total() const { return total_; }
    [[nodiscard]] std::uint64_t most() const { return most_; }

private:
    struct passage {
        std::uint64_t now;
        std::uint64_t units;
    };

    std::uint64_t period_;
    std::deque<passage> passed_;
    std::uint64_t sum_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace oracle
