// SPDX-License-Identifier: MIT
#include "command/limits/options.hpp"

#include "command/option.hpp"

namespace weir::command {

limits_options parse_limits(arguments all) {
    limits_options o;
    o.help = read_options(all, {
                                   flag("--json", o.json),
                                   flag("--remove", o.remove),
                                   arguments_of("NAME", o.names),
                               });
    if (!o.help && o.remove && o.names.empty()) {
        throw usage_error("--remove needs a name, as in weir limits --remove api");
    }
    return o;
}

}  // namespace weir::command
