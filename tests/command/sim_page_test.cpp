// SPDX-License-Identifier: MIT
// What the page of weir sim shows is what the commands on it print.
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

// The words of a line, of which some may be quoted by '.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '\'') {
            quoted = !quoted;
        } else if (c == ' ' && !quoted) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

// The page has no spaces at the end of its lines.
std::string without_end_spaces(const std::string& text) {
    std::istringstream in(text);
    std::string result;
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

TEST(page_of_sim, shows_what_its_commands_print) {
    const std::filesystem::path root = WEIR_SOURCE;
    std::istringstream page(content_of(root / "src/command/sim.md"));
    const scratch_folder folder;
    std::size_t commands = 0;
    for (std::string line; std::getline(page, line);) {
        if (line != "```console") continue;
        std::getline(page, line);
        ASSERT_TRUE(line.starts_with("$ weir ")) << line;
        const auto words = words_of(line.substr(7));
        const outcome o = run(folder, words, {.prepare = [&root] {
                                  if (::chdir(root.c_str()) != 0) ::_exit(126);
                              }});
        EXPECT_EQ(o.status, 0) << o.error;
        std::string shown;
        while (std::getline(page, line) && line != "```") shown += line + "\n";
        EXPECT_EQ(without_end_spaces(o.out), shown) << "weir sim prints otherwise";
        ++commands;
    }
    EXPECT_GE(commands, 2U);
}

}  // namespace
