// SPDX-License-Identifier: MIT
// weir sim as its users run it: rules and logs, files and pipes, right and wrong.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

#include "program.hpp"

namespace {

void write(const scratch_folder& folder, const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
}

bool has(const outcome& o, const std::string& text) { return o.out.find(text) != o.out.npos; }

// The numbers of a limit's row, without what lies between them.
std::vector<std::string> row_of(const outcome& o, const std::string& limit) {
    std::size_t at = o.out.find("\n  " + limit + " ");
    if (at == o.out.npos) return {};
    const std::string line = o.out.substr(at + 1, o.out.find('\n', at + 1) - at - 1);
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}
void expect_row(const outcome& o, const std::string& limit, const std::string& admitted,
                const std::string& refused, const std::string& worst) {
    const auto row = row_of(o, limit);
    ASSERT_GT(row.size(), 5U) << o.out << o.error;
    EXPECT_EQ(row[1], admitted) << limit;
    EXPECT_EQ(row[2], refused) << limit;
    EXPECT_EQ(row[row[4] == "%" ? 5 : 4], worst) << limit;
}

// 5 requests of anna within a second and 1 of bert; a second later 1 of anna and 4 of bert.
constexpr const char* two_keys = "0.0 anna\n0.1 anna\n0.2 bert\n0.3 anna\n0.4 anna\n0.5 anna\n"
                                 "1.1 bert\n1.2 bert\n1.3 bert\n1.35 bert\n1.4 anna\n";

TEST(sim, answers_for_a_log_by_key) {
    const scratch_folder folder;
    write(folder, "log", two_keys);
    const outcome o = run(folder, {"sim", "--quota", "3/s", "--limit", "sliding_log,fixed_window",
                                   "--arrivals", "trace:log"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    EXPECT_TRUE(has(o, "11 requests of 2 keys in log (times), within 1.4 s")) << o.out;
    // anna: 3 of 5, then at 1.4 the one of 0.4 would be the fourth within a second, but it was
    // refused. bert: 0.2 has left the last second when 1.2 comes.
    expect_row(o, "sliding_log", "8", "3", "3");
    // bert's window of 0.2 ends at 1.2: from 1.1 there is one in it, from 1.2 on there are 3.
    expect_row(o, "fixed_window", "9", "2", "4");
    EXPECT_TRUE(has(o, "anna     6            2             2  33.33 %")) << o.out;
    EXPECT_TRUE(has(o, "bert     5            1             0  20.00 %")) << o.out;
    EXPECT_TRUE(folder.files() == std::vector<std::string>{"log"});
}

TEST(sim, has_one_limit_for_all_if_that_is_wanted) {
    const scratch_folder folder;
    write(folder, "log", two_keys);
    const outcome o = run(
        folder, {"sim", "--quota=3/s", "--limit=sliding_log", "--arrivals=trace:log", "--per=all"});
    EXPECT_EQ(o.status, 0);
    expect_row(o, "sliding_log", "6", "5", "3");
    EXPECT_FALSE(has(o, "keys")) << o.out;
}

TEST(sim, takes_costs_and_says_what_never_passes) {
    const scratch_folder folder;
    write(folder, "log", "0,a,2\n0.1,a,2\n0.2,a,9\n0.3,a,1\n");
    const outcome o =
        run(folder, {"sim", "--quota", "3/s", "--limit", "sliding_log", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(o, "4 requests for 14 units of 1 key")) << o.out;
    expect_row(o, "sliding_log", "2", "2", "3");
    EXPECT_TRUE(has(o, "1 request of more units than the burst")) << o.out;
}

TEST(sim, knows_every_cell_of_the_catalogue) {
    const scratch_folder folder;
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--limit", "all", "--arrivals",
                                   "burst:20@0", "--for", "2s"});
    EXPECT_EQ(o.status, 0) << o.error;
    weir::for_each_kind([&](auto kind) { expect_row(o, kind.name, "5", "15", "5"); });
    // 15 wait until 5 come each second; of the queue's, 5 pass at once and 4 in the rest of a
    // second.
    expect_row(o, "queue", "20", "0", "9");
    expect_row(o, "pacer", "20", "0", "5");
    EXPECT_TRUE(has(o, "sliding_log: exact: never more in any second"));
}

TEST(sim, leaves_out_of_all_what_cannot_hold_the_quota_and_refuses_it_by_name) {
    const scratch_folder folder;
    const std::vector<std::string> line = {"sim",        "--quota",  "5/s, burst 2",
                                           "--arrivals", "even:1/s", "--limit"};
    const auto with = [&](const std::string& limits) {
        auto all = line;
        all.push_back(limits);
        return run(folder, all);
    };
    const outcome all = with("all");
    EXPECT_EQ(all.status, 0);
    EXPECT_FALSE(row_of(all, "gcra").empty());
    EXPECT_TRUE(row_of(all, "fixed_window").empty());
    const outcome one = with("gcra,fixed_window");
    EXPECT_EQ(one.status, 2);
    EXPECT_EQ(one.error, "weir sim: --limit fixed_window: a window passes a period's units: the "
                         "burst must be the same number; try weir sim --help\n");
}

TEST(sim, tells_the_seed_with_which_it_can_be_had_again) {
    const scratch_folder folder;
    const std::vector<std::string> line = {"sim",          "--quota", "50/s", "--arrivals",
                                           "poisson:60/s", "--for",   "10s"};
    const outcome first = run(folder, line);
    const std::size_t at = first.out.find("seed ");
    ASSERT_NE(at, first.out.npos) << first.out;
    const std::string seed = first.out.substr(at + 5, first.out.find('\n', at) - at - 5);
    auto again = line;
    again.insert(again.end(), {"--seed", seed});
    EXPECT_EQ(run(folder, again).out, first.out);
    again.back() += "1";
    EXPECT_NE(run(folder, again).out, first.out);
}

// --- logs

std::string access_line(const std::string& client, const std::string& time,
                        const std::string& path = "/") {
    return client + " - - [10/Oct/2000:" + time + " -0700] \"GET " + path + " HTTP/1.1\" 200 5\n";
}

TEST(sim, spreads_the_requests_of_a_second_unless_they_shall_stay) {
    const scratch_folder folder;
    std::string log;
    for (int i = 0; i < 10; ++i) log += access_line("192.0.2.1", "13:55:36");
    for (int i = 0; i < 4; ++i) log += access_line("192.0.2.1", "13:55:37");
    write(folder, "log", log);
    std::vector<std::string> line = {"sim", "--quota", "10/s, burst 1", "--arrivals", "trace:log"};
    const outcome spread = run(folder, line);
    expect_row(spread, "gcra", "14", "0", "10");
    EXPECT_TRUE(has(spread, "spread")) << spread.out;
    line.emplace_back("--as-logged");
    const outcome as_logged = run(folder, line);
    expect_row(as_logged, "gcra", "2", "12", "1");
    EXPECT_FALSE(has(as_logged, "spread"));
}

TEST(sim, has_a_limit_for_each_path_if_that_is_wanted) {
    const scratch_folder folder;
    write(folder, "log",
          access_line("a", "13:55:36", "/x?1") + access_line("b", "13:55:36", "/x?2") +
              access_line("a", "13:55:36", "/y"));
    const outcome o =
        run(folder, {"sim", "--quota", "1/h", "--per", "path", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(o, "3 requests of 2 paths")) << o.out;
    expect_row(o, "gcra", "2", "1", "1");
    EXPECT_TRUE(has(o, "  /x       2        1  50.00 %")) << o.out;
}

TEST(sim, counts_lines_that_it_does_not_understand_and_quotes_the_first) {
    const scratch_folder folder;
    write(folder, "log",
          std::string("\x1b[2J\0time,key,cost\r\n", 20) +
              "1,a,1\r\n\r\n# more\r\n2,a,-1\r\n3,a\r\n1969-01-01T00:00:00Z,a\n"
              "2300-01-01T00:00:00Z,a\n" +
              std::string("\0\0\x1b[2J\n", 7) + "4,a");
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"});
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_TRUE(has(o, "3 requests of 1 key")) << o.out;
    EXPECT_TRUE(has(o, "5 lines of 10 not understood. The first is line 1:")) << o.out;
    EXPECT_TRUE(has(o, "\"?[2J?time,key,cost\"")) << o.out;
    EXPECT_TRUE(has(o, "The last line has no end")) << o.out;
    EXPECT_EQ(o.out.find_first_of("\x1b\r"), o.out.npos);
    EXPECT_EQ(o.out.find('\0'), o.out.npos);
}

TEST(sim, finds_out_the_format_though_the_first_lines_are_of_none_or_another) {
    const scratch_folder folder;
    std::string log = "36 -0700] \"GET / HTTP/1.1\" 200 5\n";
    for (int i = 0; i < 100; ++i) log += "some words\n";
    for (int i = 0; i < 3; ++i) log += access_line("192.0.2.1", "13:55:36");
    write(folder, "log", log);
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(o, "3 requests of 1 key in log (access log of nginx or")) << o.out;
    EXPECT_TRUE(has(o, "101 lines of 104 not understood. The first is line 1:")) << o.out;
}

TEST(sim, says_so_if_it_understands_nothing) {
    const scratch_folder folder;
    write(folder, "log", "{\"time\": 1}\n{\"time\": 2}\n");
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(
        o.error.starts_with("weir sim: no line of log is understood, of 2; the first that is "
                            "not: no time"))
        << o.error;
    EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1);
}

TEST(sim, says_what_to_do_with_a_compressed_log) {
    const scratch_folder folder;
    const std::pair<std::string, std::string> files[] = {
        {"\x1f\x8b\x08\n5\n6\n", "zcat"},  // with lines by chance
        {std::string("\xfd") + "7zXZ\n", "xzcat"},
        {"\x28\xb5\x2f\xfd\n", "zstdcat"},
        {"BZh91AY\n", "bzcat"},
    };
    for (const auto& [text, unpacker] : files) {
        write(folder, "log.z", text);
        const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log.z"});
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.error, "weir sim: log.z is compressed: " + unpacker +
                               " log.z | weir sim --arrivals trace:-\n");
        const outcome piped =
            run_with_input(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:-"}, text);
        EXPECT_EQ(piped.error, "weir sim: standard input is compressed: " + unpacker +
                                   " FILE | weir sim --arrivals trace:-\n");
    }
}

TEST(sim, says_that_a_log_is_in_no_order) {
    const scratch_folder folder;
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += std::to_string(1'700'000'000 + i * 7'919 % 100'003) + "\n";
    write(folder, "log", text);
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"});
    EXPECT_NE(o.out.find("sort them first"), std::string::npos) << o.out;
    write(folder, "log", "1700000000\n1700000001\n1700000000\n1700000005\n");
    EXPECT_EQ(
        run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"}).out.find("sort them"),
        std::string::npos);
}

TEST(sim, has_nothing_against_an_empty_log) {
    const scratch_folder folder;
    write(folder, "log", "");
    const outcome o =
        run(folder, {"sim", "--quota", "5/s", "--suggest", "1%", "--arrivals", "trace:log"});
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_TRUE(has(o, "0 requests of 0 keys in log")) << o.out;
}

TEST(sim, tells_of_lines_out_of_order) {
    const scratch_folder folder;
    write(folder, "log", "100 a\n99.5 a\n101 a\n999999 a\n101.5 a\n");
    const outcome o = run(folder, {"sim", "--quota", "5/s", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(o, "4 requests of 1 key")) << o.out;
    EXPECT_TRUE(has(o, "1 line out of order, by up to 500 ms")) << o.out;
    EXPECT_TRUE(has(o, "1 line left out: the time is more than half an hour away")) << o.out;
}

TEST(sim, keeps_no_more_keys_than_it_may) {
    const scratch_folder folder;
    std::string log;
    for (int i = 0; i < 100; ++i) log += std::to_string(i) + " k" + std::to_string(i % 50) + "\n";
    write(folder, "log", log);
    const outcome o =
        run(folder, {"sim", "--quota", "1/d", "--keys", "10", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(o, "20 requests of 10 keys")) << o.out;
    expect_row(o, "gcra", "10", "10", "1");
    EXPECT_TRUE(has(o, "80 lines left out: of keys that came after 10 others")) << o.out;
}

TEST(sim, reads_standard_input) {
    const scratch_folder folder;
    write(folder, "log", two_keys);
    for (const char* name : {"trace:-", "trace:/dev/stdin"}) {
        const std::filesystem::path log = folder.path() / "log";
        const outcome o =
            run(folder, {"sim", "--quota", "3/s", "--arrivals", name}, {.prepare = [log] {
                    const int file = ::open(log.c_str(), O_RDONLY);
                    ::dup2(file, STDIN_FILENO);
                }});
        EXPECT_EQ(o.status, 0) << o.error;
        EXPECT_TRUE(has(o, "11 requests of 2 keys")) << o.out;
    }
}

TEST(sim, suggests_a_quota) {
    const scratch_folder folder;
    write(folder, "log", two_keys);
    const outcome o = run(
        folder, {"sim", "--suggest", "0%", "--limit", "sliding_log", "--arrivals", "trace:log"});
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_TRUE(has(o, "The smallest quota that refuses nothing")) << o.out;
    EXPECT_TRUE(has(o, "sliding_log: 5/s refuses 0 (0 %); 4/s refuses 1 (9.09 %)")) << o.out;
    const outcome some = run(
        folder, {"sim", "--suggest", "9.1%", "--limit", "sliding_log", "--arrivals", "trace:log"});
    EXPECT_TRUE(has(some, "sliding_log: 4/s refuses 1 (9.09 %)")) << some.out;
}

// --- pictures and tables

TEST(sim, draws_and_tabulates) {
    const scratch_folder folder;
    const outcome o =
        run(folder, {"sim", "--quota", "10/s", "--limit", "gcra,queue", "--arrivals", "even:20/s",
                     "--for", "10s", "--svg", "a.svg", "--csv", "a.csv"});
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.csv", "a.svg"}));
    EXPECT_TRUE(content_of(folder.path() / "a.svg").ends_with("</svg>\n"));
    std::istringstream csv(content_of(folder.path() / "a.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "from_ns,to_ns,arrived_units,gcra_admitted_units,queue_admitted_units,"
                    "queue_waiting");
    double came = 0;
    double passed = 0;
    while (std::getline(csv, line)) {
        std::istringstream fields(line);
        std::string field;
        for (int i = 0; std::getline(fields, field, ','); ++i) {
            if (i == 2) came += std::stod(field);
            if (i == 3) passed += std::stod(field);
        }
    }
    EXPECT_NEAR(came, 200, 0.5);
    EXPECT_NEAR(passed, 109, 0.5);  // the burst of 10, and 10/s for 9.95 s
    expect_row(o, "gcra", "109", "91", "19");
}

TEST(sim, tells_at_once_and_in_one_line_what_it_cannot_read_or_write) {
    const scratch_folder folder;
    std::filesystem::create_directory(folder.path() / "folder");
    const std::vector<std::string> good = {"sim", "--quota", "5/s", "--arrivals", "even:1/s"};
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {{"--svg", "missing/x.svg"}, "cannot write missing/x.svg: No such file or directory"},
        {{"--csv", "missing/x.csv"}, "cannot write missing/x.csv: No such file or directory"},
        {{"--svg", "folder"}, "cannot write folder: Is a directory"},
        {{"--svg", "/dev/full"}, "cannot write /dev/full: No space left on device"},
        {{"--csv", "/dev/full"}, "cannot write /dev/full: No space left on device"},
    };
    for (const auto& [more, message] : cases) {
        auto line = good;
        line.insert(line.end(), more.begin(), more.end());
        const outcome o = run(folder, line);
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.error, "weir sim: " + message + "\n");
        EXPECT_EQ(o.out, "");
    }
    for (const auto& [file, reason] : {std::pair("missing", "No such file or directory"),
                                       std::pair("folder", "Is a directory")}) {
        const outcome o =
            run(folder, {"sim", "--quota", "5/s", "--arrivals", std::string("trace:") + file});
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.error, std::string("weir sim: cannot read ") + file + ": " + reason + "\n");
    }
    EXPECT_EQ(folder.files(), std::vector<std::string>{"folder"});
    const outcome full = run(folder, good, {.output_file = "/dev/full"});
    EXPECT_EQ(full.status, 1);
    EXPECT_EQ(full.error, "weir sim: cannot write to standard output: No space left on device\n");
}

TEST(sim, refuses_a_wrong_line_with_the_word_that_is_wrong) {
    const std::pair<std::vector<std::string>, std::string> lines[] = {
        {{}, "--arrivals is missing, as in --arrivals poisson:50/s"},
        {{"--arrivals", "even:1/s"}, "--quota is missing, as in --quota 100/s"},
        {{"--quota", "fast"},
         "--quota needs a quota, as in 100/s, 500/min or '1.5M/s, burst 20k', and not fast"},
        {{"--quota", "0.5/s"},
         "--quota 0.5/s is refused: units and burst must be whole numbers: 30/min instead of "
         "0.5/s"},
        {{"--limit", "gcra,leaky"}, "--limit: there is no limit leaky"},
        {{"--limit", "gcra,"}, "--limit: there is no limit without a name"},
        {{"--limit", "gcra,gcra"}, "--limit: gcra is there twice"},
        {{"--arrivals", "pareto:5/s"},
         "--arrivals pareto:5/s: write poisson:50/s, even:50/s, burst:100@2s, onoff:200/s,1s,4s "
         "or trace:FILE"},
        {{"--arrivals", "poisson:50"},
         "--arrivals poisson:50: 50 is no rate such as 50/s or 1.5M/min"},
        {{"--arrivals", "trace:"}, "--arrivals trace: needs a file, as in trace:access.log"},
        {{"--arrivals", "trace:a", "--arrivals", "trace:b"},
         "--arrivals: one log at a time; cat puts several into one"},
        {{"--arrivals", "trace:a", "--arrivals", "even:1/s"},
         "--arrivals: either rules or a log, not both"},
        {{"--quota", "1/s", "--arrivals", "trace:a", "--seed", "1"},
         "--for and --seed are for arrivals that a rule makes, not for a log"},
        {{"--quota", "1/s", "--arrivals", "even:1/s", "--keys", "1"},
         "--format, --per, --keys and --as-logged are for a log, as in --arrivals "
         "trace:access.log"},
        {{"--suggest", "5"}, "--suggest needs a share from 0% to 100%, as in 0.1%, and not 5"},
        {{"--suggest", "101%"},
         "--suggest needs a share from 0% to 100%, as in 0.1%, and not 101%"},
        {{"--for", "0s"}, "--for needs a time, as in 90s, and not 0s"},
        {{"--wait", "2h"}, "--wait needs a time up to 1h, as in 2s, and not 2h"},
        {{"--seed", "x"}, "--seed needs a whole number, as in --seed 7, and not x"},
        {{"--keys", "0"}, "--keys needs a number from 1 to 200000000, and not 0"},
        {{"--format", "iis"}, "--format needs nginx, apache, haproxy or times, and not iis"},
        {{"--per", "user"}, "--per needs key, path or all, and not user"},
        {{"--top", "-1"}, "--top needs a number from 0 to 1000, and not -1"},
        {{"--svg"}, "--svg needs a path, as in --svg=sim.svg"},
        {{"--quota", "1/s", "--arrivals", "even:1/s", "--svg=a", "--csv", "a"},
         "--svg and --csv are both a"},
        {{"log"}, "unexpected argument log"},
        {{"--follow"}, "unknown option --follow"},
    };
    const scratch_folder folder;
    for (const auto& [words, message] : lines) {
        std::vector<std::string> line = {"sim"};
        line.insert(line.end(), words.begin(), words.end());
        const outcome o = run(folder, line);
        EXPECT_EQ(o.status, 2) << message;
        EXPECT_EQ(o.error, "weir sim: " + message + "; try weir sim --help\n");
        EXPECT_EQ(o.out, "");
    }
    EXPECT_TRUE(folder.files().empty());
}

TEST(sim, has_help_that_names_its_options_and_limits) {
    const scratch_folder folder;
    const outcome o = run(folder, {"sim", "-h"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    for (const char* word : {"--quota", "--limit", "--arrivals", "--for", "--seed", "--format",
                             "--per", "--keys", "--as-logged", "--suggest", "--wait", "--top",
                             "--svg", "--csv", "--json", "queue", "pacer", "exit status"}) {
        EXPECT_TRUE(has(o, word)) << word;
    }
    weir::for_each_kind([&](auto kind) { EXPECT_TRUE(has(o, kind.name)) << kind.name; });
    std::istringstream text(o.out);
    for (std::string line; std::getline(text, line);) EXPECT_LE(columns_of(line), 80U) << line;
}

// --- interruptions and terminals

// A pipe into which somebody writes a log and then nothing more, for ever.
void stall_standard_input(const std::string& text) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    [[maybe_unused]] const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::dup2(ends[0], STDIN_FILENO);  // the other end stays open in the new process
    ::signal(SIGINT, SIG_DFL);      // whoever runs the tests in the background ignores it
}

TEST(sim, interrupted_tells_what_there_is_so_far) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const scratch_folder folder;
    bool typed = false;
    const outcome o = run_on_terminal(
        folder, {"sim", "--quota", "3/s", "--arrivals", "trace:-", "--svg", "a.svg"}, 80,
        {.prepare = [] { stall_standard_input(two_keys); }}, [&typed](const std::string& shown) {
            if (typed || shown.find("11 lines") == std::string::npos) return std::string();
            typed = true;
            return std::string("\x03");
        });
    EXPECT_EQ(o.signal, SIGINT);
    EXPECT_TRUE(has(o, "11 requests of 2 keys")) << o.out;
    EXPECT_TRUE(has(o, "Interrupted: this is what there was so far.")) << o.out;
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a.svg"});
    for (const std::string& line : screen(o.out)) EXPECT_LE(columns_of(line), 80U) << line;
}

TEST(sim, fits_into_narrow_terminals_and_pure_ascii) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const scratch_folder folder;
    write(folder, "log", two_keys);
    for (const std::size_t columns : {40U, 64U, 80U, 200U}) {
        const outcome o = run_on_terminal(
            folder, {"sim", "--quota", "3/s", "--limit", "all", "--arrivals", "trace:log"},
            static_cast<unsigned short>(columns));
        EXPECT_EQ(o.status, 0);
        for (const std::string& line : screen(o.out)) EXPECT_LE(columns_of(line), columns) << line;
    }
    const outcome ascii =
        run(folder, {"sim", "--quota", "3/s", "--limit", "all", "--arrivals", "trace:log"},
            {.environment = {{"LC_ALL", "C"}}});
    for (const char c : ascii.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

}  // namespace
