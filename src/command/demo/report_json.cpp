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

void put(json& j, const rival& r) {
    j.begin_object().member("name", std::string_view(r.name));
    const auto measured = [&](std::string_view name, double value) {
        j.key(name);
        if (r.slices == 0) {
            j.null();
        } else {
            j.value(value);
        }
    };
    measured("ns", r.nanoseconds);
    measured("p9999_ns", r.tail);
    j.member("slices", std::uint64_t{r.slices}).end_object();
}

// In units, and seconds of real time.
void put(json& j, const scene& t, const std::vector<shape>& shapes) {
    const double seconds = static_cast<double>(t.asked.period().count()) / 1e9;
    j.begin_object()
        .member("seconds", seconds * static_cast<double>(trace_length.count()))
        .member("arrived", t.in_units(t.times.size()))
        .member("at_a_time", t.units);
    j.member("arrivals_per_second", t.per_second(arrival_rates(t.times, bins)));
    j.key("algorithms").begin_array();
    for (const shape& s : shapes) {
        j.begin_object().member("algorithm", std::string_view(s.algorithm));
        j.member("quota", s.asked);
        j.member("passed", t.in_units(passed_in_all(s)))
            .member("most_in_a_period", t.in_units(most_in_a_second(t.times, s)));
        j.member("passed_per_second", t.per_second(passed_rates(t.times, s, bins)));
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
    put_all(j.key("two_threads"), f.rivals);
    put_all(j.key("contention"), f.contended);
    put_all(j.key("pacing"), f.paced);
    if (f.has_all) {
        put(j.key("shapes"), *f.played, f.shapes);
        put_all(j.key("costs"), f.costs);
    }
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
