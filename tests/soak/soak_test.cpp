// SPDX-License-Identifier: MIT
// weir soak as its users run it, and what it says of a part that breaks its promise.
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "../command/program.hpp"
#include "soak.hpp"

namespace {

using weir::soak::part;
using weir::soak::round;
using weir::soak::run_soak_of;

TEST(soak, says_for_each_part_what_was_done_and_that_all_promises_were_kept) {
    const outcome o = run(scratch_folder(), {"soak", "--minutes", "0.02", "--seed=5"});
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(o.out.find_first_of("\x1b\r"), std::string::npos);
    for (const char* text :
         {"from seed 5\n", "  gcra ", "  adjustable ", "All promises were kept: "}) {
        EXPECT_NE(o.out.find(text), std::string::npos) << o.out;
    }
}

void break_it(round& r) {
    r.about("2 per day");
    r.count(3, 4);
    r.uses(1.5);
    r.promise(false, "3 units passed");
    r.promise(false, "a second one is not told");
}
constexpr part broken[] = {{"planted", break_it}};

std::string said(const std::vector<std::string_view>& arguments, int& status) {
    testing::internal::CaptureStdout();
    status = run_soak_of(broken, arguments);
    return testing::internal::GetCapturedStdout();
}

TEST(soak, tells_part_and_seed_and_quota_of_a_broken_promise_and_ends) {
    int status = 0;
    const std::string text = said({"--minutes", "60", "--seed", "5"}, status);
    EXPECT_EQ(status, 1);
    EXPECT_NE(text.find("planted, seed 5 (2 per day): 3 units passed.\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("150.0 %"), std::string::npos) << text;
    EXPECT_NE(text.find("weir soak --seed 5\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nBroken: "), std::string::npos) << text;
    EXPECT_EQ(text.find("second one"), std::string::npos) << text;

    const std::string json = said({"--seed", "5", "--json"}, status);
    EXPECT_EQ(status, 1);
    EXPECT_NE(json.find("\"kept\":false"), std::string::npos) << json;
    EXPECT_NE(json.find("{\"part\":\"planted\",\"seed\":5,\"round\":\"2 per day\","
                        "\"what\":\"3 units passed\"}"),
              std::string::npos)
        << json;
}

TEST(soak, tells_in_one_line_that_its_output_cannot_be_written) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"soak", "--minutes", "0.001"},
          {"soak", "--minutes", "0.001", "--json"},
          {"soak", "--help"}}) {
        const outcome o = run(scratch_folder(), arguments, {.output_file = "/dev/full"});
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.error, "weir soak: cannot write to standard output: "
                           "No space left on device\n");
    }
}

// Types ^C as soon as the progress line is there.
outcome interrupted(const std::vector<std::string>& arguments, const setting& s = {}) {
    bool typed = false;
    return run_on_terminal(scratch_folder(), arguments, 80, s, [&typed](const std::string& shown) {
        if (typed || shown.find(" rounds, ") == std::string::npos) return std::string();
        typed = true;
        return std::string("\x03");
    });
}

TEST(soak, reports_what_was_done_when_it_is_interrupted) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const outcome o = interrupted({"soak", "--minutes", "60"});
    EXPECT_EQ(o.signal, SIGINT);
    EXPECT_NE(o.out.find("Interrupted; all promises were kept so far: "), std::string::npos);
    for (const std::string& line : screen(o.out)) {
        EXPECT_EQ(line.find("3600 s, "), std::string::npos) << line;
    }
    const outcome json = interrupted({"soak", "--minutes", "60", "--json"});
    EXPECT_EQ(json.signal, SIGINT);
    EXPECT_NE(json.out.find("\"interrupted\":true"), std::string::npos);
}

void do_not_end(round&) {
    for (;;) std::this_thread::sleep_for(std::chrono::minutes(1));
}
constexpr part stubborn[] = {{"stubborn", do_not_end}};

TEST(soak, leaves_no_progress_line_when_a_second_interrupt_ends_it_at_once) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const auto soak = [] { ::_exit(run_soak_of(stubborn, {})); };
    std::size_t seen = 0;
    int typed = 0;
    // The second when a line comes after the first.
    const auto typist = [&](const std::string& shown) {
        const std::size_t line = shown.find(" rounds, ", seen);
        if (typed == 2 || line == std::string::npos) return std::string();
        ++typed;
        seen = shown.size();
        return std::string("\x03");
    };
    const outcome o = run_on_terminal(scratch_folder(), {}, 80, {.prepare = soak}, typist);
    EXPECT_EQ(o.signal, SIGINT);
    EXPECT_EQ(o.out.find("Interrupted"), std::string::npos) << o.out;
    EXPECT_EQ(screen(o.out).back().find(" rounds, "), std::string::npos) << o.out;
}

TEST(soak, is_not_ended_by_an_interrupt_that_is_ignored) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const outcome o =
        interrupted({"soak", "--minutes", "0.02"}, {.prepare = [] { ::signal(SIGINT, SIG_IGN); }});
    EXPECT_EQ(o.status, 0);
    EXPECT_NE(o.out.find("All promises were kept: "), std::string::npos);
}

}  // namespace
