// SPDX-License-Identifier: MIT
#include "command/demo/arrivals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "command/figures.hpp"

namespace weir::command {
namespace {

struct corner {
    double second;
    double rate;  // in rates of the quota, linear between corners
};

constexpr corner outline[] = {
    {0, 0.3},
    {1.5, 0.5},
    {3, 0.35},
    {3.2, 3},
    {4, 3},
    {4.2, 0.45},
    {6, 0.3},
    {8, 0.5},
    {9, 0.4},
    {9.4, 0.85 * peak},
    {10.5, 0.97 * peak},
    {12, 0.9 * peak},
    {13.4, 0.97 * peak},
    {14.4, 0.85 * peak},
    {14.8, 0.5},
    {16.5, 0.3},
    {18.5, 0.5},
    {20, 0.35},
};

double rate_at(double second, int rate) {
    std::size_t i = 1;
    while (i + 1 < std::size(outline) && outline[i].second < second) ++i;
    const corner& a = outline[i - 1];
    const corner& b = outline[i];
    const double before = a.rate * rate;
    const double after = b.rate * rate;
    return before + (after - before) * (second - a.second) / (b.second - a.second);
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

// "second", "minute", "hour" or "day"; nothing if it is none.
std::string name_of_period(nanoseconds period) {
    for (const auto& [time, name] : {std::pair{seconds(1), "second"},
                                     {seconds(60), "minute"},
                                     {hours(1), "hour"},
                                     {hours(24), "day"}}) {
        if (period == time) return name;
    }
    return "";
}

}  // namespace

arrivals bursty_arrivals(int rate) {
    // One request falls somewhere into each stretch of time in which one is due.
    arrivals times;
    jitter place;
    constexpr double step = 1e-4;
    double due = place.next();
    double gone = 0;
    const auto steps = static_cast<int>(trace_length / std::chrono::microseconds(100));
    for (int i = 0; i < steps; ++i) {
        gone += rate_at(i * step, rate) * step;
        if (gone < due) continue;
        times.emplace_back(i * 100);
        due = static_cast<double>(times.size()) + place.next();
    }
    return times;
}

std::string scene::rate_in_words(unsigned factor) const {
    return brief(factor * static_cast<double>(asked.units()));
}

std::string scene::in_words(int periods) const {
    std::string name = name_of_period(asked.period());
    if (name.empty()) return brief_time(periods * static_cast<double>(asked.period().count()));
    if (periods == 1) return name;
    return (periods == 10 ? "ten" : std::to_string(periods)) + " " + name + "s";
}

std::vector<double> scene::per_second(std::vector<double> rates) const {
    const double seconds = static_cast<double>(asked.period().count()) / 1e9;
    for (double& rate : rates) rate *= static_cast<double>(units) / seconds;
    return rates;
}

scene scene_for(const quota& q) {
    std::int64_t units = 1;
    while (q.units() / units > most_rate) units *= 10;
    const auto in_requests = [units](std::int64_t n) {
        return std::max<std::int64_t>(n / units + (n % units >= units - units / 2 ? 1 : 0), 1);
    };
    const std::int64_t rate = in_requests(q.units());
    return {q,
            {rate, seconds(1), in_requests(q.burst())},
            static_cast<std::uint64_t>(units),
            bursty_arrivals(static_cast<int>(rate))};
}

}  // namespace weir::command
