// SPDX-License-Identifier: MIT
// weir demo with pipes, files and devices.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

#include "command/demo/demo.hpp"
#include "program.hpp"

namespace {

TEST(demo, prints_plain_text_where_no_terminal_is) {
    const scratch_folder folder;
    const outcome o = run(folder, {"demo", "--all", "--quick"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(o.out.find_first_of("\x1b\r"), std::string::npos);
    EXPECT_NE(o.out.find("100/s, burst 40"), std::string::npos);
    weir::for_each_kind([&](auto kind) { EXPECT_NE(o.out.find(kind.name), std::string::npos); });
    EXPECT_NE(o.out.find(" (100/s, burst 100)"), std::string::npos);
    EXPECT_NE(o.out.find("fixed_window, token_bucket of whole periods"), std::string::npos);
    EXPECT_NE(o.out.find("█"), std::string::npos);
    EXPECT_NE(o.out.find("mutex bucket, admitted"), std::string::npos);
    EXPECT_TRUE(folder.files().empty());
}

// Else the screen that is to be read would be gone.
TEST(demo, shows_one_screen_unless_asked_for_all) {
    const std::string text = run(scratch_folder(), {"demo", "--quick"}).out;
    for (const char* words :
         {"Two threads", "100/s, burst 40", "sleep_for loop", "weir demo --all"}) {
        EXPECT_NE(text.find(words), std::string::npos) << words;
    }
    EXPECT_EQ(text.find("through each algorithm"), std::string::npos);
    EXPECT_EQ(text.find("What a decision costs"), std::string::npos);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24) << text;
}

TEST(demo, takes_a_quota_of_one_s_own) {
    const scratch_folder folder;
    const outcome o = run(folder, {"demo", "300/min", "--burst", "20", "--quick", "--all"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    EXPECT_NE(o.out.find("\n  300/min, burst 20 "), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("100/s"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find(" (300/min, burst 20): "), std::string::npos);
    EXPECT_NE(o.out.find("1.2k/min│"), std::string::npos);
    EXPECT_NE(o.out.find(" in any minute\n"), std::string::npos);
    EXPECT_NE(o.out.find("Not shown: fixed_window"), std::string::npos);

    const std::string json = run(folder, {"demo", "2Ki/s, burst 5", "--quick", "--json"}).out;
    EXPECT_NE(json.find("\"units\":2048,\"period_ns\":1000000000,\"burst\":5"), std::string::npos)
        << json;
    EXPECT_EQ(json.find("\"shapes\""), std::string::npos);
    // The slowest and the fastest that a limiter holds.
    for (const char* quota : {"1/292d", "1G/s"}) {
        EXPECT_EQ(run(folder, {"demo", quota, "--all", "--quick"}).status, 0) << quota;
    }
}

TEST(demo, is_pure_ascii_where_the_locale_is_not_unicode_or_the_terminal_is_dumb) {
    const scratch_folder folder;
    for (const setting& s :
         {setting{.environment = {{"LC_ALL", "C"}}}, setting{.environment = {{"TERM", "dumb"}}}}) {
        const outcome o = run(folder, {"demo", "--all", "--quick"}, s);
        EXPECT_EQ(o.status, 0);
        EXPECT_NE(o.out.find("####"), std::string::npos);
        for (const char c : o.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
    }
}

TEST(demo, writes_an_image_where_it_is_told_and_nowhere_else) {
    const scratch_folder folder;
    EXPECT_EQ(run(folder, {"demo", "--quick", "--json", "--all"}).status, 0);
    EXPECT_TRUE(folder.files().empty());

    const auto image = std::filesystem::canonical(folder.path()) / "one.svg";
    const outcome o = run(folder, {"demo", "--quick", "--svg", "one.svg"});
    EXPECT_NE(o.out.find("\nAs an image: " + image.string() + "\n"), std::string::npos);
    EXPECT_EQ(folder.files(), std::vector<std::string>{"one.svg"});

    const outcome named = run(folder, {"demo", "--quick", "--json", "--svg=other.svg"});
    EXPECT_EQ(named.status, 0);
    EXPECT_NE(named.out.find("other.svg\""), std::string::npos);
    EXPECT_EQ(content_of(folder.path() / "other.svg"), content_of(image));
}

TEST(demo, tells_in_one_line_why_its_image_cannot_be_written) {
    const scratch_folder folder;
    std::filesystem::create_directory(folder.path() / "folder");
    const std::pair<std::string, std::string> cases[] = {
        {"missing/x.svg", "No such file or directory"},
        {"folder", "Is a directory"},
        {"/dev/full", "No space left on device"},
        {std::string(300, 'x'), "File name too long"},
    };
    for (const auto& [path, reason] : cases) {
        const outcome o = run(folder, {"demo", "--quick", "--svg=" + path});
        EXPECT_EQ(o.status, 1);
        std::string line = "weir demo: cannot write ";
        line.append(path).append(": ").append(reason).append("\n");
        EXPECT_EQ(o.error, line);
        EXPECT_EQ(o.out, "");
    }
    EXPECT_EQ(folder.files(), std::vector<std::string>{"folder"});
    struct stat full {};
    ASSERT_EQ(::stat("/dev/full", &full), 0);
    EXPECT_TRUE(S_ISCHR(full.st_mode)) << "a device must not be replaced by a file";
}

TEST(demo, tells_in_one_line_that_its_output_cannot_be_written) {
    const scratch_folder folder;
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"demo", "--quick"},
                                                      {"demo", "--quick", "--json"},
                                                      {"demo", "--help"},
                                                      {"--help"},
                                                      {"--version"}}) {
        const outcome o = run(folder, arguments, {.output_file = "/dev/full"});
        const std::string program = arguments[0] == "demo" ? "weir demo" : "weir";
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.error, program + ": cannot write to standard output: "
                                     "No space left on device\n");
    }
}

TEST(demo, notices_that_its_output_is_closed) {
    const outcome o =
        run(scratch_folder(), {"demo", "--quick"}, {.prepare = [] { ::close(STDOUT_FILENO); }});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.error, "weir demo: cannot write to standard output: Bad file descriptor\n");
}

// A pipe that nobody reads.
void write_into_the_void() {
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(demo, ends_like_any_other_if_nobody_reads_it) {
    const scratch_folder folder;
    const outcome by_default = run(folder, {"demo", "--quick"}, {.prepare = [] {
                                       ::signal(SIGPIPE, SIG_DFL);
                                       write_into_the_void();
                                   }});
    EXPECT_EQ(by_default.signal, SIGPIPE);
    EXPECT_EQ(by_default.error, "");

    const outcome ignored = run(folder, {"demo", "--quick"}, {.prepare = [] {
                                    ::signal(SIGPIPE, SIG_IGN);
                                    write_into_the_void();
                                }});
    EXPECT_EQ(ignored.status, 1);
    EXPECT_EQ(ignored.error, "weir demo: cannot write to standard output: Broken pipe\n");
}

}  // namespace
