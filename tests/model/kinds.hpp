// The cells of one word, of which each is checked with each script. A new one is a line here.
#pragma once

#include <memory>
#include <string>

#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/token_bucket.hpp>

#include "check.hpp"
#include "race.hpp"
#include "script.hpp"

namespace model {

template <class Cell, class Lone>
[[nodiscard]] maker racing(const script& s) {
    return [s] { return std::make_unique<race<Cell, Lone>>(s); };
}

// Under the sentence "<cell>_<what>".
struct checks {
    checks(const std::string& what, const searches& through, const script& s) {
        check("gcra_" + what, through, racing<weir::gcra<word, relacy_atomic>, weir::gcra<>>(s));
        check("leaky_bucket_" + what, through,
              racing<weir::leaky_bucket<word, relacy_atomic>, weir::leaky_bucket<>>(s));
        check("token_bucket_" + what, through,
              racing<weir::token_bucket<word, relacy_atomic>, weir::token_bucket<>>(s));
    }
};

}  // namespace model
