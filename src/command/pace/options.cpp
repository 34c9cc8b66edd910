// SPDX-License-Identifier: MIT
#include "command/pace/options.hpp"

#include <algorithm>
#include <string>

#include <weir/base/wide.hpp>
#include <weir/cell/quota_text.hpp>

#include "command/option.hpp"

namespace weir::command {
namespace {

using unit_type = pace_options::unit_type;

// Where no burst is given a delay of that time is made good.
constexpr nanoseconds made_good = milliseconds(50);

// What comes in that time goes together. A grain of bytes moves pages; each line is to leave when
// it is due.
constexpr nanoseconds grain_of_bytes = milliseconds(10);
constexpr nanoseconds grain_of_items = milliseconds(1);

constexpr const char* rate_needs = "a rate, as in 5/s, 300/min or 10MiB/s";
constexpr const char* burst_needs = "a number of 1 or more, as in --burst 20 or --burst 1MiB";

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

// Rounded down.
std::uint64_t units_within(const quota& q, nanoseconds time) noexcept {
    const auto units = static_cast<std::uint64_t>(q.units());
    const auto period = static_cast<std::uint64_t>(q.period().count());
    const wide n =
        divide(multiply(units, static_cast<std::uint64_t>(time.count())), {0, period}).quotient;
    return n.fits(INT64_MAX) ? n.low : INT64_MAX;
}

[[noreturn]] void refuse_rate(std::string_view text, quota_error reason) {
    if (reason == quota_error::not_a_quota) {
        throw usage_error("RATE needs " + std::string(rate_needs) + ", and not " +
                          std::string(text));
    }
    throw usage_error("RATE " + std::string(text) + " is refused: " + describe(reason));
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
        burst = amount_of(without_b(text).text);
        return burst.has_value();
    }
};

quota rate_of(const written& w) {
    const auto parsed = parse_quota(without_b(w.rate).text);
    if (!parsed) refuse_rate(w.rate, parsed.error());
    const auto q = quota::make(parsed->units(), parsed->period(), w.burst.value_or(1));
    if (!q) refuse_rate(w.rate, q.error());
    return *q;
}

}  // namespace

std::uint64_t grain_of(const pace_options& o) noexcept {
    const bool of_bytes = o.unit == unit_type::bytes;
    const std::uint64_t usual =
        of_bytes ? std::min<std::uint64_t>(units_within(o.rate, grain_of_bytes), widest_pipe)
                 : units_within(o.rate, grain_of_items);
    // Half of a burst, so that the other half makes good a late wake.
    const auto half = static_cast<std::uint64_t>(o.rate.burst()) / 2;
    return std::max<std::uint64_t>(o.has_burst ? std::min(usual, half) : usual, 1);
}

std::uint64_t most_within(const pace_options& o, nanoseconds time) noexcept {
    return o.has_burst ? units_within(o.rate, time) + static_cast<std::uint64_t>(o.rate.burst())
                       : units_within(o.rate, time + made_good) + grain_of(o);
}

result<schedule<>, pacer_error> schedule_of(const pace_options& o) noexcept {
    const auto grain = static_cast<std::int64_t>(grain_of(o));
    const auto q = quota::make(o.rate.units(), o.rate.period(), grain);
    return schedule<>::make(*q, o.has_burst ? catch_up::items(o.rate.burst() - grain)
                                            : catch_up::within(made_good));
}

pace_options parse_pace(arguments all) {
    pace_options o;
    written w;
    o.help = read_options(
        all, {
                 argument("RATE", rate_needs, [&](auto text) { return w.take_rate(text); }),
                 value("--burst", burst_needs, [&](auto text) { return w.take_burst(text); }),
                 choice("--unit",
                        {{"lines", unit_type::lines},
                         {"bytes", unit_type::bytes},
                         {"items0", unit_type::items0}},
                        w.unit),
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
    o.has_burst = w.burst.has_value();
    const pacer_error reason = schedule_of(o).error();
    if (reason == pacer_error::none) return o;
    if (o.has_burst && reason == pacer_error::burst_too_long) {
        throw usage_error("--burst " + std::to_string(*w.burst) +
                          " is refused: so many take decades to come");
    }
    throw usage_error("RATE " + w.rate + " is refused: " + describe(reason));
}

}  // namespace weir::command
