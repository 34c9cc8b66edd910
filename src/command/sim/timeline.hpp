// SPDX-License-Identifier: MIT
// timeline: how much happened when, in at most 1024 bins of equal width, whatever the length of the
// time turns out to be: where it grows out of the bins, each two become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::command {

class timeline {
public:
    // Something happened at that time; not before the first that was added.
    void add(std::uint64_t time, double units) {
        const std::size_t i = bin_of(time);
        counts_[i] += units;
    }
    // It went on from `begin` to `end`: a mean of how many went on at once.
    void add_span(std::uint64_t begin, std::uint64_t end);
    // It stood at that level from `begin` until before `end`.
    void hold(std::uint64_t begin, std::uint64_t end, double level);

    // From here on all times count.
    void begin_at(std::uint64_t time) {
        origin_ = time;
        begun_ = true;
    }

    // How much happened in each of `count` equal parts of the time from `begin` to `end`: where a
    // part has a share of a bin, that share of it.
    [[nodiscard]] std::vector<double> parts(std::uint64_t begin, std::uint64_t end,
                                            std::size_t count) const;
    // How many went on in each, on average.
    [[nodiscard]] std::vector<double> means(std::uint64_t begin, std::uint64_t end,
                                            std::size_t count) const;
    // The highest level in each, or within a bin of it.
    [[nodiscard]] std::vector<double> highest(std::uint64_t begin, std::uint64_t end,
                                              std::size_t count) const;

private:
    static constexpr std::size_t most = 1'024;

    [[nodiscard]] std::size_t bin_of(std::uint64_t time) {
        if (!begun_) begin_at(time);
        const std::uint64_t after = time - origin_;
        while (after >> shift_ >= most) widen();
        const auto i = static_cast<std::size_t>(after >> shift_);
        if (i >= counts_.size()) counts_.resize(i + 1);
        return i;
    }
    void widen();
    void settle(std::vector<double>& areas) const;
    [[nodiscard]] std::vector<double> shared(const std::vector<double>& bins, std::uint64_t begin,
                                             std::uint64_t end, std::size_t count) const;

    bool begun_ = false;
    std::uint64_t origin_ = 0;
    unsigned shift_ = 0;  // a bin is 2^shift nanoseconds
    std::vector<double> counts_;
    std::vector<double> areas_;    // nanoseconds of what goes on, within single bins
    std::vector<double> changes_;  // of how many go on for whole bins
    std::vector<double> levels_;   // the highest
};

}  // namespace weir::command
