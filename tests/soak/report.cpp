// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <cmath>

#include "command/json.hpp"
#include "command/table.hpp"
#include "command/text.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

using command::fixed;
using command::grouped;
using command::json;
using command::plural;
using command::style;
using command::table;
using command::wrapped;

double seconds_of(const plan& p) { return std::chrono::duration<double>(p.length).count(); }

// Rounded up: what is above the bound never reads as 100 %.
std::string percent(double share) { return fixed(std::ceil(share * 1'000) / 10, 1) + " %"; }

std::string verdict_text(const results& r, bool interrupted) {
    const tally all = r.sum();
    const std::string extent = plural(all.rounds, "round") + " with " +
                               plural(all.decisions(), "decision") + " in " + fixed(r.seconds, 1) +
                               " s";
    if (!r.broken.empty())
        return "Broken: " + plural(r.broken.size(), "promise") + ", after " + extent + ".";
    if (interrupted) return "Interrupted; all promises were kept so far: " + extent + ".";
    return "All promises were kept: " + extent + ".";
}

}  // namespace

std::string plan_text(const plan& p, const style& out) {
    const std::string missing = left_out();
    return wrapped("weir " WEIR_VERSION ": " + plural(p.parts.size(), "part") +
                       " of the library, " + std::to_string(p.at_once) + " at a time, for " +
                       fixed(seconds_of(p), 1) + " s, from seed " + std::to_string(p.seed) +
                       (missing.empty() ? "" : "; " + missing),
                   line_width(out));
}

std::string results_text(const plan& p, const results& r, bool interrupted, const style& out) {
    table t({"part", "rounds", "decisions", "admitted", "denied", "bound used"});
    for (std::size_t i = 0; i < r.parts.size(); ++i) {
        const tally& one = r.parts[i];
        t.add({p.parts[i].name, grouped(one.rounds), grouped(one.decisions()),
               grouped(one.admitted), grouped(one.denied), one.use ? percent(*one.use) : "-"});
    }
    const std::size_t width = line_width(out);
    std::string text = "\n" + t.text(width);
    text += wrapped("bound used: in the span of time that came closest, how much of what may pass "
                    "beyond the rate did pass.",
                    width);
    for (const breach& b : r.broken) {
        text += "\n" + wrapped(b.part + ", seed " + std::to_string(b.seed) + " (" + b.round +
                                   "): " + b.what + ".",
                               width);
        text +=
            wrapped("Its quota again, first: weir soak --seed " + std::to_string(b.seed), width);
    }
    return text + "\n" + wrapped(verdict_text(r, interrupted), width);
}

std::string json_text(const plan& p, const results& r, bool interrupted) {
    json j;
    j.begin_object()
        .member("weir", WEIR_VERSION)
        .member("seed", p.seed)
        .member("seconds_asked", seconds_of(p))
        .member("seconds", r.seconds)
        .member("rounds_at_once", std::uint64_t{p.at_once})
        .member("interrupted", interrupted)
        .member("kept", r.broken.empty());
    j.key("parts").begin_array();
    for (std::size_t i = 0; i < r.parts.size(); ++i) {
        const tally& one = r.parts[i];
        j.begin_object()
            .member("name", p.parts[i].name)
            .member("rounds", one.rounds)
            .member("admitted", one.admitted)
            .member("denied", one.denied)
            .key("bound_used");
        if (one.use) {
            j.value(*one.use);
        } else {
            j.null();
        }
        j.end_object();
    }
    j.end_array().key("broken").begin_array();
    for (const breach& b : r.broken) {
        j.begin_object()
            .member("part", std::string_view(b.part))
            .member("seed", b.seed)
            .member("round", std::string_view(b.round))
            .member("what", std::string_view(b.what))
            .end_object();
    }
    j.end_array().end_object();
    return j.text() + "\n";
}

std::string progress_text(const plan& p, const results& r) {
    return fixed(std::floor(r.seconds), 0) + " of " + fixed(std::ceil(seconds_of(p)), 0) + " s, " +
           plural(r.sum().rounds, "round") + ", " + plural(r.sum().decisions(), "decision");
}

}  // namespace weir::soak
