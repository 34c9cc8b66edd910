// SPDX-License-Identifier: MIT
#include "fleet_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "../../tests/unit/adapter/fleet_model.hpp"
#include "command/drawing.hpp"
#include "command/text.hpp"
#include "key_story.hpp"

namespace bench {

namespace {

namespace svg = weir::command::drawing;

// --- what is drawn

constexpr unsigned processes = 1'000;
constexpr int bins_a_second = 20;
constexpr weir::nanoseconds bin = weir::milliseconds(1'000 / bins_a_second);

using series = std::vector<double>;

// Each bin and those before it of the same second.
[[nodiscard]] series in_the_last_second(const series& bins) {
    series sums;
    double sum = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        sum += bins[i];
        if (i >= bins_a_second) sum -= bins[i - bins_a_second];
        sums.push_back(sum);
    }
    return sums;
}
// So many bins as one, as a rate of a second.
[[nodiscard]] series coarser(const series& bins, std::size_t by) {
    series rates;
    for (std::size_t i = 0; i + by <= bins.size(); i += by) {
        double sum = 0;
        for (std::size_t k = i; k < i + by; ++k) sum += bins[k];
        rates.push_back(sum * bins_a_second / static_cast<double>(by));
    }
    return rates;
}
// What has been added to a count since the last bin.
class growth {
public:
    void add(double count) {
        bins.push_back(count - last_);
        last_ = count;
    }
    series bins;

private:
    double last_ = 0;
};

// Of the mean, the least first.
[[nodiscard]] series shares_of(std::vector<std::uint64_t> units) {
    std::sort(units.begin(), units.end());
    double sum = 0;
    for (const std::uint64_t n : units) sum += static_cast<double>(n);
    series shares;
    for (const std::uint64_t n : units)
        shares.push_back(static_cast<double>(n) * static_cast<double>(units.size()) / sum);
    return shares;
}

struct history {
    series asked;
    series passed;
    series calls;
    series keys;   // that Redis was asked for
    double bound;  // of a second
};

// One limit.
constexpr int rate = 100'000;
constexpr double load = 2.4;

[[nodiscard]] fleet_model::fleet fleet_of(unsigned count) {
    weir::fleet_options o;
    o.processes = count;
    return {weir::per_second(rate), o, rate / 2 / count, count};
}
[[nodiscard]] auto demand_of(std::size_t busy) {
    return [busy](std::size_t i, weir::nanoseconds) {
        return i < busy ? load * rate / 1'000 / static_cast<double>(busy) : 0.0;
    };
}

// A second of rest, four in which all are busy, two of rest, three in which a tenth is.
constexpr int length = 10;
[[nodiscard]] std::size_t busy_at(int second) {
    if (second < 1 || second == 5 || second == 6) return 0;
    return second < 5 ? processes : processes / 10;
}

[[nodiscard]] history history_of_one_limit() {
    auto fleet = fleet_of(processes);
    growth passed;
    growth calls;
    history h{};
    for (int i = 0; i < length * bins_a_second; ++i) {
        const std::size_t busy = busy_at(i / bins_a_second);
        fleet.run(bin, demand_of(busy));
        passed.add(static_cast<double>(fleet.admitted()));
        double sum = 0;
        for (const auto& p : fleet.all) sum += static_cast<double>(p.link.calls.size());
        calls.add(sum);
        h.asked.push_back(busy == 0 ? 0 : load * rate / bins_a_second);
    }
    h.passed = passed.bins;
    h.calls = calls.bins;
    h.bound = rate + rate + 0.5 * rate;  // the burst, the rate, and all leases
    return h;
}

// With equal demand, in five seconds.
[[nodiscard]] series shares_of_one_limit(unsigned count) {
    auto fleet = fleet_of(count);
    fleet.run(weir::seconds(2), demand_of(count));
    std::vector<std::uint64_t> units;
    for (const auto& p : fleet.all) units.push_back(p.admitted);
    fleet.run(weir::seconds(5), demand_of(count));
    for (std::size_t i = 0; i < count; ++i) units[i] = fleet.all[i].admitted - units[i];
    return shares_of(units);
}

// A million keys.
constexpr key_story of_keys = {processes, 1'000'000, 300, 25, 4'000};

struct key_history : history {
    series shares;  // of the hot key, in the last five seconds
};

[[nodiscard]] key_history history_of_keys() {
    told_keys told(of_keys);
    growth asked;
    growth passed;
    growth keys;
    key_history h{};
    for (int i = 0; i < length * bins_a_second; ++i) {
        if (i == length * bins_a_second / 2) told.hot.assign(processes, 0);
        told.run(bin);
        asked.add(static_cast<double>(told.of_hot.asked));
        passed.add(static_cast<double>(told.of_hot.passed));
        keys.add(static_cast<double>(told.asks()));
    }
    h.asked = asked.bins;
    h.passed = passed.bins;
    h.keys = keys.bins;
    h.bound = told.fleet.bound(told_keys::options(of_keys)) + told_keys::rate;
    h.shares = shares_of(told.hot);
    return h;
}

// --- the drawing, as narrow as a phone

constexpr std::string_view description =
    "Units that 1000 processes pass in a second, which stay below the bound, their calls of Redis, "
    "and what each of them has; and the same for the hottest of a million keys";

constexpr double width = 420;
constexpr double left = 50;
constexpr double right = 18;
constexpr double plot_width = width - left - right;
constexpr double plot_height = 110;
constexpr double heading = 46;  // above a plot: two lines
constexpr double below = 46;    // the axis, and the gap to the next panel
constexpr double panel_height = heading + plot_height + below;

struct panel {
    double y;
    double most;  // what the height stands for
    [[nodiscard]] double base() const { return y + heading + plot_height; }
    [[nodiscard]] double at(double value) const { return base() - plot_height * value / most; }
    [[nodiscard]] svg::stairs stairs() const {
        return {left, plot_width, base(), plot_height, most};
    }
};

[[nodiscard]] std::string head(const panel& p, std::string_view name, std::string_view what) {
    return svg::label(14, p.y + 12, name, "name") + svg::label(14, p.y + 31, what, "quiet");
}
[[nodiscard]] std::string tick(const panel& p, double value, std::string_view text) {
    return svg::line(left, p.at(value), width - right, p.at(value), "grid") +
           svg::label(left - 6, p.at(value) + 4, text, "quiet", svg::anchor::end);
}
// A limit that nothing may pass, and what it is.
[[nodiscard]] std::string limit(const panel& p, double value, std::string_view text) {
    return svg::line(left, p.at(value), width - right, p.at(value), "quota") +
           svg::label(width - right - 2, p.at(value) - 5, text, "quota-text", svg::anchor::end);
}
[[nodiscard]] std::string below_at(const panel& p, double part, const std::string& text) {
    const double x = left + plot_width * part;
    return svg::line(x, p.base(), x, p.base() + 4, "axis") +
           svg::label(x, p.base() + 18, text, "quiet",
                      part > 0.99 ? svg::anchor::end : svg::anchor::middle);
}
[[nodiscard]] std::string axis(const panel& p) {
    return svg::line(left, p.base(), width - right, p.base(), "axis");
}
[[nodiscard]] std::string seconds_below(const panel& p) {
    std::string all = axis(p);
    for (int second = 0; second <= length; second += 2)
        all += below_at(p, static_cast<double>(second) / length,
                        std::to_string(second) + (second == length ? " s" : ""));
    return all;
}

[[nodiscard]] std::string text_of(double value) {
    return std::to_string(static_cast<long>(std::lround(value)));
}

[[nodiscard]] std::string units_panel(const panel& p, const history& h) {
    return svg::area(p.stairs(), in_the_last_second(h.asked), "came") +
           svg::area(p.stairs(), in_the_last_second(h.passed), "passed") + seconds_below(p);
}

// Sorted shares of fleets: the process at the left has the least.
[[nodiscard]] std::string shares(const panel& p, const series& its, std::string_view looks_as) {
    constexpr std::size_t points = 100;
    std::vector<std::pair<double, double>> all;
    const std::size_t step = std::max<std::size_t>(its.size() / points, 1);
    const auto add = [&](std::size_t i) {
        const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(its.size());
        all.emplace_back(left + plot_width * part, p.at(std::min(its[i], p.most)));
    };
    for (std::size_t i = 0; i + 1 < its.size(); i += step) add(i);
    add(its.size() - 1);
    return svg::curve(all, looks_as);
}
// The least and the largest share, at the ends of the curve.
[[nodiscard]] std::string ends(const panel& p, const series& its) {
    using weir::command::fixed;
    const bool is_low = its.front() < 0.3 * p.most / 2;  // there is no room below
    return svg::label(left + 4, p.at(its.front()) + (is_low ? -20 : 16), fixed(its.front(), 2)) +
           svg::label(width - right, p.at(its.back()) - 6, fixed(its.back(), 2), "",
                      svg::anchor::end);
}
[[nodiscard]] std::string share_axes(const panel& p) {
    return tick(p, 1, "1") + tick(p, 2, "2") + tick(p, 0, "0") + axis(p) +
           below_at(p, 0, "the least") + below_at(p, 0.5, "half of them") +
           below_at(p, 1, "the most");
}

}  // namespace

std::string fleet_picture() {
    const history one = history_of_one_limit();
    const key_history keys = history_of_keys();
    std::string all;
    double y = 34;
    const auto next = [&](double most) {
        const panel p{y, most};
        y += panel_height;
        return p;
    };
    const auto part = [&](std::string_view title, std::string_view what) {
        all += svg::label(14, y, title, "title") + svg::label(14, y + 21, what, "quiet");
        y += 38;
    };

    part("1000 processes, one limit", "fleet_limiter, 100 000 a second and burst, simulated");
    {
        const panel p = next(280'000);
        all += head(p, "Units in the last second", "light: asked for; blue: passed") +
               tick(p, 0, "0") + tick(p, 100'000, "100k") + tick(p, 200'000, "200k") +
               units_panel(p, one) + limit(p, one.bound, "250k: the most in any second");
    }
    {
        const panel p = next(60'000);
        all += head(p, "Calls of Redis a second, by all",
                    "1 to 5 s: all are busy; from 7 s: a tenth") +
               tick(p, 0, "0") + tick(p, 25'000, "25k") +
               svg::area(p.stairs(), coarser(one.calls, 2), "passed") + seconds_below(p) +
               limit(p, 50'000, "50k: the most when it is used up");
    }
    {
        const panel p = next(2);
        const series of_all = shares_of_one_limit(processes);
        const series of_few = shares_of_one_limit(100);
        using weir::command::fixed;
        all += head(p, "Units of each process in 5 s, of the mean",
                    "blue: of 1000 processes; grey: of 100, " + fixed(of_few.front(), 2) + " to " +
                        fixed(of_few.back(), 2)) +
               share_axes(p) + shares(p, of_few, "span") + shares(p, of_all, "our-span") +
               ends(p, of_all);
    }
    y += 20;
    part("1000 processes, 1 000 000 keys",
         "fleet_keyed_limits, each key 1000 a second, burst 4000");
    {
        const panel p = next(9'000);
        all += head(p, "Units of the hottest key in the last second",
                    "light: asked for; blue: passed") +
               tick(p, 0, "0") + tick(p, 1'000, "1k") + tick(p, 4'000, "4k") +
               units_panel(p, keys) +
               limit(p, keys.bound, text_of(keys.bound / 1'000) + "k: the most in any second");
    }
    {
        const panel p = next(80'000);
        all += head(p, "Keys that Redis is asked for in a second",
                    "by all, for 25 000 requests a second; most calls are for one") +
               tick(p, 0, "0") + tick(p, 25'000, "25k") + tick(p, 50'000, "50k") +
               svg::area(p.stairs(), coarser(keys.keys, 2), "passed") + seconds_below(p) +
               limit(p, 1e6 / told_keys::each_takes, "67k: what it can answer, 15 us each");
    }
    {
        const panel p = next(3.5);
        all += head(p, "Units of the hottest key of each process",
                    "in 5 s, of the mean, which is 5 units: so it is chance") +
               share_axes(p) + shares(p, keys.shares, "our-span") + ends(p, keys.shares);
    }
    return svg::image(width, y + 6, "A fleet of 1000 processes, simulated", all, description);
}

}  // namespace bench
