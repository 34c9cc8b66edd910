// SPDX-License-Identifier: MIT
// A model of cores that share cache lines: what a decision costs where more cores decide than there
// are here to measure. A line belongs to the core that wrote it last. To write to another core's
// line takes a transfer, and transfers of one line come one after the other. Nothing else is
// modelled: no caches that are full, no sockets, no scheduler.
//
// It is deterministic: the same parameters give the same figures on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "../harness/drawn.hpp"

namespace bench::lines {

// Nanoseconds, in thousandths, so that sums are exact.
using time = std::uint64_t;
inline constexpr time per_ns = 1000;

struct costs {
    time own;       // of a decision by itself, with no line of another core's
    time restock;   // of a decision that goes to the shared limit for a lease, by itself
    time transfer;  // of a line from one core to another
};

enum class subject : unsigned char {
    limiter,  // each decision writes the one line
    leased,   // by leases, or in stripes: one decision in `units` writes the shared line
    keyed,    // each decision writes the line of a random key
};

class machine {
public:
    machine(std::size_t lines, time transfer) : transfer_(transfer), lines_(lines) {}

    // When a core's write is done that begins at `now`.
    time write(std::size_t core, std::size_t line, time now) {
        place& p = lines_[line];
        if (p.owner == core) return now;
        p.free = std::max(p.free, now) + transfer_;
        p.owner = core;
        return p.free;
    }
    [[nodiscard]] std::size_t lines() const { return lines_.size(); }

private:
    struct place {
        std::size_t owner = ~std::size_t{0};
        time free = 0;
    };
    time transfer_;
    std::vector<place> lines_;
};

// What each decision takes, on average, from its begin to its end, if all cores decide without a
// pause. `units` of a lease; keys of a keyed table lie on `lines`.
[[nodiscard]] inline double ns_a_decision(subject what, std::size_t cores, const costs& c,
                                          std::size_t units, std::size_t lines) {
    constexpr std::size_t decisions = 2000;  // of each core
    machine m(what == subject::keyed ? lines : 1, c.transfer);
    using turn = std::pair<time, std::size_t>;
    std::priority_queue<turn, std::vector<turn>, std::greater<>> next;
    // Leases of different cores end at different times.
    std::vector<std::size_t> left(cores);
    for (std::size_t i = 0; i < cores; ++i) {
        left[i] = i * units / cores;
        next.emplace(0, i);
    }
    drawn dice;
    time all = 0;
    for (std::size_t i = 0; i < decisions * cores; ++i) {
        const auto [begin, core] = next.top();
        next.pop();
        time end = begin + c.own;
        switch (what) {
            case subject::limiter: end = m.write(core, 0, end); break;
            case subject::leased:
                if (left[core] == 0) {
                    left[core] = units;
                    end = m.write(core, 0, begin + c.restock);
                }
                --left[core];
                break;
            case subject::keyed: end = m.write(core, (dice.next() >> 20U) % m.lines(), end); break;
        }
        all += end - begin;
        next.emplace(end, core);
    }
    return static_cast<double>(all) / static_cast<double>(decisions * cores) /
           static_cast<double>(per_ns);
}

}  // namespace bench::lines
