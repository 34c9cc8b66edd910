// SPDX-License-Identifier: MIT
#include "command/demo/options.hpp"

namespace weir::command {

demo_options parse_demo(arguments all) {
    constexpr std::string_view svg = "--svg=";
    demo_options o;
    for (const std::string_view argument : all) {
        if (asks_for_help(argument)) {
            o.help = true;
            return o;
        }
        if (argument == "--json") {
            o.json = true;
        } else if (argument == "--quick") {
            o.quick = true;
        } else if (argument == "--svg" || argument == svg) {
            throw usage_error("--svg needs a path, as in --svg=chart.svg");
        } else if (argument.starts_with(svg)) {
            o.svg = argument.substr(svg.size());
        } else if (argument.starts_with('-')) {
            throw usage_error("unknown option " + std::string(argument));
        } else {
            throw usage_error("unexpected argument " + std::string(argument));
        }
    }
    return o;
}

}  // namespace weir::command
