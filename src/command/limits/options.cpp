// SPDX-License-Identifier: MIT
#include "command/limits/options.hpp"

#include <algorithm>
#include <cctype>

#include "command/limits/found.hpp"

namespace weir::command {

std::vector<offer> limits_there() {
    std::vector<offer> names;
    for (found_limit& l : find_limits()) {
        // A shell reads other characters otherwise than they are.
        const bool is_plain = std::all_of(l.name.begin(), l.name.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
        });
        if (is_plain) names.push_back({std::move(l.name)});
    }
    return names;
}

limits_options parse_limits(arguments all) {
    limits_options o;
    o.help = read_options(all, {
                                   flag("--json", o.json),
                                   flag("--remove", o.remove),
                                   offering(limits_there, arguments_of("NAME", o.names)),
                               });
    if (!o.help && o.remove && o.names.empty()) {
        throw usage_error("--remove needs a name, as in weir limits --remove api");
    }
    return o;
}

}  // namespace weir::command
