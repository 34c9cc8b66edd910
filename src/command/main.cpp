// SPDX-License-Identifier: MIT
// weir: the command-line tool. Finds the subcommand, and turns what it throws into one line on
// standard error and an exit status.
#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "command/completion/completion.hpp"
#include "command/demo/demo.hpp"
#include "command/doctor/doctor.hpp"
#include "command/limits/limits.hpp"
#include "command/output.hpp"
#include "command/pace/pace.hpp"
#include "command/run/run.hpp"
#include "command/subcommand.hpp"
#ifdef WEIR_HAS_SIM
#include "command/sim/sim.hpp"
#endif
#ifdef WEIR_HAS_SOAK
#include "soak/soak.hpp"
#endif

namespace weir::command {
namespace {

// One line each: its name, what the help says of it, its function.
constexpr subcommand subcommands[] = {
    {"demo", "show what the library does on this machine", run_demo},
    {"pace", "copy standard input to standard output at a rate", run_pace},
    {"run", "run a command when a limit of this machine admits it", run_run, run_failed,
     run_failed},
    {"limits", "show and remove the limits of this machine", run_limits},
    {"doctor", "look at this machine, and say what suits it", run_doctor},
#ifdef WEIR_HAS_SIM
    {"sim", "show what limits would make of arrivals, or of a log", run_sim},
#endif
    {"completion", "complete commands and options in your shell", run_completion},
#ifdef WEIR_HAS_SOAK
    {"soak", "use all of it at once under load, and check what it promises", soak::run_soak},
#endif
};

std::string usage() {
    std::string text = "usage: weir <command> [options]\n"
                       "       weir help [command]\n"
                       "       weir --version\n"
                       "\n"
                       "Lock-free rate limiters. Commands:\n";
    std::size_t width = 0;
    for (const subcommand& s : subcommands) width = std::max(width, s.name.size());
    for (const subcommand& s : subcommands) {
        std::string name(s.name);
        name.resize(width, ' ');
        text += "  " + name + "  " + std::string(s.summary) + "\n";
    }
    return text + "\n\"weir help <command>\" explains one of them.\n";
}

const subcommand* find(std::string_view name) {
    const auto* const found = std::find_if(std::begin(subcommands), std::end(subcommands),
                                           [&](const subcommand& s) { return s.name == name; });
    return found == std::end(subcommands) ? nullptr : found;
}

int run_alone(std::string_view what, arguments rest) {
    const bool helps = what == "help" || asks_for_help(what);
    if (!helps && what != "--version") {
        const char* unknown = what.starts_with('-') ? "unknown option " : "unknown command ";
        throw usage_error(unknown + std::string(what));
    }
    if (what == "help" && !rest.empty()) {
        const subcommand* const s = find(rest.front());
        if (s == nullptr) throw usage_error("unknown command " + std::string(rest.front()));
        if (rest.size() > 1) throw usage_error("unexpected argument " + std::string(rest[1]));
        constexpr std::string_view help[] = {"--help"};
        return s->run(arguments(help));
    }
    if (!rest.empty()) throw usage_error("unexpected argument " + std::string(rest.front()));
    write_out(helps ? usage() : "weir " WEIR_VERSION "\n");
    return 0;
}

int run(arguments all) {
    if (all.empty()) {
        write_error(usage());
        return 2;
    }
    const subcommand* const s = find(all.front());
    const std::string program = s == nullptr ? "weir" : "weir " + std::string(s->name);
    try {
        if (all.front() == "__complete") return complete_line(subcommands, all.subspan(1));
        return s == nullptr ? run_alone(all.front(), all.subspan(1)) : s->run(all.subspan(1));
    } catch (const usage_error& e) {
        complain(program + ": " + e.what() + "; try " + program + " --help");
        return s == nullptr ? 2 : s->misused;
    } catch (const std::exception& e) {
        complain(program + ": " + e.what());
        return s == nullptr ? 1 : s->failed;
    }
}

}  // namespace
}  // namespace weir::command

int main(int argc, char** argv) {
    // A program may be started without even its own name.
    const std::vector<std::string_view> all(argv + (argc > 0 ? 1 : 0), argv + argc);
    return weir::command::run(all);
}
