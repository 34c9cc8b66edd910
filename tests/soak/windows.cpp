// SPDX-License-Identifier: MIT
#include "windows.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "../most_within.hpp"

namespace weir::soak {
namespace {

// Over passages in the order of their beginnings: for each that has been put in, what time had
// brought until its beginning and what it and those behind it cost; and the largest of these.
class tree {
public:
    tree(std::size_t size, word per_unit)
        : leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))),
          per_unit_(per_unit),
          nodes_(2 * leaves_) {}

    struct node {
        bool some = false;  // was anything put in here?
        word units = 0;     // of all that was
        wide largest;
        std::size_t at = 0;  // whose it is
        word behind = 0;     // units of it and of those behind it
    };

    void put(std::size_t place, wide brought, word units) {
        std::size_t i = leaves_ + place;
        nodes_[i] = {true, units, brought + multiply(units, per_unit_), place, units};
        for (i /= 2; i > 0; i /= 2) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
    }

    [[nodiscard]] const node& all() const { return nodes_[1]; }

private:
    [[nodiscard]] node joined(const node& left, const node& right) const {
        if (!left.some) return right;
        node both = right;
        both.some = true;
        both.units += left.units;
        const wide through = left.largest + multiply(right.units, per_unit_);
        if (!right.some || through > right.largest) {
            both.largest = through;
            both.at = left.at;
            both.behind = left.behind + right.units;
        }
        return both;
    }

    std::size_t leaves_;
    word per_unit_;
    std::vector<node> nodes_;
};

std::vector<std::size_t> in_order_of(word passage::*instant, const passages& all) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return all[a].*instant < all[b].*instant; });
    return order;
}

}  // namespace

void income::change(word at, word per_tick, word less) {
    pieces_.push_back({at, per_tick, less, until(at)});
}

const income::piece* income::at(word instant) const {
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), instant,
                                        [](word i, const piece& p) { return i < p.begin; });
    return after == pieces_.begin() ? nullptr : &*std::prev(after);
}

wide income::until(word instant) const {
    const piece* const p = at(instant);
    return p == nullptr ? wide{} : p->before + multiply(instant - p->begin, p->per_tick);
}

word income::less_at(word instant) const {
    const piece* const p = at(instant);
    return p == nullptr ? 0 : p->less;
}

double ratio_of(wide part, wide whole) {
    const auto rough = [](wide w) {
        return static_cast<double>(w.high) * 0x1p64 + static_cast<double>(w.low);
    };
    return rough(part) / rough(whole);
}

busiest busiest_span(const passages& all, const income& brought, word per_unit) {
    const auto starts = in_order_of(&passage::from, all);
    std::vector<std::size_t> places(all.size());
    for (std::size_t i = 0; i < starts.size(); ++i) places[starts[i]] = i;

    tree spans(all.size(), per_unit);
    busiest most;
    for (const std::size_t i : in_order_of(&passage::to, all)) {
        const passage& p = all[i];
        const wide less = multiply(brought.less_at(p.from), per_unit);
        spans.put(places[i], brought.until(p.from) + less, p.units);
        const wide until_now = brought.until(p.to);
        const auto& worst = spans.all();
        if (worst.largest <= until_now || worst.largest - until_now <= most.excess) continue;
        most = {worst.largest - until_now, all[starts[worst.at]].from, p.to, worst.behind};
    }
    return most;
}

word most_in_interval(passages all, word length) {
    std::sort(all.begin(), all.end(),
              [](const passage& a, const passage& b) { return a.from < b.from; });
    return most_within(length, all, &passage::from, &passage::units);
}

word most_in_window(const passages& all, word period) {
    std::map<word, word> windows;
    word most = 0;
    for (const passage& p : all) {
        if (p.from / period != p.to / period) continue;
        most = std::max(most, windows[p.from / period] += p.units);
    }
    return most;
}

word most_weighted(const passages& all, word period, unsigned coarseness) {
    const auto window = [&](word at) { return (at >> coarseness) / period; };
    const auto ends = in_order_of(&passage::to, all);
    std::map<word, word> windows;  // of what was over before the admission that is looked at
    word most = 0;
    auto over = ends.begin();
    for (const std::size_t i : in_order_of(&passage::from, all)) {
        const passage& p = all[i];
        for (; all[*over].to < p.from; ++over) {
            const passage& before = all[*over];
            if (window(before.from) == window(before.to))
                windows[window(before.to)] += before.units;
        }
        const word here = window(p.from);
        if (here != window(p.to)) continue;
        const word left = (here + 1) * period - (p.from >> coarseness);
        most = std::max(most, (windows[here] + p.units) * period + windows[here - 1] * left);
    }
    return most;
}

}  // namespace weir::soak
