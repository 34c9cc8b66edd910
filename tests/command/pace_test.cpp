// SPDX-License-Identifier: MIT
// weir pace with pipes, files, signals and devices.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

using std::chrono::steady_clock;
using words = std::vector<std::string>;

std::string numbered_lines(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += std::to_string(i) + "\n";
    return text;
}

// Bytes of all values, with items of all lengths up to some that no buffer holds.
std::string mixed_bytes() {
    std::mt19937 random(20);
    std::string text(1'000'000, '\0');
    for (char& c : text) c = static_cast<char>(random());
    text += std::string(700'000, 'x') + "\n\n\n" + std::string(700'000, '\0') + "\n";
    text += std::string(300'000, 'y');  // the last one has no end
    return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

TEST(pace, passes_each_byte_on_whatever_its_ends_are) {
    const scratch_folder folder;
    const std::string text = mixed_bytes();
    const std::string in = folder.path() / "in";
    write_file(in, text);
    for (const char* unit : {"lines", "bytes", "items0"}) {
        for (const char* fast : {"1G/s", "100M/s"}) {
            const words line = {"pace", fast, "--unit", unit, "--burst", "100M"};
            const outcome piped = run_with_input(folder, line, text);
            EXPECT_EQ(piped.status, 0) << piped.error;
            EXPECT_EQ(piped.error, "");
            EXPECT_TRUE(piped.out == text) << unit;
            EXPECT_TRUE(run(folder, line, {.input_file = in}).out == text) << unit;

            const std::string out = folder.path() / "out";
            write_file(out, "");
            EXPECT_EQ(run_with_input(folder, line, text, {.output_file = out}).status, 0);
            EXPECT_TRUE(content_of(out) == text) << unit;
            write_file(out, "");
            EXPECT_EQ(run(folder, line, {.input_file = in, .output_file = out}).status, 0);
            EXPECT_TRUE(content_of(out) == text) << unit;
            // Behind what is there: no system moves bytes to such a file by itself.
            const auto append = [&out] {
                ::dup2(::open(out.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), STDOUT_FILENO);
            };
            EXPECT_EQ(run(folder, line, {.input_file = in, .prepare = append}).status, 0);
            EXPECT_TRUE(content_of(out) == text + text) << unit;
        }
    }
}

// Who shares a terminal or a pipe may have made it so.
TEST(pace, passes_each_byte_on_through_streams_that_do_not_block) {
    const scratch_folder folder;
    const std::string text = mixed_bytes();
    const auto never_block = [] {
        for (const int file : {STDIN_FILENO, STDOUT_FILENO}) {
            ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
        }
    };
    for (const char* unit : {"lines", "bytes", "items0"}) {
        const outcome o = run_with_input(folder, {"pace", "1G/s", "--unit", unit}, text,
                                         {.prepare = never_block});
        EXPECT_EQ(o.status, 0) << o.error;
        EXPECT_TRUE(o.out == text) << unit;
    }
}

TEST(pace, passes_each_byte_on_while_it_waits_for_the_limit) {
    const scratch_folder folder;
    const std::string text = numbered_lines(2'000);
    EXPECT_EQ(run_with_input(folder, {"pace", "20k/s"}, text).out, text);
    EXPECT_EQ(run_with_input(folder, {"pace", "100kB/s"}, text).out, text);
    EXPECT_EQ(run_with_input(folder, {"pace", "20k/s", "--burst", "1"}, text.substr(0, 300)).out,
              text.substr(0, 300));
    EXPECT_EQ(run_with_input(folder, {"pace", "20k/s", "--deadline", "1d"}, text).out, text);
    EXPECT_EQ(run_with_input(folder, {"pace", "1/d"}, "alone").out, "alone");
    EXPECT_EQ(run_with_input(folder, {"pace", "1/d"}, "").out, "");
    // Longer than the buffer, and one line all the same.
    const std::string longer = std::string(700'000, 'x') + "\n";
    EXPECT_TRUE(run_with_input(folder, {"pace", "1/d"}, longer).out == longer);
    EXPECT_TRUE(run_with_input(folder, {"pace", "1/d", "--deadline", "1d"}, longer).out == longer);
}

// Faster is what nothing may be. Slower is what any machine may be.
TEST(pace, is_never_faster_than_the_rate) {
    const scratch_folder folder;
    const auto takes = [&](const words& line, const std::string& text) {
        const auto begin = steady_clock::now();
        EXPECT_EQ(run_with_input(folder, line, text).out, text);
        return seconds_since(begin);
    };
    EXPECT_GE(takes({"pace", "100/s"}, numbered_lines(21)), 0.2);
    EXPECT_GE(takes({"pace", "100/s", "--burst", "11"}, numbered_lines(21)), 0.1);
    EXPECT_GE(takes({"pace", "600/min", "--burst=1"}, numbered_lines(3)), 0.2);
    EXPECT_GE(takes({"pace", "1kB/s"}, std::string(200, 'x')), 0.2);
    EXPECT_GE(takes({"pace", "1k/s", "--unit", "bytes", "--burst", "100B"}, std::string(300, 'x')),
              0.2);
    EXPECT_GE(takes({"pace", "10MB/s"}, std::string(2'000'000, 'x')), 0.2);
    EXPECT_GE(takes({"pace", "10/s", "--unit", "items0"}, std::string("a\0b\0c", 5)), 0.2);
    // A line longer than the buffer is one line.
    EXPECT_GE(takes({"pace", "10/s"},
                    std::string(700'000, 'x') + "\n" + std::string(700'000, 'y') + "\nz\n"),
              0.2);
}

TEST(pace, lets_each_line_go_when_it_is_due_and_waits_for_no_other) {
    const scratch_folder folder;
    started it(folder, {"pace", "1k/s"});
    for (const char* line : {"one\n", "two\n", "\n", "four\n"}) {
        it.write(line);
        EXPECT_EQ(it.read(std::string(line).size()), line);
    }
    it.write("fi");
    it.write("ve\nthe end");
    EXPECT_EQ(it.read(5), "five\n");
    it.end_input();
    const outcome o = it.end();
    EXPECT_EQ(o.out, "the end");
    EXPECT_EQ(o.status, 0);
}

TEST(pace, goes_on_after_a_stop_with_no_more_than_its_burst) {
    const scratch_folder folder;
    started it(folder, {"pace", "100/s", "--burst", "3"});
    it.write(numbered_lines(1'000));
    EXPECT_EQ(it.read(6), "1\n2\n3\n");
    ASSERT_EQ(::kill(it.process(), SIGSTOP), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(it.process(), &status, WUNTRACED), it.process());
    ASSERT_TRUE(WIFSTOPPED(status));
    ::usleep(300'000);  // 30 lines would have gone
    (void)it.read_what_is_there();
    const auto begin = steady_clock::now();
    ASSERT_EQ(::kill(it.process(), SIGCONT), 0);
    std::string after;
    while (std::count(after.begin(), after.end(), '\n') < 10) after += it.read(1);
    after += it.read_what_is_there();
    // One may have been on its way when it was stopped.
    const double most = 1 + 3 + 100 * seconds_since(begin);
    EXPECT_LE(std::count(after.begin(), after.end(), '\n'), most);
}

TEST(pace, tells_what_it_has_read_and_not_passed_on_when_it_is_interrupted) {
    const scratch_folder folder;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        started it(folder, {"pace", "1/d"});
        it.write("a\nb\nc\npart");  // at once, so it is read at once
        EXPECT_EQ(it.read(2), "a\n");
        ASSERT_EQ(::kill(it.process(), signal), 0);
        const outcome o = it.end();
        EXPECT_EQ(o.signal, signal);
        EXPECT_EQ(o.out, "");
        EXPECT_EQ(o.error, "weir pace: interrupted; read and not passed on: 8 bytes\n");
    }
}

TEST(pace, ends_by_a_signal_while_it_waits_for_input_or_its_reader) {
    const scratch_folder folder;
    started waits(folder, {"pace", "5/s", "--stats"});
    waits.write("a\n");
    EXPECT_EQ(waits.read(2), "a\n");
    ASSERT_EQ(::kill(waits.process(), SIGTERM), 0);
    const outcome o = waits.end();
    EXPECT_EQ(o.signal, SIGTERM);
    EXPECT_TRUE(o.error.starts_with("weir pace: 1 line (2 bytes) in ")) << o.error;

    const std::string in = folder.path() / "in";
    write_file(in, std::string(4'000'000, 'x'));
    for (const char* unit : {"lines", "bytes"}) {
        started blocked(folder, {"pace", "1G/s", "--unit", unit}, {.input_file = in});
        const std::string first = blocked.read(1);
        ASSERT_EQ(::kill(blocked.process(), SIGTERM), 0);
        // Nobody reads meanwhile: it has to end although its write blocks.
        siginfo_t is{};
        ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(blocked.process()), &is, WEXITED | WNOWAIT), 0);
        const outcome end = blocked.end();
        EXPECT_EQ(end.signal, SIGTERM);
        EXPECT_EQ((first + end.out).find_first_not_of('x'), std::string::npos);
    }
}

TEST(pace, ends_like_any_other_if_nobody_reads_it) {
    const scratch_folder folder;
    // A pipe that nobody reads.
    const auto into_the_void = [] {
        int ends[2];
        if (::pipe(ends) != 0) return;
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
    };
    for (const char* rate : {"1k/s", "1kB/s"}) {
        const outcome by_default = run_with_input(folder, {"pace", rate}, "abc\n", {.prepare = [&] {
                                                      ::signal(SIGPIPE, SIG_DFL);
                                                      into_the_void();
                                                  }});
        EXPECT_EQ(by_default.signal, SIGPIPE);
        EXPECT_EQ(by_default.error, "");
        const outcome ignored = run_with_input(folder, {"pace", rate}, "abc\n", {.prepare = [&] {
                                                   ::signal(SIGPIPE, SIG_IGN);
                                                   into_the_void();
                                               }});
        EXPECT_EQ(ignored.status, 1);
        EXPECT_TRUE(
            ignored.error.starts_with("weir pace: cannot write to standard output: Broken pipe"))
            << ignored.error;
    }
}

TEST(pace, tells_in_one_line_what_cannot_be_read_or_written) {
    const scratch_folder folder;
    const std::string own = folder.path() / "own";
    write_file(own, "abc\n");
    const outcome full =
        run_with_input(folder, {"pace", "1k/s"}, "abc\nde\n", {.output_file = "/dev/full"});
    EXPECT_EQ(full.status, 1);
    EXPECT_EQ(full.error, "weir pace: cannot write to standard output: No space left on device; "
                          "read and not passed on: 7 bytes\n");

    const auto error_of = [&](const std::function<void()>& prepare) {
        const outcome o = run(folder, {"pace", "1k/s"}, {.prepare = prepare});
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.out, "");
        return o.error;
    };
    EXPECT_EQ(error_of([] { ::close(STDIN_FILENO); }),
              "weir pace: cannot read standard input: Bad file descriptor\n");
    EXPECT_EQ(error_of([] { ::close(STDOUT_FILENO); }),
              "weir pace: cannot write to standard output: Bad file descriptor\n");
    EXPECT_EQ(error_of([] { ::dup2(::open("/", O_RDONLY | O_CLOEXEC), STDIN_FILENO); }),
              "weir pace: cannot read standard input: Is a directory\n");
    EXPECT_EQ(error_of([&own] {
                  ::dup2(::open(own.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
                  ::dup2(::open(own.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), STDOUT_FILENO);
              }),
              "weir pace: standard input and standard output are the same file\n");
    EXPECT_EQ(content_of(own), "abc\n");
}

TEST(pace, drops_what_cannot_go_within_its_deadline_and_says_so) {
    const scratch_folder folder;
    // Only the first two can go within an hour.
    const outcome o = run_with_input(
        folder, {"pace", "1/d", "--burst", "2", "--deadline", "1h", "--stats"}, "a\nb\nc\nd\ne\n");
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "a\nb\n");
    EXPECT_TRUE(o.error.starts_with("weir pace: 3 lines dropped, which could not go within 3600 s\n"
                                    "weir pace: 2 lines (4 bytes) in "))
        << o.error;
    EXPECT_TRUE(o.error.ends_with(", 3 dropped\n")) << o.error;

    // What seems to have a chance and has none is dropped when its time is over.
    started late(folder, {"pace", "1/d", "--burst", "2", "--deadline", "1ms"});
    late.write("a\nb\n");
    late.wait_until_it_has_read();
    ::usleep(20'000);  // so that both have gone, as a rule
    late.write("c\nd\n");
    late.end_input();
    const outcome l = late.end();
    EXPECT_LE(l.out.size(), 4U);
    EXPECT_NE(l.error.find(" dropped, which could not go within 1 ms\n"), std::string::npos);
}

TEST(pace, tells_figures_as_json) {
    const outcome o =
        run_with_input(scratch_folder(), {"pace", "1k/s", "--burst", "5", "--json"}, "a\nb\n");
    EXPECT_EQ(o.out, "a\nb\n");
    EXPECT_TRUE(o.error.starts_with(
        R"({"unit":"lines","quota":{"units":1000,"period_ns":1000000000,"burst":5},"passed":2,"bytes":4,"dropped":0,"seconds":)"))
        << o.error;
    EXPECT_TRUE(o.error.ends_with("}\n"));
}

TEST(pace, shows_its_progress_on_a_terminal_that_does_not_show_its_lines) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const scratch_folder folder;
    write_file(folder.path() / "in", "a\nb\n");
    const auto run_with_files = [&](const words& line) {
        return run_on_terminal(folder, line, 80, {.prepare = [] {
                                   ::dup2(::open("in", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
                                   ::dup2(::open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
                                          STDOUT_FILENO);
                               }});
    };
    const outcome shown = run_with_files({"pace", "1k/s"});
    EXPECT_EQ(shown.status, 0);
    EXPECT_NE(shown.out.find("0 lines"), std::string::npos) << shown.out;
    EXPECT_EQ(screen(shown.out), words{""});
    EXPECT_EQ(content_of(folder.path() / "out"), "a\nb\n");
    EXPECT_EQ(run_with_files({"pace", "1k/s", "--quiet"}).out, "");

    const outcome lines = run_on_terminal(
        folder, {"pace", "1k/s"}, 80,
        {.prepare = [] { ::dup2(::open("in", O_RDONLY | O_CLOEXEC), STDIN_FILENO); }});
    EXPECT_EQ(lines.out, "a\r\nb\r\n");
}

TEST(pace, takes_binary_units) {
    const scratch_folder folder;
    const outcome o = run_with_input(folder, {"pace", "1.5GiB/s", "--burst=2MiB", "--json"}, "abc");
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "abc");
    EXPECT_NE(o.error.find("\"unit\":\"bytes\",\"quota\":{\"units\":1610612736,\"period_ns\":"
                           "1000000000,\"burst\":2097152}"),
              std::string::npos)
        << o.error;
    EXPECT_EQ(run_with_input(folder, {"pace", "4Ki/s"}, "a\n").out, "a\n");
}

struct wrong_line {
    words arguments;
    const char* message;
};

TEST(pace, refuses_wrong_words_with_one_line_and_status_2) {
    const wrong_line lines[] = {
        {{}, "RATE is missing: a rate, as in 5/s, 300/min or 10MiB/s"},
        {{"5"}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 5"},
        {{"10MB"}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 10MB"},
        {{"1e9/s"}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 1e9/s"},
        {{"10MIB/s"}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 10MIB/s"},
        {{"10miB/s"}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 10miB/s"},
        {{"0.3KiB/s"},
         "RATE 0.3KiB/s is refused: units and burst must be whole numbers: 30/min instead of "
         "0.5/s"},
        {{"5/s, burst 2"},
         "RATE needs a rate, as in 5/s, 300/min or 10MiB/s, and not 5/s, burst 2"},
        {{""}, "RATE needs a rate, as in 5/s, 300/min or 10MiB/s"},
        {{"5/x"},
         "RATE 5/x is refused: a quota's period is in ns, us, ms, s, min, h or d, as in 500/min"},
        {{"0/s"}, "RATE 0/s is refused: a quota must allow at least one unit per period"},
        {{"0.5/s"},
         "RATE 0.5/s is refused: units and burst must be whole numbers: 30/min instead of 0.5/s"},
        {{"9000000000G/ns"},
         "RATE 9000000000G/ns is refused: a schedule cannot hold the rate within 1 %"},
        {{"-1/s"}, "unknown option -1/s"},
        {{"5/s", "6/s"}, "unexpected argument 6/s"},
        {{"5/s", "--burst", "0"},
         "--burst needs a number of 1 or more, as in --burst 20 or --burst 1MiB, and not 0"},
        {{"5/s", "--burst", "1/s"},
         "--burst needs a number of 1 or more, as in --burst 20 or --burst 1MiB, and not 1/s"},
        {{"5/s", "--burst", "9000000000000000000"},
         "--burst 9000000000000000000 is refused: so many take decades to come"},
        {{"5/s", "--unit", "words"}, "--unit needs lines, bytes or items0, and not words"},
        {{"5B/s", "--unit", "lines"}, "RATE 5B/s counts bytes: leave out --unit, or the B"},
        {{"5B/s", "--deadline", "1s"}, "--deadline is for lines and items0: bytes are not dropped"},
        {{"5/s", "--deadline", "1"},
         "--deadline needs a time, as in 500ms, 10s or 2min, and not 1"},
        {{"5/s", "--stats=1"}, "--stats takes no value: --stats=1"},
    };
    const scratch_folder folder;
    for (const wrong_line& line : lines) {
        words all = {"pace"};
        all.insert(all.end(), line.arguments.begin(), line.arguments.end());
        const outcome o = run(folder, all);
        EXPECT_EQ(o.status, 2) << line.message;
        EXPECT_EQ(o.error, "weir pace: " + std::string(line.message) + "; try weir pace --help\n");
        EXPECT_EQ(o.out, "");
    }
}

}  // namespace
