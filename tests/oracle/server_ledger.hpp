// SPDX-License-Identifier: MIT
// What a server has told, on its own paper: so many units until an instant, less what has passed
// since. It knows nothing of limits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exact.hpp"

namespace oracle {

class server_ledger {
public:
    // At `now`: so many units are left for `time`. What was told before holds too, or is forgotten.
    // Where the limit has changed nothing, it does not keep when that was: then the time of a call
    // that comes later and whose clock is late counts as the time at which it was told.
    void told(integer now, integer units, integer time, bool unchanged) {
        pages_.push_back({now, units, time, unchanged});
    }
    void forget() { pages_.clear(); }

    // What was told ends for all with the first that comes at its end: a later call whose clock is
    // late comes after that too.
    void see(integer now) {
        std::erase_if(pages_, [now](const page& p) { return p.begin + p.time <= now; });
    }

    // False if that is more than was left.
    [[nodiscard]] bool pass(integer now, integer units) {
        see(now);
        bool fits = true;
        for (page& p : pages_) {
            if (p.unchanged) p.begin = std::min(p.begin, now);
            p.left -= units;
            fits = fits && p.left >= 0;
        }
        return fits;
    }

    [[nodiscard]] std::size_t open() const { return pages_.size(); }

private:
    struct page {
        integer begin;
        integer left;
        integer time;
        bool unchanged;
    };

    std::vector<page> pages_;
};

}  // namespace oracle
