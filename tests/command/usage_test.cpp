// SPDX-License-Identifier: MIT
// Wrong and right command lines.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

struct wrong_line {
    std::vector<std::string> arguments;
    const char* message;
};

TEST(usage, is_refused_with_one_line_and_status_2) {
    const wrong_line lines[] = {
        {{"demo", "--foo"}, "weir demo: unknown option --foo; try weir demo --help\n"},
        {{"demo", "-q"}, "weir demo: unknown option -q; try weir demo --help\n"},
        {{"demo", "nonsense"},
         "weir demo: QUOTA needs a quota, as in 100/s or 300/min, and not nonsense; try weir demo "
         "--help\n"},
        {{"demo", ""},
         "weir demo: QUOTA needs a quota, as in 100/s or 300/min; try weir demo --help\n"},
        {{"demo", "5/fortnight"},
         "weir demo: QUOTA 5/fortnight is refused: a quota's period is in ns, us, ms, s, min, h or "
         "d, as in 500/min; try weir demo --help\n"},
        {{"demo", "1G/ns"},
         "weir demo: QUOTA 1G/ns is refused: this cell cannot hold the rate within 1 %; try weir "
         "demo --help\n"},
        {{"demo", "5/s", "now"}, "weir demo: unexpected argument now; try weir demo --help\n"},
        {{"demo", "5/s, burst 2", "--burst=3"},
         "weir demo: QUOTA 5/s, burst 2 has a burst: leave out --burst; try weir demo --help\n"},
        {{"demo", "--burst", "3"},
         "weir demo: --burst is that of a quota, as in weir demo 100/s --burst 20; try weir demo "
         "--help\n"},
        {{"demo", "5/s", "--burst", "few"},
         "weir demo: --burst needs a number of 1 or more, as in --burst 20, and not few; try weir "
         "demo --help\n"},
        {{"demo", "--svg"},
         "weir demo: --svg needs a path, as in --svg=chart.svg; try weir demo --help\n"},
        {{"demo", "--svg="},
         "weir demo: --svg needs a path, as in --svg=chart.svg; try weir demo --help\n"},
        {{"demo", "--svg", "--json"},
         "weir demo: --svg needs a path, as in --svg=chart.svg; try weir demo --help\n"},
        {{"demo", "--quick", "--", "--json"},
         "weir demo: QUOTA needs a quota, as in 100/s or 300/min, and not --json; try weir demo "
         "--help\n"},
        {{"demo", "--json=yes"},
         "weir demo: --json takes no value: --json=yes; try weir demo --help\n"},
        {{"demo", "--two\nlines\x1b[2J"},
         "weir demo: unknown option --two?lines?[2J; try weir demo --help\n"},
        {{"completion"},
         "weir completion: SHELL is missing: bash, zsh or fish; try weir completion --help\n"},
        {{"completion", "csh"},
         "weir completion: SHELL needs bash, zsh or fish, and not csh; try weir completion "
         "--help\n"},
        {{"demo", "--\xff\xc2\x9b"
                  "31m"},
         "weir demo: unknown option --??31m; try weir demo --help\n"},
        {{"dmo"}, "weir: unknown command dmo; try weir --help\n"},
        {{"--foo"}, "weir: unknown option --foo; try weir --help\n"},
        {{"--version", "2"}, "weir: unexpected argument 2; try weir --help\n"},
        {{"-h", "demo"}, "weir: unexpected argument demo; try weir --help\n"},
        {{"help", "dmo"}, "weir: unknown command dmo; try weir --help\n"},
        {{"help", "demo", "now"}, "weir: unexpected argument now; try weir --help\n"},
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

TEST(usage, is_shown_on_standard_error_if_nothing_is_asked) {
    const outcome o = run(scratch_folder(), {});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_NE(o.error.find("usage: weir <command>"), std::string::npos);
}

TEST(usage, is_shown_on_standard_output_if_asked_for) {
    const scratch_folder folder;
    for (const char* help : {"--help", "-h", "help"}) {
        const outcome all = run(folder, {help});
        EXPECT_EQ(all.status, 0);
        EXPECT_EQ(all.error, "");
        EXPECT_NE(all.out.find("  demo  "), std::string::npos);
    }
    const std::string text = run(folder, {"demo", "--help"}).out;
    EXPECT_EQ(run(folder, {"demo", "-h"}).out, text);
    EXPECT_EQ(run(folder, {"help", "demo"}).out, text);

    const outcome demo = run(folder, {"demo", "--json", "--help"});
    EXPECT_EQ(demo.status, 0);
    EXPECT_EQ(demo.error, "");
    for (const char* option :
         {"QUOTA", "--burst", "--all", "--svg=PATH", "--json", "--quick", "--help"}) {
        EXPECT_NE(demo.out.find(option), std::string::npos) << option;
    }
}

TEST(usage, of_a_program_without_the_soak_does_not_name_it) {
    const scratch_folder folder;
    const setting without = {.program = WEIR_WITHOUT_SOAK};
    const outcome help = run(folder, {"--help"}, without);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.find("soak"), std::string::npos) << help.out;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"soak"}, {"soak", "--help"}, {"help", "soak"}}) {
        const outcome o = run(folder, arguments, without);
        EXPECT_EQ(o.status, 2);
        EXPECT_EQ(o.out, "");
        EXPECT_EQ(o.error, "weir: unknown command soak; try weir --help\n");
    }
}

TEST(usage, tells_the_version) {
    const outcome o = run(scratch_folder(), {"--version"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "weir " WEIR_VERSION "\n");
}

}  // namespace
