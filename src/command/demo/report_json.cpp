// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "command/demo/report.hpp"
#include "command/json.hpp"

namespace weir::command {
namespace {

constexpr std::size_t bins = 100;

void put(json& j, const machine& m) {
    j.begin_object()
        .member("cores", std::uint64_t{m.cores})
        .member("processor", std::string_view(m.processor));
    j.key("clock")
        .begin_object()
        .member("source", m.clock.source)
        .member("hertz", m.clock.hertz)
        .member("invariant", m.clock.invariant)
        .end_object();
    j.end_object();
}

void put(json& j, const contention& c) {
    j.begin_object();
    j.member("quota", c.asked);
    j.member("threads", std::uint64_t{c.threads})
        .member("seconds", c.seconds)
        .member("started_with", c.started_with)
        .member("exact", c.exact)
        .member("admitted", c.admitted)
        .member("saturated", c.saturated());
    j.key("ratio");
    if (c.saturated()) {
        j.value(static_cast<double>(c.admitted) / static_cast<double>(c.exact));
    } else {
        j.null();
    }
    j.member("denied", c.denied).member("ns_per_decision", c.nanoseconds_per_decision).end_object();
}

void put(json& j, const arrivals& trace, const std::vector<shape>& shapes) {
    j.begin_object()
        .member("seconds", static_cast<std::uint64_t>(trace_length.count()))
        .member("arrived", std::uint64_t{trace.size()});
    j.member("arrivals_per_second", arrival_rates(trace, bins));
    j.key("algorithms").begin_array();
    for (const shape& s : shapes) {
        j.begin_object().member("algorithm", std::string_view(s.algorithm));
        j.member("quota", s.asked);
        j.member("passed", std::uint64_t{passed_in_all(s)})
            .member("most_in_a_second", std::uint64_t{most_in_a_second(trace, s)});
        j.member("passed_per_second", passed_rates(trace, s, bins));
        j.end_object();
    }
    j.end_array().end_object();
}

template <class Item>
void put_all(json& j, const std::vector<Item>& items) {
    j.begin_array();
    for (const Item& item : items) put(j, item);
    j.end_array();
}

}  // namespace

std::string json_text(const findings& f) {
    json j;
    j.begin_object().member("weir", WEIR_VERSION).member("quick", f.quick);
    put(j.key("machine"), f.where);
    put_all(j.key("contention"), f.contended);
    put(j.key("shapes"), f.trace, f.shapes);
    put_all(j.key("costs"), f.costs);
    j.key("svg");
    if (f.svg.empty()) {
        j.null();
    } else {
        j.value(std::string_view(f.svg));
    }
    j.end_object();
    return j.text() + "\n";
}

}  // namespace weir::command
