// SPDX-License-Identifier: MIT
#include "keyed.hpp"

#include "command/text.hpp"
#include "parts.hpp"

namespace weir::soak {
using command::grouped;

keyed_terms any_keyed_terms(dice& d) {
    keyed_terms t{any_terms(d, 100'000), {}, 0, 0, d.one_in(2)};
    t.of_each.options = {};
    // Small, so that keys use theirs up although there are many of them.
    t.of_each.asked = t.of_each.asked.with_burst(static_cast<std::int64_t>(d.magnitude(1, 100)));
    t.options.guard = nanoseconds(static_cast<std::int64_t>(d.magnitude(1'000'000, 100'000'000)));
    t.places = static_cast<std::size_t>(8 * d.magnitude(1, 8));
    t.keys = t.places * static_cast<std::size_t>(d.magnitude(1, 16));
    return t;
}

std::string in_words(const keyed_terms& t) {
    return in_words(t.of_each) + ", " + std::to_string(t.keys) + " keys, " +
           std::to_string(t.places) + " places, guard " +
           grouped(static_cast<std::uint64_t>(t.options.guard.count())) + " ns, " +
           (t.forgives ? "forgives" : "denies");
}

wide beyond(const std::vector<passages>& by_key, const price& p, word burst) {
    const wide most = multiply(burst, p.per_unit) + too_early(p);
    wide sum;
    for (const passages& of_key : by_key) {
        const busiest worst = busiest_span(of_key, income(0, p.per_tick), p.per_unit);
        if (worst.excess > most) sum = sum + (worst.excess - most);
    }
    return sum;
}

void soak_keyed(round& r) {
    if (r.random().one_in(2)) return soak_keyed_by<keyed_layout{}>(r);
    soak_keyed_by<keyed_layout{.exact = true}>(r);
}

}  // namespace weir::soak
