// SPDX-License-Identifier: MIT
#include "command/pace/report.hpp"

#include <limits>
#include <string_view>

#include "command/json.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using unit_type = pace_options::unit_type;

const char* name_of(unit_type unit) {
    switch (unit) {
        case unit_type::lines: return "line";
        case unit_type::bytes: return "byte";
        case unit_type::items0: return "item";
    }
    return "unit";
}

// 5.000/s, or 99.984 MB/s
std::string rate_text(double rate, unit_type unit) {
    const char* prefix = "";
    for (const char* next : {"k", "M", "G"}) {
        if (rate < 1000) break;
        rate /= 1000;
        prefix = next;
    }
    const bool of_bytes = unit == unit_type::bytes;
    return fixed(rate, 3) + (of_bytes || *prefix != '\0' ? " " : "") + prefix +
           (of_bytes ? "B/s" : "/s");
}

}  // namespace

void passage::add(std::uint64_t units, std::uint64_t bytes) noexcept {
    bytes_ += bytes;
    if (units == 0) return;
    last_ = clock::now();
    last_units_ = units;
    if (units_ == 0) first_ = last_;
    units_ += units;
}

double passage::seconds() const noexcept {
    return std::chrono::duration<double>(clock::now() - begin_).count();
}

double passage::rate() const noexcept {
    const double time = std::chrono::duration<double>(last_ - first_).count();
    if (!(time > 0)) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(units_ - last_units_) / time;
}

std::string units_text(std::uint64_t count, const pace_options& o) {
    return plural(count, name_of(o.unit));
}

std::string stats_text(const passage& p, const pace_options& o) {
    std::string text = units_text(p.units(), o);
    if (o.unit != unit_type::bytes) text += " (" + plural(p.bytes(), "byte") + ")";
    text += " in " + fixed(p.seconds(), 1) + " s";
    const double rate = p.rate();
    if (rate >= 0) text += ", " + rate_text(rate, o.unit);
    if (p.dropped() != 0) text += ", " + grouped(p.dropped()) + " dropped";
    return text;
}

std::string stats_json(const passage& p, const pace_options& o, std::chrono::nanoseconds waited) {
    json j;
    j.begin_object()
        .member("unit", std::string_view(std::string(name_of(o.unit)) + "s"))
        .member("quota", o.rate)
        .member("passed", p.units())
        .member("bytes", p.bytes())
        .member("dropped", p.dropped())
        .member("seconds", p.seconds())
        .member("waited_seconds", std::chrono::duration<double>(waited).count())
        .member("per_second", p.rate())
        .end_object();
    return j.text() + "\n";
}

}  // namespace weir::command
