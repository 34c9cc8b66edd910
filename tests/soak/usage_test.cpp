// SPDX-License-Identifier: MIT
// Wrong and right command lines of weir soak.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../command/program.hpp"

namespace {

struct wrong_line {
    std::vector<std::string> arguments;
    const char* message;
};

constexpr const char* wrong_minutes =
    "weir soak: --minutes needs a number from 0.001 to 525600, as in --minutes 0.5; "
    "try weir soak --help\n";
constexpr const char* wrong_seed =
    "weir soak: --seed needs a whole number, as in --seed 7; try weir soak --help\n";

TEST(soak_usage, is_refused_with_one_line_and_status_2) {
    const wrong_line lines[] = {
        {{"soak", "--foo"}, "weir soak: unknown option --foo; try weir soak --help\n"},
        {{"soak", "5"}, "weir soak: unexpected argument 5; try weir soak --help\n"},
        {{"soak", "--minutes"}, wrong_minutes},
        {{"soak", "--minutes", "--json"}, wrong_minutes},
        {{"soak", "--minutes="}, wrong_minutes},
        {{"soak", "--minutes", "five"}, wrong_minutes},
        {{"soak", "--minutes", "5m"}, wrong_minutes},
        {{"soak", "--minutes=0"}, wrong_minutes},
        {{"soak", "--minutes=-1"}, wrong_minutes},
        {{"soak", "--minutes=nan"}, wrong_minutes},
        {{"soak", "--minutes=inf"}, wrong_minutes},
        {{"soak", "--minutes=0.0009"}, wrong_minutes},
        {{"soak", "--minutes=525601"}, wrong_minutes},
        {{"soak", "--minutes=1e999"}, wrong_minutes},
        {{"soak", "--seed", "-1"}, wrong_seed},
        {{"soak", "--seed=0x7"}, wrong_seed},
        {{"soak", "--seed=18446744073709551616"}, wrong_seed},
        {{"soak", "--json", "--seed"}, wrong_seed},
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
