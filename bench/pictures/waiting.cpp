// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/table.hpp"
#include "measured.hpp"
#include "page.hpp"
#include "tracks.hpp"

namespace bench {

std::string waiting_svg(const std::string& results) {
    const page all(results);
    const std::vector<line> usual = all.table("The pacer", "p50");
    const std::vector<line> tails = all.table("The pacer", "p99.99");
    tracks t;
    t.title = "How late the pacer is";
    t.notes = {"From an item's slot to the sink: half of the items,",
               "99 of 100, and 9,999 of 10,000 are not later",
               "than the marks. At the right, what it takes of a core."};
    t.unit = 1'000;
    t.description = "Microseconds from the slot to the sink (p50, p99, p99.99):";
    for (std::size_t i = 0; i < usual.size() && i < tails.size(); ++i) {
        const std::string how = usual[i].text("how");
        const std::string rate = usual[i].text("Hz");
        if (t.groups.empty() || t.groups.back().title != rate + " items a second")
            t.groups.push_back({rate + " items a second", {}});
        track one{how, usual[i].text("core") + " of a core", how != "bare clock_nanosleep", {}};
        const std::string p50 = usual[i].text("p50");
        for (const auto& value :
             {usual[i].number("p50"), usual[i].number("p99"), tails[i].number("p99.99")}) {
            if (value) one.marks.push_back(*value);
        }
        for (const std::string& part : {" " + how, " at " + rate + " Hz ", p50 + ", ",
                                        usual[i].text("p99") + ", ", tails[i].text("p99.99") + ";"})
            t.description += part;
        t.groups.back().tracks.push_back(one);
    }
    t.description.back() = '.';
    return svg_of(t);
}

}  // namespace bench
