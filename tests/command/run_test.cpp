// SPDX-License-Identifier: MIT
// weir run and weir limits: processes that share a limit.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/shm.hpp>

#include "../shm_names.hpp"
#include "program.hpp"

namespace {

using words = std::vector<std::string>;

class weir_run : public testing::Test {
protected:
    // weir run --name <own> ...
    outcome run_it(words more) {
        more.insert(more.begin(), {"run", "--name", name_.c_str()});
        return run(folder_, more);
    }

    scratch_folder folder_;
    own_name name_;
};

TEST_F(weir_run, ends_with_the_status_of_its_command) {
    EXPECT_EQ(run_it({"--quota", "1k/s", "--", "sh", "-c", "echo hi; exit 7"}).status, 7);
    const outcome o = run_it({"echo", "--help", "-h"});  // its own options, and without --
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "--help -h\n");
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(run_it({"sh", "-c", "kill -TERM $$"}).signal, SIGTERM);
    EXPECT_EQ(run_with_input(folder_, {"run", "--name", name_.c_str(), "cat"}, "text").out, "text");
}

TEST_F(weir_run, says_what_cannot_be_run_and_takes_no_unit_for_it) {
    const auto fails = [&](const words& line, int status, const std::string& message) {
        words all = {"--quota", "1/d"};
        all.insert(all.end(), line.begin(), line.end());
        const outcome o = run_it(all);
        EXPECT_EQ(o.status, status);
        EXPECT_EQ(o.error, "weir run: " + message + "\n");
    };
    std::ofstream(folder_.path() / "file") << "text";
    fails({"no-such-program"}, 127, "no-such-program: No such file or directory");
    fails({"./no-such-program"}, 127, "./no-such-program: No such file or directory");
    fails({""}, 127, ": No such file or directory");
    fails({"./file"}, 126, "./file: Permission denied");
    fails({"/"}, 126, "/: Permission denied");
    EXPECT_EQ(run_it({"--quota", "1/d", "--wait", "0", "true"}).status, 0);
}

TEST_F(weir_run, exits_with_75_and_says_how_long_if_it_would_wait_too_long) {
    EXPECT_EQ(run_it({"--quota", "1/d", "--wait", "0", "true"}).status, 0);
    for (const char* wait : {"0", "0s", "100ms", "1h"}) {
        const outcome o = run_it({"--wait", wait, "echo", "never"});
        EXPECT_EQ(o.status, 75);
        EXPECT_EQ(o.out, "");
        const std::string begin =
            "weir run: limit " + std::string(name_.c_str()) + " admits the next in 86";
        EXPECT_TRUE(o.error.starts_with(begin) && o.error.ends_with(" s\n")) << o.error;
    }
}

TEST_F(weir_run, waits_for_its_turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(run_it({"--quota", "10/s, burst 1", "true"}).status, 0);
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
}

TEST_F(weir_run, admits_as_many_as_the_burst_of_all_processes_together) {
    std::vector<std::unique_ptr<started>> all;
    for (int i = 0; i < 12; ++i) {
        all.push_back(
            std::make_unique<started>(folder_, words{"run", "--name", name_.c_str(), "--quota",
                                                     "3/d", "--wait", "0", "true"}));
    }
    std::vector<int> statuses;
    for (const auto& each : all) statuses.push_back(each->end().status);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 0), 3);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 75), 9);
}

TEST_F(weir_run, shares_its_limit_with_programs_that_open_it) {
    EXPECT_EQ(run_it({"--quota", "2/d", "true"}).status, 0);
    auto limit = weir::shared_limiter<>::open(name_.c_str(), {2, weir::seconds(86'400)});
    ASSERT_TRUE(limit) << describe(limit.error());
    EXPECT_TRUE(limit->try_acquire());
    EXPECT_EQ(run_it({"--wait", "0", "true"}).status, 75);
}

TEST_F(weir_run, keeps_nobody_waiting_for_one_that_was_killed_while_it_waited) {
    EXPECT_EQ(run_it({"--quota", "1/h", "true"}).status, 0);
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    for (int i = 0; i < 3; ++i) {
        bool typed = false;
        const outcome o =
            run_on_terminal(folder_, {"run", "--name", name_.c_str(), "true"}, 80, {},
                            [&typed](const std::string& shown) {
                                if (typed || shown.find("waiting") == std::string::npos)
                                    return std::string();
                                typed = true;
                                ::usleep(50'000);  // so that it is asleep, as a rule
                                return std::string("\x03");
                            });
        EXPECT_EQ(o.signal, SIGINT);
    }
    auto limit = weir::shared_limiter<>::join(name_.c_str());
    ASSERT_TRUE(limit);
    EXPECT_LE(limit->peek().retry_after(),
              weir::minutes(90));  // with a place it would be two hours
}

TEST_F(weir_run, refuses_another_quota_and_says_which_it_is) {
    EXPECT_EQ(run_it({"--quota", "5/min, burst 2", "true"}).status, 0);
    const std::string name = name_.c_str();
    const outcome o = run_it({"--quota", "6/min", "true"});
    EXPECT_EQ(o.status, 125);
    EXPECT_EQ(o.error, "weir run: limit " + name +
                           " is '5/min, burst 2' and not '6/min': leave out --quota, or first "
                           "remove it by weir limits --remove " +
                           name + "\n");
    own_name other;
    const outcome missing = run(folder_, {"run", "--name", other.c_str(), "true"});
    EXPECT_EQ(missing.status, 125);
    EXPECT_EQ(missing.error, "weir run: limit " + std::string(other.c_str()) +
                                 " is not there yet: make it by --quota, as in --quota 5/s; try "
                                 "weir run --help\n");
}

TEST_F(weir_run, gives_the_limit_the_permissions_that_are_asked_for) {
    const auto mode = [&] {
        struct stat is {};
        EXPECT_EQ(::stat(name_.file().c_str(), &is), 0);
        return is.st_mode & 0777U;
    };
    EXPECT_EQ(run_it({"--quota", "1k/s", "true"}).status, 0);
    EXPECT_EQ(mode(), 0600U);
    EXPECT_EQ(run(folder_, {"limits", "--remove", name_.c_str()}).status, 0);
    EXPECT_EQ(run_it({"--quota", "1k/s", "--permissions", "0660", "true"}).status, 0);
    EXPECT_EQ(mode(), 0660U);
    const outcome o = run_it({"true"});
    EXPECT_EQ(o.status, 125);
    EXPECT_EQ(o.error, "weir run: limit " + std::string(name_.c_str()) +
                           ": more users may write to it than the permissions say\n");
}

TEST_F(weir_run, refuses_wrong_words_with_one_line_and_status_125) {
    const auto error_of = [&](words line) {
        line.insert(line.begin(), "run");
        const outcome o = run(folder_, line);
        EXPECT_EQ(o.status, 125);
        EXPECT_EQ(o.out, "");
        return o.error;
    };
    EXPECT_EQ(error_of({}), "weir run: COMMAND is missing: what is to run, as in weir run --name "
                            "api -- curl URL; try weir run --help\n");
    EXPECT_EQ(error_of({"true"}),
              "weir run: --name is missing: which limit, as in --name api; try weir run --help\n");
    EXPECT_EQ(error_of({"--name", "x", "--quota", "5", "true"}),
              "weir run: --quota needs a quota, as in 5/s, 300/min or '20/min, burst 3', and not "
              "5; try weir run --help\n");
    EXPECT_EQ(error_of({"--name", "x", "--quota", "5/x", "true"}),
              "weir run: --quota 5/x is refused: a quota's period is in ns, us, ms, s, min, h or "
              "d, as in 500/min; try weir run --help\n");
    EXPECT_EQ(error_of({"--name", "x", "--wait", "5", "true"}),
              "weir run: --wait needs a time, as in 0, 500ms, 10s or 2min, and not 5; try weir "
              "run --help\n");
    EXPECT_EQ(error_of({"--name", "x", "--permissions", "0444", "true"}),
              "weir run: --permissions needs those of a file that its owner reads and writes, as "
              "in 0660, and not 0444; try weir run --help\n");
    EXPECT_EQ(error_of({"--name", "no/such/folder", "--quota", "5/s", "true"}),
              "weir run: limit no/such/folder: the folder that its name says is not there\n");
    EXPECT_EQ(error_of({"--name", "..", "--quota", "5/s", "true"}),
              "weir run: limit ..: what has this name is no shared memory and no file\n");
}

TEST(weir_limits, shows_what_there_is_and_takes_no_unit) {
    const scratch_folder folder;
    own_name name;
    auto limit = weir::shared_limiter<>::open(name.c_str(), {3, weir::seconds(86'400)});
    ASSERT_TRUE(limit) << describe(limit.error());
    const std::string word = std::string(name.c_str()).substr(1);
    for (const words& line : {words{"limits", word}, {"limits", name.c_str()}, {"limits"}}) {
        const outcome o = run(folder, line);
        EXPECT_EQ(o.status, 0) << o.error;
        EXPECT_NE(o.out.find(word), std::string::npos);
        EXPECT_NE(o.out.find("gcra"), std::string::npos);
        EXPECT_NE(o.out.find("3/d"), std::string::npos) << o.out;
    }
    EXPECT_TRUE(limit->try_acquire(3));
    const outcome o = run(folder, {"limits", word});
    EXPECT_NE(o.out.find("  0  in 28"), std::string::npos) << o.out;
}

TEST(weir_limits, shows_and_removes_what_cannot_be_used) {
    const scratch_folder folder;
    own_name name;
    ASSERT_TRUE(weir::shared_limiter<>::open(name.c_str(), weir::per_second(5)));
    {
        std::fstream file(name.file(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100);
        file << "damage";
    }
    const outcome shown = run(folder, {"limits", name.c_str()});
    EXPECT_EQ(shown.status, 0);
    EXPECT_NE(shown.out.find(": what it says of itself is damaged\n"), std::string::npos);
    EXPECT_EQ(run(folder, {"limits", "--remove", name.c_str()}).status, 0);
    const outcome gone = run(folder, {"limits", name.c_str()});
    EXPECT_EQ(gone.status, 1);
    EXPECT_EQ(gone.error, "weir limits: limit " + std::string(name.c_str()) +
                              ": there is nothing of this name\n");
}

TEST(weir_limits, removes_nothing_that_weir_has_not_made) {
    const scratch_folder folder;
    const std::string file = folder.path() / "file";
    std::ofstream(file) << std::string(1000, 'x');
    std::ofstream(folder.path() / "empty");
    const auto error_of = [&](const std::string& name) {
        const outcome o = run(folder, {"limits", "--remove", name});
        EXPECT_EQ(o.status, 1);
        return o.error;
    };
    EXPECT_EQ(error_of(file), "weir limits: limit " + file + ": it was not made by weir\n");
    EXPECT_EQ(error_of("./empty"), "weir limits: limit ./empty: it does not have the size with "
                                   "which it was made\n");
    EXPECT_EQ(error_of("/"), "weir limits: limit /: a name is one word behind a slash, or else the "
                             "path of a file with a slash in it\n");
    EXPECT_EQ(folder.files(), (words{"empty", "file"}));
    EXPECT_EQ(run(folder, {"limits", "--remove"}).status, 2);
}

}  // namespace
