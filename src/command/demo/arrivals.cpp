// SPDX-License-Identifier: MIT
#include "command/demo/arrivals.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace weir::command {
namespace {

struct corner {
    double second;
    double rate;  // per second, linear between corners
};

constexpr corner outline[] = {
    {0, 0.3 * usual_rate},    {1.5, 0.5 * usual_rate},  {3, 0.35 * usual_rate},
    {3.2, 3 * usual_rate},    {4, 3 * usual_rate},      {4.2, 0.45 * usual_rate},
    {6, 0.3 * usual_rate},    {8, 0.5 * usual_rate},    {9, 0.4 * usual_rate},
    {9.4, 0.85 * peak_rate},  {10.5, 0.97 * peak_rate}, {12, 0.9 * peak_rate},
    {13.4, 0.97 * peak_rate}, {14.4, 0.85 * peak_rate}, {14.8, 0.5 * usual_rate},
    {16.5, 0.3 * usual_rate}, {18.5, 0.5 * usual_rate}, {20, 0.35 * usual_rate},
};

double rate_at(double second) {
    std::size_t i = 1;
    while (i + 1 < std::size(outline) && outline[i].second < second) ++i;
    const corner& a = outline[i - 1];
    const corner& b = outline[i];
    return a.rate + (b.rate - a.rate) * (second - a.second) / (b.second - a.second);
}

// Numerical Recipes' linear congruence: the same numbers on every machine.
class jitter {
public:
    // In [0, 1).
    double next() {
        state_ = state_ * 1'664'525U + 1'013'904'223U;
        return static_cast<double>(state_ >> 8) / static_cast<double>(1U << 24);
    }

private:
    std::uint32_t state_ = 1;
};

}  // namespace

arrivals bursty_arrivals() {
    // One request falls somewhere into each stretch of time in which one is due.
    arrivals times;
    jitter place;
    constexpr double step = 1e-4;
    double due = place.next();
    double gone = 0;
    const auto steps = static_cast<int>(trace_length / std::chrono::microseconds(100));
    for (int i = 0; i < steps; ++i) {
        gone += rate_at(i * step) * step;
        if (gone < due) continue;
        times.emplace_back(i * 100);
        due = static_cast<double>(times.size()) + place.next();
    }
    return times;
}

}  // namespace weir::command
