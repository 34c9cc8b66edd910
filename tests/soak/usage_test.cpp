// SPDX-License-Identifier: MIT
// Wrong and right command lines of weir soak.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../command/program.hpp"

namespace {

struct wrong_line {
    std::vector<std::string> arguments;
    std::string message;
};

// The value that is wrong, or "" if there is none.
std::string wrong(const std::string& needs, const std::string& value) {
    const std::string word = value.empty() ? "" : ", and not " + value;
    return "weir soak: " + needs + word + "; try weir soak --help\n";
}
std::string minutes(const std::string& value) {
    return wrong("--minutes needs a number from 0.001 to 525600, as in --minutes 0.5", value);
}
std::string seed(const std::string& value) {
    return wrong("--seed needs a whole number, as in --seed 7", value);
}

TEST(soak_usage, is_refused_with_one_line_and_status_2) {
    const wrong_line lines[] = {
        {{"soak", "--foo"}, "weir soak: unknown option --foo; try weir soak --help\n"},
        {{"soak", "5"}, "weir soak: unexpected argument 5; try weir soak --help\n"},
        {{"soak", "--minutes"}, minutes("")},
        {{"soak", "--minutes", "--json"}, minutes("")},
        {{"soak", "--minutes="}, minutes("")},
        {{"soak", "--minutes", "five"}, minutes("five")},
        {{"soak", "--minutes", "5m"}, minutes("5m")},
        {{"soak", "--minutes=0"}, minutes("0")},
        {{"soak", "--minutes=-1"}, minutes("-1")},
        {{"soak", "--minutes=nan"}, minutes("nan")},
        {{"soak", "--minutes=inf"}, minutes("inf")},
        {{"soak", "--minutes=0.0009"}, minutes("0.0009")},
        {{"soak", "--minutes=525601"}, minutes("525601")},
        {{"soak", "--minutes=1e999"}, minutes("1e999")},
        {{"soak", "--seed", "-1"}, seed("-1")},
        {{"soak", "--seed=0x7"}, seed("0x7")},
        {{"soak", "--seed=18446744073709551616"}, seed("18446744073709551616")},
        {{"soak", "--json", "--seed"}, seed("")},
    };
    const scratch_folder folder;
    for (const wrong_line& line : lines) {
        const outcome o = run(folder, line.arguments);
        EXPECT_EQ(o.status, 2) << line.message;
        EXPECT_EQ(o.error, line.message);
        EXPECT_EQ(o.out, "");
    }
    EXPECT_TRUE(folder.files().empty());
}

TEST(soak_usage, is_shown_if_asked_for) {
    const scratch_folder folder;
    EXPECT_NE(run(folder, {"--help"}).out.find("  soak  "), std::string::npos);
    const outcome help = run(folder, {"soak", "--minutes", "5", "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.error, "");
    for (const char* option : {"--minutes N", "--seed S", "--json", "--help"}) {
        EXPECT_NE(help.out.find(option), std::string::npos) << option;
    }
    EXPECT_EQ(run(folder, {"soak", "-h"}).out, help.out);
    EXPECT_EQ(run(folder, {"help", "soak"}).out, help.out);
}

}  // namespace
