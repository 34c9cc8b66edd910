// SPDX-License-Identifier: MIT
// The comparison with peers, with a tiny effort: the C++ worker answers what it is asked, and the
// driver makes a table of what workers say.
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/cores.hpp"
#include "peers/worker.hpp"

namespace {

namespace fs = std::filesystem;

TEST(peers, the_cpp_worker_makes_the_decisions_that_each_demand_says) {
    bench::worker cpp(PEERS_CPP_WORKER, 100);
    std::size_t answers = 0;
    for (const bench::worker_row& row : cpp.rows()) {
        for (const std::string& demand : row.demands) {
            for (unsigned threads = 1; threads <= bench::cores().size(); ++threads) {
                const bool tail = threads == 1;
                const bench::answer a = cpp.ask({row.name, demand, threads, 200, tail});
                SCOPED_TRACE(row.name + ' ' + demand + ' ' + std::to_string(threads));
                ++answers;
                EXPECT_GE(a.asked, 250U);  // a quarter more than it was asked for
                if (row.name == "empty") continue;
                if (demand == "deny") {
                    EXPECT_EQ(a.admitted, 0U);
                } else if (demand == "mixed") {
                    EXPECT_GT(a.admitted, a.asked / 4);
                    EXPECT_LT(a.admitted, a.asked * 3 / 4);
                } else {
                    EXPECT_EQ(a.admitted, a.asked);
                }
            }
        }
    }
    EXPECT_GE(answers, 20U);
}

TEST(peers, a_worker_that_cannot_do_what_it_is_asked_says_so) {
    bench::worker cpp(PEERS_CPP_WORKER, 100);
    EXPECT_THROW((void)cpp.ask({"nobody", "admit", 1, 100, false}), std::runtime_error);
    EXPECT_THROW((void)cpp.ask({"weir", "uniform", 1, 100, false}), std::runtime_error);
    EXPECT_GE(cpp.ask({"weir", "admit", 1, 100, false}).asked, 100U);
}

TEST(peers, a_program_that_is_no_worker_is_refused) {
    EXPECT_THROW(bench::worker("/bin/echo", 100), std::runtime_error);
    EXPECT_THROW(bench::worker("/nowhere", 100), std::runtime_error);
}

TEST(peers, a_worker_that_has_ended_does_not_end_the_driver) {
    std::signal(SIGPIPE, SIG_DFL);  // whoever started this test may have it ignored
    bench::worker cpp(PEERS_CPP_WORKER, 100);
    kill(cpp.process(), SIGKILL);
    EXPECT_THROW((void)cpp.ask({"weir", "admit", 1, 100, false}), std::runtime_error);
    EXPECT_THROW((void)cpp.ask({"weir", "admit", 1, 100, false}), std::runtime_error);
}

class driver : public testing::Test {
protected:
    driver() : folder_(fs::temp_directory_path() / ("peers_test." + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~driver() override { fs::remove_all(folder_); }

    void put(const std::string& name, const std::string& text, fs::perms perms) {
        std::ofstream(folder_ / name) << text;
        fs::permissions(folder_ / name, perms);
    }

    // What it prints; empty if it failed.
    std::string run(const std::string& more = "") {
        const std::string command = PEERS_DRIVER " --quick --workers=" + folder_.string() + more;
        std::FILE* pipe = popen(command.c_str(), "r");
        std::string all;
        std::array<char, 4096> some{};
        while (std::fgets(some.data(), some.size(), pipe) != nullptr) all += some.data();
        return pclose(pipe) == 0 ? all : "";
    }

    const fs::path folder_;
};

// The figures in the n-th line of a table that begins with this title.
std::vector<std::string> figures_of(const std::string& text, const std::string& title, int n) {
    std::istringstream rest(text);
    std::vector<std::string> words;
    for (std::string line; std::getline(rest, line);) {
        if (line.rfind("| " + title + " ", 0) != 0 || --n >= 0) continue;
        std::istringstream cells(line.substr(title.size() + 2));
        for (std::string word; cells >> word;) words.push_back(word);
        return words;
    }
    return words;
}

// | 10.0 | ... as words; of two threads there may be none, if every sample was disturbed.
TEST_F(driver, subtracts_the_loop_and_compares_with_the_first_row) {
    put("ours", R"(#!/bin/sh
echo "row empty 0 admit,deny empty loop"
echo "row first 8 admit,deny the first"
echo "row other 16 admit,deny the other"
echo "left_out the third: not found"
echo "ready"
while read -r name demand threads decisions told; do
    case $name-$demand-$told in
        empty-*-average) echo "1 100 100 0" ;;
        first-admit-average) echo "11 100 100 0" ;;
        other-admit-average) echo "21 100 100 0" ;;
        first-deny-average) echo "6 100 0 0" ;;
        other-deny-average) echo "3.5 100 1 0" ;;
        *-deny-p99.99) echo "40 100 0 0" ;;
        first-admit-p99.99) echo "40 100 100 0" ;;
        *-p99.99) echo "50 100 100 0" ;;
    esac
done
)",
        fs::perms::owner_all);
    const std::string text = run();
    const std::vector<std::string> ns = figures_of(text, "the other", 0);
    ASSERT_GE(ns.size(), 2U) << text;
    EXPECT_EQ(ns[1], "20.0");
    EXPECT_EQ(figures_of(text, "the first", 0).at(1), "10.0");
    EXPECT_EQ(figures_of(text, "the other", 1).at(1), "2.00");
    EXPECT_EQ(figures_of(text, "the other", 2).at(1), "50.0") << "the p99.99, with its loop";
    EXPECT_EQ(figures_of(text, "the other", 3).at(1), "1.25");
    EXPECT_NE(text.find("2.5 (!)"), std::string::npos) << "it admitted one that it should deny";
    EXPECT_EQ(text.find("5.0 (!)"), std::string::npos);
    EXPECT_NE(text.find("- left out: ours: the third: not found\n"), std::string::npos);
}

TEST_F(driver, leaves_out_a_missing_language_and_says_why) {
    fs::create_symlink(PEERS_CPP_WORKER, folder_ / "cpp");
    put("rust.left_out", "cargo not found\n", fs::perms::owner_read);
    const std::string text = run(" --only=weir");
    EXPECT_FALSE(figures_of(text, "weir limiter<>", 0).empty()) << text;
    EXPECT_NE(text.find("- left out: rust: cargo not found\n"), std::string::npos) << text;
}

}  // namespace
