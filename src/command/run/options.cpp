// SPDX-License-Identifier: MIT
#include "command/run/options.hpp"

#include <charconv>
#include <system_error>

#include "command/limits/options.hpp"
#include "command/option.hpp"

namespace weir::command {
namespace {

// In octal, as chmod has it.
bool read_permissions(std::string_view text, unsigned& to) {
    const char* const end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, to, 8);
    return wrong == std::errc() && stopped == end && to <= 0777 && (to & 0600) == 0600;
}

}  // namespace

run_options parse_run(arguments all) {
    run_options o;
    o.help = read_options(
        all,
        {
            offering(limits_there,
                     value("--name", "a word or a path, as in --name api", into(o.name))),
            value("--quota", "a quota, as in 5/s, 300/min or '20/min, burst 3'",
                  [&](std::string_view text) { return read_quota("--quota", text, o.quota); }),
            value("--wait", "a time, as in 0, 500ms, 10s or 2min", into(o.wait)),
            value("--permissions", "those of a file that its owner reads and writes, as in 0660",
                  [&](std::string_view text) {
                      return read_permissions(text, o.access.permissions);
                  }),
            command_of("COMMAND", "what is to run, as in weir run --name api -- curl URL",
                       o.command),
        });
    if (!o.help && o.name.empty()) {
        throw usage_error("--name is missing: which limit, as in --name api");
    }
    return o;
}

}  // namespace weir::command
