// SPDX-License-Identifier: MIT
#include "command/completion/completion.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/option.hpp"
#include "command/output.hpp"

namespace weir::command {
namespace {

constexpr std::string_view completion_help =
    "usage: weir completion bash|zsh|fish\n"
    "\n"
    "Prints a script by which your shell completes weir's commands, options, values\n"
    "and files. Debian's package brings it along. Else put this where your shell\n"
    "begins:\n"
    "\n"
    "  source <(weir completion bash)       ~/.bashrc\n"
    "  source <(weir completion zsh)        ~/.zshrc, behind compinit\n"
    "  weir completion fish | source        ~/.config/fish/config.fish\n"
    "\n"
    "  --help  this text\n"
    "\n"
    "The exit status is 0, 1 if the script could not be written, or 2 for a wrong\n"
    "command line.\n";

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

const char* script_for(std::string_view shell) {
    return shell == "bash" ? bash_completion : shell == "zsh" ? zsh_completion : fish_completion;
}

std::vector<offer> names_of_shells() {
    std::vector<offer> names;
    for (const std::string_view shell : shells) names.push_back({std::string(shell)});
    return names;
}

candidates first_words(std::span<const subcommand> all, std::string_view begin, bool of_help) {
    candidates found;
    const auto add = [&](std::string_view word, std::string_view what) {
        if (word.starts_with(begin)) {
            found.words.push_back(std::string(word) + '\t' + std::string(what));
        }
    };
    for (const subcommand& s : all) add(s.name, s.summary);
    if (of_help) return found;
    add("help", "explain one of them");
    if (begin.starts_with('-')) {
        add("--help", "all commands");
        add("--version", "the version");
    }
    return found;
}

candidates candidates_among(std::span<const subcommand> all, arguments words) {
    if (words.size() == 1) return first_words(all, words[0], false);
    if (words[0] == "help")
        return words.size() == 2 ? first_words(all, words[1], true) : candidates{};
    const auto s = std::find_if(all.begin(), all.end(),
                                [&](const subcommand& each) { return each.name == words[0]; });
    if (s == all.end()) return {};
    candidates found = candidates_of(*s, words.subspan(1));
    if (found.what == candidates::kind::command) ++found.before;  // the command of weir's
    return found;
}

}  // namespace

int run_completion(arguments all) {
    std::string_view shell;
    const bool helps = read_options(
        all, {offering(names_of_shells,
                       argument("SHELL", "bash, zsh or fish", [&](std::string_view text) {
                           shell = text;
                           return std::find(std::begin(shells), std::end(shells), text) !=
                                  std::end(shells);
                       }))});
    write_out(helps ? completion_help : script_for(shell));
    return 0;
}

int complete_line(std::span<const subcommand> all, arguments words) {
    if (words.empty()) return 0;
    const candidates found = candidates_among(all, words);
    std::string text;
    switch (found.what) {
        case candidates::kind::words: text = "words\n"; break;
        case candidates::kind::files: text = "files " + std::to_string(found.before) + "\n"; break;
        case candidates::kind::command:
            text = "command " + std::to_string(found.before) + "\n";
            break;
    }
    for (const std::string& word : found.words) text += word + "\n";
    write_out(text);
    return 0;
}

}  // namespace weir::command
