// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "command/option.hpp"

namespace weir::soak {
namespace {

bool read_minutes(std::string_view text, double& to) {
    constexpr double year = 365 * 24 * 60;
    return command::into(to)(text) && to >= 0.001 && to <= year;  // nor is not a number
}

}  // namespace

soak_options parse_soak(command::arguments all) {
    soak_options o;
    o.help = command::read_options(
        all,
        {
            command::flag("--json", o.json),
            command::value("--minutes", "a number from 0.001 to 525600, as in --minutes 0.5",
                           [&](std::string_view text) { return read_minutes(text, o.minutes); }),
            command::value("--seed", "a whole number, as in --seed 7", command::into(o.seed)),
        });
    return o;
}

}  // namespace weir::soak
