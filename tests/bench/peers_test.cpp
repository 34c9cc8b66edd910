// SPDX-License-Identifier: MIT
// The comparison with peers, with a tiny effort: the C++ worker answers what it is asked, and the
// driver makes a table of what workers say.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
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
            const std::set<std::string> others = {"accuracy", "waiting", "making", "first"};
            if (others.count(demand) != 0) continue;
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

// How much is admitted of what the rate allows is no test's affair, as a machine may be too busy to
// ask for it; but whatever a worker tells must fit together.
TEST(peers, the_cpp_worker_tells_how_exact_it_is_how_it_waits_and_how_it_begins) {
    bench::worker cpp(PEERS_CPP_WORKER, 100);
    std::map<std::string, std::size_t> answers;
    for (const bench::worker_row& row : cpp.rows()) {
        for (const std::string& demand : row.demands) {
            SCOPED_TRACE(row.name + ' ' + demand);
            if (demand == "accuracy") {
                const auto told = cpp.ask(row.name, demand, {100'000, 1, 5});
                ASSERT_EQ(told.size(), 3U);
                EXPECT_EQ(told[0] == 0, told[1] == 0);
            } else if (demand == "waiting") {
                const auto told = cpp.ask(row.name, demand, {10'000, 5});
                ASSERT_GE(told.size(), 3U);
                EXPECT_EQ(told[1], static_cast<double>(told.size() - 2));
                EXPECT_EQ(told[2], 0) << "since the first call";
                EXPECT_TRUE(std::is_sorted(told.begin() + 2, told.end()));
            } else if (demand == "making") {
                EXPECT_GT(cpp.ask(row.name, demand, {100}).front(), 0);
            } else if (demand == "first") {
                const std::string command = PEERS_CPP_WORKER " first " + row.name;
                std::FILE* child = popen(command.c_str(), "r");
                double ns = 0;
                EXPECT_EQ(std::fscanf(child, "%lf", &ns), 1);
                EXPECT_EQ(pclose(child), 0);
                EXPECT_GT(ns, 0);
            } else {
                continue;
            }
            ++answers[demand];
        }
    }
    EXPECT_EQ(answers.size(), 4U);
    EXPECT_THROW((void)cpp.ask("weir", "making", {}), std::runtime_error);
    EXPECT_THROW((void)cpp.ask("weir", "waiting", {1000, 5}), std::runtime_error);
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

TEST_F(driver, tells_accuracy_waiting_and_beginning_beside_the_first_row) {
    put("ours", R"sh(#!/bin/sh
if [ "$1" = first ]; then echo 2000; exit; fi
echo "row exact 0 accuracy,making,first the exact"
echo "row above 0 accuracy,making,first the one above"
echo "row never 0 accuracy the one that never refuses"
echo "row waits 0 waiting the one that waits"
echo "row late 0 waiting the late one"
echo "by sh 1.0, none 2.0"
echo "ready"
while read -r name demand a b c; do
    case $name-$demand in
        exact-accuracy) echo "$a 1000000000 1000" ;;
        above-accuracy) echo "$((a + a / 100 + 1)) 1000000000 20000000" ;;
        never-accuracy) echo "0 0 0" ;;
        exact-making) echo "$((a * 10))" ;;
        above-making) echo "$((a * 25))" ;;
        waits-waiting) echo "1000 3 0 $((1000000000 / a)) $((2000000000 / a))" ;;
        late-waiting) echo "4000 3 0 $((1000000000 / a + 7000)) $((2000000000 / a))" ;;
    esac
done
)sh",
        fs::perms::owner_all);
    const std::string text = run(" --parts=accuracy,waiting,beginning --out=" + folder_.string());
    using words = std::vector<std::string>;
    // | 1/s | 1 k/s | ...: a millionth that may be wrong is six digits, and a fiftieth is two.
    const words exact = figures_of(text, "the exact", 0);
    ASSERT_GE(exact.size(), 4U) << text;
    EXPECT_EQ(words(exact.begin(), exact.begin() + 4), (words{"|", "1.000000", "|", "1.000000"}));
    const words above = figures_of(text, "the one above", 0);
    ASSERT_GE(above.size(), 6U);
    EXPECT_EQ(words(above.begin() + 1, above.begin() + 4), (words{"2.00", "(!)", "|"}));
    EXPECT_EQ(above[4], "1.01");
    EXPECT_EQ(above[5], "|") << "the hundredth above may be the measurement's";
    EXPECT_EQ(figures_of(text, "the one that never refuses", 0).at(1), "|") << "nothing is known";
    const words late = figures_of(text, "the late one", 0);
    ASSERT_GE(late.size(), 8U);
    EXPECT_EQ(late[1], "+0");
    EXPECT_EQ(late[7], "0.002") << "of a core";
    EXPECT_EQ(figures_of(text, "the late one", 1).at(3), "4.00") << "times the first one's core";
    EXPECT_EQ(figures_of(text, "the one above", 2).at(1), "1.00") << "its first decision";
    EXPECT_EQ(figures_of(text, "the one above", 2).at(5), "2.50") << "to make one";
    EXPECT_NE(text.find("- ours: sh 1.0, none 2.0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("- command: toolchains/bootstrap peers --quick --parts=accuracy"),
              std::string::npos);

    std::string json;
    for (const auto& file : fs::directory_iterator(folder_)) {
        if (file.path().extension() != ".json") continue;
        std::stringstream all;
        all << std::ifstream(file.path()).rdbuf();
        json = all.str();
    }
    EXPECT_NE(json.find("[\"Waiting\", \"the late one\", \"1 kHz: a core\", 0.002, 4]"),
              std::string::npos)
        << json;
    EXPECT_EQ(json.find(folder_.string()), std::string::npos) << "a path of this machine";
}

TEST_F(driver, refuses_a_part_or_a_language_that_there_is_not) {
    put("ours", "#!/bin/sh\necho ready\n", fs::perms::owner_all);
    EXPECT_EQ(run(" --parts=speed,lateness 2> /dev/null"), "");
    EXPECT_EQ(run(" --parts=waiting --languages=ours,theirs 2> /dev/null"), "");
    EXPECT_NE(run(" --parts=waiting --languages=ours"), "");
}

// A program for pipes that passes on what it is told, and one that passes nothing.
TEST_F(driver, measures_what_a_program_lets_through_a_pipe) {
    put("ours", "#!/bin/sh\necho ready\n", fs::perms::owner_all);
    const fs::path tool = folder_ / "tools";
    fs::create_directories(tool);
    put("tools/weir", "#!/bin/sh\n[ \"$1\" = pace ] && exec cat\n", fs::perms::owner_all);
    const std::string command = " --parts=pipes --only=weir_pace --weir=" + tool.string() + "/weir";
    const std::vector<std::string> ours = figures_of(run(command), "weir pace", 0);
    ASSERT_GE(ours.size(), 3U);
    EXPECT_EQ(ours[2], "(!)") << "cat keeps no rate";
    put("tools/weir", "#!/bin/sh\nexit 2\n", fs::perms::owner_all);
    EXPECT_NE(run(command).find("- left out: pipes: weir pace: passed nothing on\n"),
              std::string::npos);
    EXPECT_NE(run(command + "/none").find("- left out: pipes: weir pace: not found"),
              std::string::npos);
}

}  // namespace
