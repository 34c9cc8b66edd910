// SPDX-License-Identifier: MIT
#include "command/sim/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace weir::command {
namespace {

void halve(std::vector<double>& bins) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double value = bins[i];
        bins[i] = 0;
        bins[i / 2] += value;
    }
    bins.resize((bins.size() + 1) / 2);
}

}  // namespace

void timeline::widen() {
    settle(areas_);
    changes_.assign(changes_.size(), 0);
    halve(areas_);
    halve(changes_);
    halve(counts_);
    for (std::size_t i = 0; i < levels_.size(); i += 2) {
        levels_[i / 2] = std::max(levels_[i], i + 1 < levels_.size() ? levels_[i + 1] : 0);
    }
    levels_.resize((levels_.size() + 1) / 2);
    ++shift_;
}

// What goes on for whole bins as areas too.
void timeline::settle(std::vector<double>& areas) const {
    const double width = std::ldexp(1.0, static_cast<int>(shift_));
    double level = 0;
    if (areas.size() < changes_.size()) areas.resize(changes_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        level += changes_[i];
        areas[i] += level * width;
    }
}

void timeline::add_span(std::uint64_t begin, std::uint64_t end) {
    (void)bin_of(begin);
    const std::size_t last = bin_of(end);
    const std::size_t first = bin_of(begin);  // again: the bins may be wider now
    if (areas_.size() <= last) {
        areas_.resize(last + 1);
        changes_.resize(last + 2);
    }
    if (first == last) {
        areas_[first] += static_cast<double>(end - begin);
        return;
    }
    const auto start_of = [this](std::size_t i) {
        return origin_ + (static_cast<std::uint64_t>(i) << shift_);
    };
    areas_[first] += static_cast<double>(start_of(first + 1) - begin);
    areas_[last] += static_cast<double>(end - start_of(last));
    changes_[first + 1] += 1;
    changes_[last] -= 1;
}

void timeline::hold(std::uint64_t begin, std::uint64_t end, double level) {
    if (begin == end) return;
    (void)bin_of(begin);
    const std::size_t last = bin_of(end - 1);
    if (levels_.size() <= last) levels_.resize(last + 1);
    for (std::size_t i = bin_of(begin); i <= last; ++i) levels_[i] = std::max(levels_[i], level);
}

std::vector<double> timeline::shared(const std::vector<double>& bins, std::uint64_t begin,
                                     std::uint64_t end, std::size_t count) const {
    std::vector<double> parts(count);
    if (count == 0 || end <= begin) return parts;
    const double width = static_cast<double>(end - begin) / static_cast<double>(count);
    const double own = std::ldexp(1.0, static_cast<int>(shift_));
    const double whole = static_cast<double>(count);
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double from = static_cast<double>(origin_ - begin) + static_cast<double>(i) * own;
        // What comes after the end is left out; a bin that begins before it counts as a whole.
        const double a = from / width;
        if (bins[i] == 0 || a >= whole) continue;
        const double b = std::min((from + own) / width, whole);
        const auto first = static_cast<std::size_t>(a);
        const auto last = std::min(static_cast<std::size_t>(b), count - 1);
        for (std::size_t k = first; k <= last; ++k) {
            const double share =
                std::min(b, static_cast<double>(k + 1)) - std::max(a, static_cast<double>(k));
            parts[k] += bins[i] * share / (b - a);
        }
    }
    return parts;
}

std::vector<double> timeline::parts(std::uint64_t begin, std::uint64_t end,
                                    std::size_t count) const {
    return shared(counts_, begin, end, count);
}

std::vector<double> timeline::means(std::uint64_t begin, std::uint64_t end,
                                    std::size_t count) const {
    std::vector<double> areas = areas_;
    settle(areas);
    std::vector<double> means = shared(areas, begin, end, count);
    const double width = static_cast<double>(end - begin) / static_cast<double>(count);
    for (double& m : means) m /= width;
    return means;
}

std::vector<double> timeline::highest(std::uint64_t begin, std::uint64_t end,
                                      std::size_t count) const {
    std::vector<double> parts(count);
    if (count == 0 || end <= begin) return parts;
    const double width = static_cast<double>(end - begin) / static_cast<double>(count);
    const double own = std::ldexp(1.0, static_cast<int>(shift_));
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        const double from = static_cast<double>(origin_ - begin) + static_cast<double>(i) * own;
        const auto first = static_cast<std::size_t>(from / width);
        for (std::size_t k = first; k < count && static_cast<double>(k) * width < from + own; ++k)
            parts[k] = std::max(parts[k], levels_[i]);
    }
    return parts;
}

}  // namespace weir::command
