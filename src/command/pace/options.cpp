// SPDX-License-Identifier: MIT
#include "command/pace/options.hpp"

#include <algorithm>
#include <string>

#include <weir/base/wide.hpp>
#include <weir/cell/quota_text.hpp>
#include <weir/limiter/limiter.hpp>

#include "command/option.hpp"

namespace weir::command {
namespace {

using unit_type = pace_options::unit_type;

// How long a delay is made good where no burst is given.
constexpr nanoseconds made_good = milliseconds(50);

constexpr std::string_view rate_needs = "a rate, as in 5/s, 300/min or 10MB/s";
constexpr std::string_view burst_needs = "a number of 1 or more, as in --burst 20 or --burst 1MB";

// What was written, without the B of bytes behind the number.
struct amount_text {
    std::string text;
    bool of_bytes = false;
};

amount_text without_b(std::string_view text) {
    amount_text a{std::string(text)};
    const std::size_t end = a.text.find_last_not_of(' ', a.text.find('/') - 1);
    if (end != a.text.npos && a.text[end] == 'B') {
        a.text.erase(end, 1);
        a.of_bytes = true;
    }
    return a;
}

[[noreturn]] void refuse_rate(std::string_view text, quota_error reason) {
    if (reason == quota_error::not_a_quota) {
        throw usage_error("RATE needs " + std::string(rate_needs) + ", and not " +
                          std::string(text));
    }
    const char* const why = reason == quota_error::rate_too_fine
                                ? "it is too high to be held within 1 %"
                                : describe(reason);
    throw usage_error("RATE " + std::string(text) + " is refused: " + why);
}

// As RATE and --burst were written, until both are known.
struct written {
    std::string rate;
    std::optional<std::int64_t> burst;
    std::optional<unit_type> unit;

    bool take_rate(std::string_view text) {
        rate = text;
        return !text.empty() && text.find(',') == text.npos;  // the burst has an option
    }
    bool take_burst(std::string_view text) {
        const auto q = parse_quota(without_b(std::string(text) + "/s").text);
        if (q) burst = q->units();
        return q && text.find_first_of("/,") == text.npos;
    }
    bool take_unit(std::string_view text) {
        if (text == "lines") unit = unit_type::lines;
        if (text == "bytes") unit = unit_type::bytes;
        if (text == "items0") unit = unit_type::items0;
        return text == "lines" || text == "bytes" || text == "items0";
    }
};

quota rate_of(const written& w) {
    const auto parsed = parse_quota(without_b(w.rate).text);
    if (!parsed) refuse_rate(w.rate, parsed.error());
    const auto usual = static_cast<std::int64_t>(units_within(*parsed, made_good));
    const auto q = quota::make(parsed->units(), parsed->period(),
                               w.burst ? *w.burst : std::max<std::int64_t>(usual, 1));
    if (!q) refuse_rate(w.rate, q.error());
    return *q;
}

}  // namespace

std::uint64_t units_within(const quota& q, nanoseconds time) noexcept {
    const auto units = static_cast<std::uint64_t>(q.units());
    const auto period = static_cast<std::uint64_t>(q.period().count());
    const wide n =
        divide(multiply(units, static_cast<std::uint64_t>(time.count())), {0, period}).quotient;
    return n.fits(INT64_MAX) ? n.low : INT64_MAX;
}

options limit_options(const pace_options& o) noexcept { return {.start = o.start, .debt = 0}; }

pace_options parse_pace(arguments all) {
    pace_options o;
    written w;
    o.help = read_options(
        all,
        {
            argument("RATE", rate_needs, [&](auto text) { return w.take_rate(text); }),
            value("--burst", burst_needs, [&](auto text) { return w.take_burst(text); }),
            value("--unit", "lines, bytes or items0", [&](auto text) { return w.take_unit(text); }),
            value("--deadline", "a time, as in 500ms, 10s or 2min", into(o.deadline)),
            flag("--stats", o.stats),
            flag("--json", o.json),
            flag("--quiet", o.quiet),
        });
    if (o.help) return o;
    const bool of_bytes = without_b(w.rate).of_bytes;
    if (of_bytes && w.unit && *w.unit != unit_type::bytes) {
        throw usage_error("RATE " + w.rate + " counts bytes: leave out --unit, or the B");
    }
    o.unit = of_bytes ? unit_type::bytes : w.unit.value_or(unit_type::lines);
    if (o.deadline && o.unit == unit_type::bytes) {
        throw usage_error("--deadline is for lines and items0: bytes are not dropped");
    }
    o.rate = rate_of(w);
    // Nothing goes ahead of the rate: the first line goes at once, and a byte when it is due.
    if (!w.burst) o.start = o.unit == unit_type::bytes ? 0 : 1;
    const quota_error reason = limiter<>::make(o.rate, limit_options(o)).error();
    if (reason == quota_error::burst_too_long && w.burst) {
        throw usage_error("--burst " + std::to_string(*w.burst) +
                          " is refused: " + describe(reason));
    }
    if (reason != quota_error::none) refuse_rate(w.rate, reason);
    return o;
}

}  // namespace weir::command
