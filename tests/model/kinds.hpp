// SPDX-License-Identifier: MIT
// The cells of one word, of which each is checked with each script that says nothing of the time.
// What passes as time goes by is not the same for meters and windows.
#pragma once

#include <memory>
#include <string>

#include <weir/cell/kinds.hpp>

#include "check.hpp"
#include "race.hpp"
#include "script.hpp"

namespace model {

template <class Cell, class Lone>
[[nodiscard]] maker racing(const script& s) {
    return [s] { return std::make_unique<race<Cell, Lone>>(s); };
}

// Each under the sentence "<cell>_<what>".
template <class Kind>
void check_kind(const std::string& what, const searches& through, const script& s) {
    using shared = typename Kind::template cell<1, word, relacy_atomic>;
    using alone = typename Kind::template cell<1>;
    check(Kind::name + ("_" + what), through, racing<shared, alone>(s));
}

inline void check_meters(const std::string& what, const searches& through, const script& s) {
    weir::for_each_kind([&](auto kind) {
        using cell = typename decltype(kind)::template cell<1>;
        if constexpr (weir::are_meters::has<cell>) check_kind<decltype(kind)>(what, through, s);
    });
}

// Of which the script's burst is the units, in the script's period.
inline void check_windows(const std::string& what, const searches& through, script s) {
    s.limit = {s.limit.burst(), s.limit.period()};
    weir::for_each_kind([&](auto kind) {
        using cell = typename decltype(kind)::template cell<1>;
        if constexpr (weir::are_windows::has<cell>) check_kind<decltype(kind)>(what, through, s);
    });
}

struct checks {
    checks(const std::string& what, const searches& through, const script& s) {
        check_meters(what, through, s);
        check_windows(what, through, s);
    }
};
struct meter_checks {
    meter_checks(const std::string& what, const searches& through, const script& s) {
        check_meters(what, through, s);
    }
};
struct window_checks {
    window_checks(const std::string& what, const searches& through, const script& s) {
        check_windows(what, through, s);
    }
};

}  // namespace model
