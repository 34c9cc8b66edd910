// SPDX-License-Identifier: MIT
#include "harness/flood.hpp"

#include <ostream>
#include <string>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/table/when_full.hpp>

#include "harness/table.hpp"

namespace bench {

void write_flood(std::ostream& out) {
    using weir::when_full;
    const std::pair<const char*, when_full> policies[] = {
        {"`deny`", when_full::deny},
        {"`forgive_least`", when_full::forgive_least},
        {"`allow`", when_full::allow}};
    lines table = {{"`when_full`", "honest requests that pass", "keys that come once",
                    "an abusive key gets, a second", "`forgiven`, together"}};
    for (const auto& [name, policy] : policies) {
        const flood_outcome o = flooded(policy);
        table.push_back({name, text("%.0f %%", 100 * o.honest), text("%.0f %%", 100 * o.once),
                         text("%.1f", o.abusive),
                         text("%.0f s", static_cast<double>(o.counted.forgiven.count()) / 1e9)});
    }
    write_lines(out, table, {false, true, true, true, true});
}

}  // namespace bench
