// SPDX-License-Identifier: MIT
#include "command/demo/options.hpp"

#include "command/option.hpp"

namespace weir::command {

demo_options parse_demo(arguments all) {
    demo_options o;
    o.help = read_options(all, {
                                   flag("--json", o.json),
                                   flag("--quick", o.quick),
                                   value("--svg", "a path, as in --svg=chart.svg", into(o.svg)),
                               });
    return o;
}

}  // namespace weir::command
