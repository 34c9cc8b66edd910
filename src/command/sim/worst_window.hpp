// SPDX-License-Identifier: MIT
// worst_window: the most units that passed for one key in any half-open interval of one period,
// found while time goes on. What passed in the last period is kept: of all keys up to four million
// requests, and of more only the latest; then the worst that is told may be too small. As long as
// there is one key it may also tell how many these units were at each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "command/sim/timeline.hpp"

namespace weir::command {

class worst_window {
public:
    enum class keeps { nothing, levels };

    // Levels take a fifth of the time that a simulation takes.
    explicit worst_window(std::uint64_t period, keeps what = keeps::nothing)
        : period_(period), ring_(1'024), keeps_levels_(what == keeps::levels) {}

    // In the order of their times.
    void pass(std::uint64_t time, std::uint32_t key, std::uint32_t units) {
        while (size_ != 0 && time - oldest().time >= period_) drop(oldest().time + period_);
        if (size_ == ring_.size()) make_room(time);
        ring_[(first_ + size_++) & (ring_.size() - 1)] = {time, key, units};
        if (key >= sums_.size()) sums_.resize(std::size_t{key} + 1);
        std::uint64_t& sum = sums_[key];
        change_at(time);
        sum += units;
        if (sum <= most_) return;
        most_ = sum;
        at_ = time;
        key_ = key;
    }

    // The levels begin there, and not with what passes first.
    void begin_at(std::uint64_t time) { levels_.begin_at(time); }

    // Something passed that cannot be remembered.
    void forget_one() noexcept { dropped_ = true; }

    [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
    // When the last of these units passed, and whose they were.
    [[nodiscard]] std::uint64_t at() const noexcept { return at_; }
    [[nodiscard]] std::uint32_t key() const noexcept { return key_; }
    // There may have been worse.
    [[nodiscard]] bool is_least() const noexcept { return dropped_; }

    // What passed in the last period, at each time until `end`. Of one key; nothing of several.
    [[nodiscard]] timeline recent(std::uint64_t end) const {
        if (sums_.size() != 1 || !keeps_levels_) return {};
        worst_window rest = *this;
        while (rest.size_ != 0 && rest.oldest().time + period_ < end)
            rest.drop(rest.oldest().time + period_);
        if (rest.changed_ < end) rest.change_at(end);
        return std::move(rest.levels_);
    }

private:
    struct entry {
        std::uint64_t time;
        std::uint32_t key;
        std::uint32_t units;
    };
    static constexpr std::size_t most_entries = std::size_t{1} << 22U;

    [[nodiscard]] const entry& oldest() const { return ring_[first_]; }
    // The sum has been the same since it changed last.
    void change_at(std::uint64_t time) {
        if (!keeps_levels_ || sums_.size() != 1) return;
        if (sums_[0] != 0) levels_.hold(changed_, time, static_cast<double>(sums_[0]));
        changed_ = time;
    }
    void drop(std::uint64_t time) {
        change_at(time);
        sums_[oldest().key] -= oldest().units;
        first_ = (first_ + 1) & (ring_.size() - 1);
        --size_;
    }
    void make_room(std::uint64_t time) {
        if (ring_.size() == most_entries) {
            dropped_ = true;
            drop(time);
            return;
        }
        std::vector<entry> larger;
        larger.reserve(2 * ring_.size());
        for (std::size_t i = 0; i < size_; ++i) {
            larger.push_back(ring_[(first_ + i) & (ring_.size() - 1)]);
        }
        larger.resize(2 * ring_.size());
        ring_ = std::move(larger);
        first_ = 0;
    }

    std::uint64_t period_;
    std::vector<entry> ring_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    std::vector<std::uint64_t> sums_;  // of the last period, by key
    timeline levels_;                  // of the first key's sum
    std::uint64_t changed_ = 0;        // when that sum did
    std::uint64_t most_ = 0;
    std::uint64_t at_ = 0;
    std::uint32_t key_ = 0;
    bool dropped_ = false;
    bool keeps_levels_;
};

}  // namespace weir::command
