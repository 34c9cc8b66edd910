// SPDX-License-Identifier: MIT
// weir demo on a terminal: colours, the progress line, narrow windows, ^C.
#include <algorithm>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

class terminal : public testing::Test {
protected:
    void SetUp() override {
        if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    }
};

constexpr const char* progress_line = "1/4 two threads";

TEST_F(terminal, gets_colours_and_a_progress_line_that_is_gone_at_the_end) {
    const outcome o = run_on_terminal(scratch_folder(), {"demo", "--quick"}, 80);
    EXPECT_EQ(o.status, 0);
    EXPECT_NE(o.out.find("\x1b[1m"), std::string::npos);
    EXPECT_NE(o.out.find(progress_line), std::string::npos);
    for (const std::string& line : screen(o.out)) {
        EXPECT_EQ(line.find("/4 "), std::string::npos) << line;
    }
}

TEST_F(terminal, gets_no_colour_where_that_is_asked) {
    const outcome o = run_on_terminal(scratch_folder(), {"demo", "--quick"}, 80,
                                      {.environment = {{"NO_COLOR", "1"}}});
    EXPECT_EQ(o.status, 0);
    for (std::size_t at = 0; (at = o.out.find("\x1b[", at)) != o.out.npos; ++at) {
        EXPECT_EQ(o.out.substr(at, 3), "\x1b[K");
    }
}

TEST_F(terminal, gets_no_escape_code_if_it_is_dumb) {
    const outcome o = run_on_terminal(scratch_folder(), {"demo", "--quick"}, 80,
                                      {.environment = {{"TERM", "dumb"}}});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(o.out.find(progress_line), std::string::npos);
}

TEST_F(terminal, may_be_narrow) {
    const scratch_folder folder;
    for (const std::size_t columns : {40U, 64U, 80U, 200U}) {
        const outcome o =
            run_on_terminal(folder, {"demo", "1.5M/min", "--burst=20", "--all", "--quick"},
                            static_cast<unsigned short>(columns));
        EXPECT_EQ(o.status, 0);
        for (const std::string& line : screen(o.out)) {
            EXPECT_LE(columns_of(line), columns) << line;
        }
    }
}

// Of 24 lines the last one is that of the next prompt.
TEST_F(terminal, has_all_of_the_demo_on_one_screen) {
    const outcome o = run_on_terminal(scratch_folder(), {"demo", "--quick"}, 80);
    EXPECT_EQ(o.status, 0);
    EXPECT_LE(screen(o.out).size(), 25U) << o.out;
}

TEST_F(terminal, is_left_clean_by_an_interrupt) {
    const scratch_folder folder;
    outcome o;
    // On a busy machine it may have ended before the key is pressed: then once more.
    while (o.signal != SIGINT) {
        bool typed = false;
        o = run_on_terminal(folder, {"demo", "--svg=weir-demo.svg"}, 80, {},
                            [&typed](const std::string& shown) {
                                if (typed || shown.find(progress_line) == std::string::npos)
                                    return std::string();
                                typed = true;
                                return std::string("\x03");
                            });
    }
    EXPECT_EQ(screen(o.out).back().find(progress_line), std::string::npos);
    EXPECT_TRUE(o.out.ends_with("\r\x1b[K")) << o.out;
    // It was finished before.
    EXPECT_EQ(folder.files(), std::vector<std::string>{"weir-demo.svg"});
    EXPECT_TRUE(content_of(folder.path() / "weir-demo.svg").ends_with("</svg>\n"));
}

TEST_F(terminal, does_not_end_what_ignores_interrupts) {
    bool typed = false;
    const outcome o = run_on_terminal(
        scratch_folder(), {"demo", "--quick"}, 80, {.prepare = [] { ::signal(SIGINT, SIG_IGN); }},
        [&typed](const std::string& shown) {
            if (typed || shown.find(progress_line) == std::string::npos) return std::string();
            typed = true;
            return std::string("\x03");
        });
    EXPECT_EQ(o.status, 0);
}

}  // namespace
