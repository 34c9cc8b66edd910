// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "command/json.hpp"
#include "command/sim/results.hpp"

namespace weir::command {
namespace {

constexpr std::size_t bins = 100;

void put(json& j, std::string_view text_or_nothing) {
    if (text_or_nothing.empty()) {
        j.null();
    } else {
        j.value(text_or_nothing);
    }
}

void put(json& j, const trace_facts& f) {
    j.begin_object()
        .member("lines", f.lines)
        .member("empty", f.empty)
        .member("not_understood", f.not_understood);
    j.key("first_not_understood");
    if (f.not_understood == 0) {
        j.null();
    } else {
        j.begin_object()
            .member("line", f.first_line)
            .member("reason", std::string_view(f.first_reason))
            .member("text", std::string_view(f.first_text))
            .end_object();
    }
    j.member("keys_without_place", f.without_place)
        .member("out_of_order", f.late)
        .member("most_late_ns", f.most_late)
        .member("strays", f.strays)
        .member("moved_back", f.moved_back)
        .member("cut_off", f.cut_off)
        .member("seconds_spread", f.spread)
        .end_object();
}

void put(json& j, const histogram& waits) {
    j.begin_object();
    const auto part = [&](const char* name, std::uint32_t millionths) {
        j.member(name, std::uint64_t{waits.quantile(millionths)});
    };
    part("p50", 500'000);
    part("p90", 900'000);
    part("p99", 990'000);
    part("p999", 999'000);
    j.member("most", std::uint64_t{waits.most()}).end_object();
}

void put_limit(json& j, const sim_results& r, const simulated_limit& l) {
    const tally& f = l.found();
    const std::uint64_t end = r.shown_end();
    j.begin_object().member("limit", l.kind->name);
    j.member("quota", l.limit->asked());
    j.member("admitted", f.admitted)
        .member("admitted_units", f.admitted_units)
        .member("refused", f.refused)
        .member("refused_units", f.refused_units)
        .member("never", f.never)
        .member("without_place", f.without_place);
    j.key("worst_window")
        .begin_object()
        .member("units", f.worst.most())
        .member("exact", !f.worst.is_least());
    j.member("last_at_ns", f.worst.at()).key("key");
    put(j, r.known && f.worst.most() != 0 ? r.known->text(f.worst.key()) : std::string_view());
    j.end_object();
    j.key("wait_ns");
    if (l.kind->waits) {
        put(j, f.waits);
        j.member("most_waiting", f.longest_queue);
        j.member("waiting", f.queue.means(r.begin, end, bins));
    } else {
        j.null();
    }
    j.member("admitted_units_over_time", f.passed.parts(r.begin, end, bins));
    j.key("keys_refused")
        .value(static_cast<std::uint64_t>(std::count_if(f.refused_by_key.begin(),
                                                        f.refused_by_key.end(),
                                                        [](std::uint64_t n) { return n != 0; })));
    j.key("worst_keys").begin_array();
    if (r.known && r.by != apart_by::nothing) {
        for (const std::uint32_t key : worst_keys(f, r.top)) {
            j.begin_object()
                .member("key", r.known->text(key))
                .member("came", r.came_by_key[key])
                .member("refused", f.refused_by_key[key])
                .end_object();
        }
    }
    j.end_array().end_object();
}

void put(json& j, const sim_results& r, const suggestion& s) {
    j.begin_object().member("limit", std::string_view(s.limit)).key("quota");
    if (!s.enough) {
        j.null().member("why_not", std::string_view(s.why_not)).end_object();
        return;
    }
    j.value(*s.enough);
    j.member("refused", s.refused).member("of", r.suggested_of).key("too_small");
    if (s.too_small) {
        j.value(*s.too_small);
        j.member("refused_by_too_small", s.refused_by_less);
    } else {
        j.null();
    }
    j.end_object();
}

}  // namespace

std::string sim_json(const sim_results& r) {
    json j;
    j.begin_object()
        .member("weir", WEIR_VERSION)
        .member("arrivals", std::string_view(r.arrivals))
        .member("interrupted", r.interrupted);
    j.key("seed");
    if (r.seed) {
        j.value(*r.seed);
    } else {
        j.null();
    }
    j.key("format");
    put(j, r.format ? describe(*r.format) : std::string_view());
    j.key("log");
    if (r.log) {
        put(j, *r.log);
    } else {
        j.null();
    }
    j.member("requests", r.requests)
        .member("units", r.units)
        .member("keys", std::uint64_t{r.key_count()})
        .member("begin_ns", r.begin)
        .member("end_ns", r.end)
        .member("shown_until_ns", r.shown_end());
    j.member("units_over_time", r.came.parts(r.begin, r.shown_end(), bins));
    j.key("limits").begin_array();
    for (const simulated_limit& l : r.limits) {
        if (l.limit) put_limit(j, r, l);
    }
    j.end_array().key("suggestions").begin_array();
    for (const suggestion& s : r.suggestions) put(j, r, s);
    j.end_array();
    put(j.key("svg"), r.svg);
    put(j.key("csv"), r.csv);
    j.end_object();
    return j.text() + "\n";
}

}  // namespace weir::command
