// The cells of one word, of which each is checked with each script that says nothing of the time. A
// new one is a line here. What passes as time goes by is not the same for meters and windows.
#pragma once

#include <memory>
#include <string>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

#include "check.hpp"
#include "race.hpp"
#include "script.hpp"

namespace model {

template <class Cell, class Lone>
[[nodiscard]] maker racing(const script& s) {
    return [s] { return std::make_unique<race<Cell, Lone>>(s); };
}

// Each under the sentence "<cell>_<what>".
inline void check_meters(const std::string& what, const searches& through, const script& s) {
    check("gcra_" + what, through, racing<weir::gcra<word, relacy_atomic>, weir::gcra<>>(s));
    check("leaky_bucket_" + what, through,
          racing<weir::leaky_bucket<word, relacy_atomic>, weir::leaky_bucket<>>(s));
    check("token_bucket_" + what, through,
          racing<weir::token_bucket<word, relacy_atomic>, weir::token_bucket<>>(s));
}

// Of which the script's burst is the units, in the script's period.
inline void check_windows(const std::string& what, const searches& through, script s) {
    s.limit = {s.limit.burst(), s.limit.period()};
    check("fixed_window_" + what, through,
          racing<weir::fixed_window<word, relacy_atomic>, weir::fixed_window<>>(s));
    check("aligned_window_" + what, through,
          racing<weir::aligned_window<word, relacy_atomic>, weir::aligned_window<>>(s));
    check("sliding_window_" + what, through,
          racing<weir::sliding_window<word, relacy_atomic>, weir::sliding_window<>>(s));
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
