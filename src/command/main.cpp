// weir: the command-line tool. Finds the subcommand, and turns what it throws into one line on
// standard error and an exit status.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command/demo/demo.hpp"
#include "command/output.hpp"
#include "command/soak/soak.hpp"
#include "command/subcommand.hpp"

namespace weir::command {
namespace {

constexpr subcommand subcommands[] = {
    {"demo", "show what the library does on this machine", run_demo},
    {"soak", "use all of it at once under load, and check what it promises", run_soak},
};

std::string usage() {
    std::string text = "usage: weir <command> [options]\n"
                       "       weir --help | --version\n"
                       "\n"
                       "Lock-free rate limiters. Commands:\n";
    for (const subcommand& s : subcommands) {
        text += "  " + std::string(s.name) + "  " + std::string(s.summary) + "\n";
    }
    return text + "\n\"weir <command> --help\" explains one of them.\n";
}

int run_alone(std::string_view option, arguments rest) {
    if (option != "--help" && option != "--version") {
        const char* what = option.starts_with('-') ? "unknown option " : "unknown command ";
        throw usage_error(what + std::string(option));
    }
    if (!rest.empty()) throw usage_error("unexpected argument " + std::string(rest.front()));
    write_out(option == "--help" ? usage() : "weir " WEIR_VERSION "\n");
    return 0;
}

int run(arguments all) {
    if (all.empty()) {
        write_error(usage());
        return 2;
    }
    std::string program = "weir";
    try {
        for (const subcommand& s : subcommands) {
            if (s.name != all.front()) continue;
            program += " " + std::string(s.name);
            return s.run(all.subspan(1));
        }
        return run_alone(all.front(), all.subspan(1));
    } catch (const usage_error& e) {
        complain(program + ": " + e.what() + "; try " + program + " --help");
        return 2;
    } catch (const std::exception& e) {
        complain(program + ": " + e.what());
        return 1;
    }
}

}  // namespace
}  // namespace weir::command

int main(int argc, char** argv) {
    // A program may be started without even its own name.
    const std::vector<std::string_view> all(argv + (argc > 0 ? 1 : 0), argv + argc);
    return weir::command::run(all);
}
