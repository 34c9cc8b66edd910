// SPDX-License-Identifier: MIT
// weir completion: what may stand where, and the scripts in the shells that they are for.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

// The answer, without explanations, in one line.
std::string answer_to(std::vector<std::string> words, const scratch_folder& folder = {}) {
    words.insert(words.begin(), "__complete");
    const outcome o = run(folder, words);
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    std::istringstream lines(o.out);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        text += (text.empty() ? "" : " ") + line.substr(0, line.find('\t'));
    return text;
}

TEST(completion, knows_what_may_stand_where) {
    const std::pair<std::vector<std::string>, const char*> lines[] = {
        {{"pa"}, "words pace"},
        {{"he"}, "words help"},
        {{"--v"}, "words --version"},
        {{"help", "do"}, "words doctor"},
        {{"help", "doctor", ""}, "words"},
        {{"nonsense", ""}, "words"},
        {{"completion", ""}, "words bash zsh fish"},
        {{"completion", "bash", "--"}, "words --help"},
        // Where nothing is known of an argument there are options.
        {{"pace", ""}, "words --burst --unit --deadline --stats --json --quiet --help"},
        {{"pace", "5/s", "--st"}, "words --stats"},
        {{"pace", "5/s", "-"}, "words --burst --unit --deadline --stats --json --quiet --help"},
        {{"pace", "5/s", "--unit", ""}, "words lines bytes items0"},
        {{"pace", "5/s", "--unit", "i"}, "words items0"},
        {{"pace", "--unit=i"}, "words --unit=items0"},
        {{"pace", "--unit", "lines", "--q"}, "words --quiet"},
        {{"pace", "--unit=lines", "--q"}, "words --quiet"},
        {{"pace", "--burst", ""}, "words"},
        {{"pace", "--stats=x"}, "words"},
        {{"pace", "--", "--"}, "words"},
        {{"demo", "--svg", "a"}, "files 0"},
        {{"demo", "--svg=a"}, "files 6"},
        {{"run", "--name", "a", "--wait", "5s", "ec"}, "command 5"},
        {{"run", "--name", "a", "--", "ec"}, "command 4"},
        {{"run", "--name=a", "git", "--st"}, "command 2"},
        {{"run", "--name=a", "--", "git", "commit", "-"}, "command 3"},
    };
    const scratch_folder folder;
    for (const auto& [words, expected] : lines) {
        EXPECT_EQ(answer_to(words, folder), expected) << testing::PrintToString(words);
    }
}

TEST(completion, explains_values) {
    EXPECT_EQ(run(scratch_folder(), {"__complete", "demo", "--s"}).out,
              "words\n--svg\ta path, as in --svg=chart.svg\n");
}

// What is read and what is told of it are two texts.
TEST(completion, knows_the_options_that_the_help_tells) {
    const scratch_folder folder;
    std::istringstream commands(answer_to({""}, folder).substr(6));
    for (std::string command; commands >> command;) {
        if (command == "help") continue;
        std::istringstream words(answer_to({command, "--"}, folder).substr(6));
        const std::set<std::string> read{std::istream_iterator<std::string>(words), {}};
        const std::string help = run(folder, {"help", command}).out;
        static const std::regex option("\n  (--[a-z0-9-]+)[ =]");
        std::set<std::string> told;
        for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i)
            told.insert(i->str(1));
        told.insert("--help");
        EXPECT_EQ(read, told) << command;
    }
}

TEST(completion, of_a_log_and_of_limits) {
    const scratch_folder folder;
    if (answer_to({"si"}, folder) == "words") GTEST_SKIP() << "there is no weir sim here";
    EXPECT_EQ(answer_to({"sim", "--arrivals", ""}, folder),
              "words poisson: even: onoff: burst: trace:");
    EXPECT_EQ(answer_to({"sim", "--arrivals", "tr"}, folder), "words trace:");
    EXPECT_EQ(answer_to({"sim", "--arrivals", "trace:a"}, folder), "files 6");
    EXPECT_EQ(answer_to({"sim", "--arrivals=trace:a"}, folder), "files 17");
    EXPECT_EQ(answer_to({"sim", "--limit=gcra,sliding_l"}, folder),
              "words --limit=gcra,sliding_log");
    EXPECT_EQ(answer_to({"sim", "--limit", "gcra,qu"}, folder), "words gcra,queue");
    EXPECT_EQ(answer_to({"sim", "--format", ""}, folder), "words nginx apache haproxy times");
}

TEST(completion, knows_the_limits_that_there_are) {
    const scratch_folder folder;
    if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "/dev/shm cannot be written";
    // What is begun with all but the last letter is of no other process.
    const std::string name = "weir-completion-" + std::to_string(::getpid()) + "-a";
    ASSERT_EQ(run(folder, {"run", "--name", name, "--quota=5/s", "--", "true"}).status, 0);
    EXPECT_EQ(answer_to({"limits", name.substr(0, name.size() - 1)}, folder), "words " + name);
    EXPECT_EQ(answer_to({"run", "--name=" + name}, folder), "words --name=" + name);
    EXPECT_EQ(run(folder, {"limits", "--remove", name}).status, 0);
    EXPECT_EQ(answer_to({"limits", name}, folder), "words");
}

TEST(completion, tells_in_one_line_that_it_cannot_be_written) {
    const scratch_folder folder;
    const outcome script = run(folder, {"completion", "bash"}, {.output_file = "/dev/full"});
    EXPECT_EQ(script.status, 1);
    EXPECT_EQ(script.error,
              "weir completion: cannot write to standard output: No space left on device\n");
    EXPECT_EQ(run(folder, {"__complete", ""}, {.output_file = "/dev/full"}).status, 1);
    EXPECT_EQ(run(folder, {"__complete"}).out, "");
}

// --- in shells

struct shell {
    const char* name;
    std::vector<std::string> start;  // without the user's own settings
    std::string script;              // what brings the completion
};

// For GoogleTest, which prints bytes else.
// NOLINTNEXTLINE(readability-identifier-naming)
void PrintTo(const shell& s, std::ostream* out) { *out << s.name; }

const shell shells[] = {
    {"bash", {"bash", "--norc", "--noprofile", "-i"}, "source <(weir completion bash)"},
    {"zsh",
     {"zsh", "-f", "-i"},
     "autoload -U compinit; compinit -u -D; source <(weir completion zsh)"},
    {"fish", {"fish", "--no-config", "--private", "-i"}, "weir completion fish | source"},
};

class completion_in : public testing::TestWithParam<shell> {
protected:
    void SetUp() override {
        if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
        const std::string name = GetParam().name;
        if (run(folder_, {name, "-c", "exit 0"}, {.program = "/usr/bin/env"}).status != 0)
            GTEST_SKIP() << "no " << name << " here (Debian: " << name << ")";
        std::filesystem::create_directory(folder_.path() / "bin");
        add_program("weir", "case $1 in __complete | completion) exec " + program() +
                                " \"$@\" ;; esac\nprintf '<%s>' \"$@\"; echo\n");
        add_program("only_this_program", "");
        std::ofstream(folder_.path() / "traffic of today.log") << "1\n";
    }

    // What weir would be given if each of these lines was typed, with a tab where a tab is.
    std::vector<std::string> lines_of(const std::vector<std::string>& typed) {
        const shell& s = GetParam();
        std::string words = "/usr/bin/env";
        for (const std::string& word : s.start) words += "|" + word;
        const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
        const std::string bin = (folder_.path() / "bin").string();
        std::size_t next = 0;
        const outcome o = run_on_terminal(
            folder_, {}, 200,
            {.environment = {{"PATH", bin + ":" + (path == nullptr ? "/usr/bin:/bin" : path)},
                             {"HOME", folder_.path().string()}},
             .program = words},
            [&](const std::string& shown) -> std::string {
                // Each line says `end` last, and so is known to be over.
                std::size_t over = 0;
                for (std::size_t at = 0; (at = shown.find("end>", at)) != shown.npos; ++at) ++over;
                if (over < next) return "";
                if (next++ == 0) return s.script + "; weir ready end\n";
                if (next - 2 < typed.size()) return typed[next - 2] + "end\n";
                return next - 2 == typed.size() ? "exit\n" : "";
            });
        std::vector<std::string> lines;
        static const std::regex words_of_weir("(<[^\r\n]*end>)");
        for (std::sregex_iterator i(o.out.begin(), o.out.end(), words_of_weir), end; i != end; ++i)
            lines.push_back(i->str(1));
        if (!lines.empty()) lines.erase(lines.begin());
        return lines;
    }

private:
    // Of the tests' own: its words, in a shell's.
    static std::string program() {
        std::istringstream words(WEIR_PROGRAM);
        std::string text;
        for (std::string word; std::getline(words, word, '|');) text += "'" + word + "' ";
        return text;
    }
    void add_program(const std::string& name, const std::string& text) {
        const auto file = folder_.path() / "bin" / name;
        std::ofstream(file) << "#!/bin/sh\n" << text;
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }

    scratch_folder folder_;
};

TEST_P(completion_in, puts_in_what_is_begun) {
    const std::vector<std::pair<std::string, std::string>> lines = {
        {"weir pac\t", "<pace><end>"},
        {"weir help doc\t", "<help><doctor><end>"},
        {"weir pace 5/s --unit it\t", "<pace><5/s><--unit><items0><end>"},
        {"weir pace 5/s --unit=it\t", "<pace><5/s><--unit=items0><end>"},
        {"weir pace 5/s --stat\t", "<pace><5/s><--stats><end>"},
        {"weir run --name a -- only_th\t", "<run><--name><a><--><only_this_program><end>"},
        {"weir demo --svg traff\t", "<demo><--svg><traffic of today.log><end>"},
        {"weir demo --svg=traff\t", "<demo><--svg=traffic of today.log><end>"},
#ifdef WEIR_HAS_SIM
        {"weir sim --limit gcra,sliding_l\t", "<sim><--limit><gcra,sliding_log><end>"},
        {"weir sim --arrivals poi\t", "<sim><--arrivals><poisson:end>"},
        {"weir sim --arrivals trace:traff\t", "<sim><--arrivals><trace:traffic of today.log><end>"},
        {"weir sim --quota '5/s, burst 3' --per pa\t",
         "<sim><--quota><5/s, burst 3><--per><path><end>"},
#endif
    };
    std::vector<std::string> typed;
    std::vector<std::string> expected;
    for (const auto& [line, words] : lines) {
        typed.push_back(line);
        expected.push_back(words);
    }
    EXPECT_EQ(lines_of(typed), expected);
}

INSTANTIATE_TEST_SUITE_P(shells, completion_in, testing::ValuesIn(shells),
                         [](const auto& its) { return std::string(its.param.name); });

}  // namespace
