// SPDX-License-Identifier: MIT
#include "command/demo/options.hpp"

#include <cstdint>

#include <weir/weir.hpp>

#include "command/option.hpp"

namespace weir::command {
namespace {

[[noreturn]] void refuse(const std::string& written, quota_error reason) {
    throw usage_error("QUOTA " + written + " is refused: " + describe(reason));
}

quota with_burst(const std::string& written, const quota& q, std::optional<std::int64_t> burst) {
    if (burst && written.find(',') != written.npos)
        throw usage_error("QUOTA " + written + " has a burst: leave out --burst");
    const auto whole = quota::make(q.units(), q.period(), burst.value_or(q.burst()));
    if (!whole) refuse(written, whole.error());
    const quota_error reason = limiter<>::make(*whole).error();
    if (reason != quota_error::none) refuse(written, reason);
    return *whole;
}

}  // namespace

demo_options parse_demo(arguments all) {
    demo_options o;
    std::string written;
    std::optional<std::int64_t> burst;
    o.help = read_options(
        all, {
                 argument_if_there("QUOTA", "a quota, as in 100/s or 300/min",
                                   [&](std::string_view text) {
                                       written = text;
                                       return read_quota("QUOTA", text, o.asked);
                                   }),
                 value("--burst", "a number of 1 or more, as in --burst 20",
                       [&](std::string_view text) {
                           burst = amount_of(text);
                           return burst.has_value();
                       }),
                 flag("--all", o.all),
                 of_a_file(value("--svg", "a path, as in --svg=chart.svg", into(o.svg))),
                 flag("--json", o.json),
                 flag("--quick", o.quick),
             });
    if (o.help) return o;
    if (burst && !o.asked)
        throw usage_error("--burst is that of a quota, as in weir demo 100/s --burst 20");
    if (o.asked) o.asked = with_burst(written, *o.asked, burst);
    return o;
}

}  // namespace weir::command
