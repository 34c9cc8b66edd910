// SPDX-License-Identifier: MIT
#include "duel.hpp"

#include <algorithm>
#include <vector>

namespace bench {

namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

void duel::note(const round& r, double before, double after) {
    constexpr double agreement = 1.3;
    const bool steady = std::max(before, after) <= agreement * std::min(before, after);
    if (tallies_[0].switched || tallies_[1].switched || !steady) {
        ++dropped_;
    } else {
        kept_.push_back(r);
    }
}

duel_result duel::result() const {
    std::vector<double> measured;
    std::vector<double> reference;
    std::vector<double> ratio;
    std::vector<double> probe;
    for (const round& r : kept_) {
        measured.push_back(r.measured);
        reference.push_back(r.reference);
        ratio.push_back(r.measured / r.reference);
        probe.push_back(r.probe);
    }
    return {median(measured),
            median(reference),
            median(ratio),
            median(probe),
            static_cast<unsigned>(kept_.size()),
            dropped_,
            tallies_[0].held && tallies_[1].held};
}

}  // namespace bench
