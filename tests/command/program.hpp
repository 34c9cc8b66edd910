// SPDX-License-Identifier: MIT
// Runs the program as its users do: with pipes, with files, or on a terminal of its own.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

// What a run left behind.
struct outcome {
    int status = -1;  // of the exit; -1: a signal ended it
    int signal = 0;
    std::string out;  // on a terminal: both streams
    std::string error;
};

struct setting {
    std::map<std::string, std::string> environment = {};
    std::string input_file = {};         // in place of the tests' own
    std::string output_file = {};        // in place of a pipe
    std::string program = WEIR_PROGRAM;  // its words, separated by |
    std::function<void()> prepare = {};  // in the new process, last of all
};

// An empty folder, removed at the end; the program runs in it.
class scratch_folder {
public:
    scratch_folder();
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::vector<std::string> files() const;  // hidden ones too

private:
    std::filesystem::path path_;
};

// A program with pipes, while it runs. To read waits until there is something, for ever if need be:
// the suite's own time limit ends what does not come.
class started {
public:
    started(const scratch_folder& where, const std::vector<std::string>& arguments,
            const setting& s = {});
    started(const started&) = delete;
    started& operator=(const started&) = delete;
    ~started();  // kills it, if nobody has waited for its end

    void write(std::string_view text);  // to its standard input
    void wait_until_it_has_read();      // all of that
    void end_input();
    std::string read(std::size_t bytes);  // of its standard output; less at its end
    std::string read_what_is_there();
    [[nodiscard]] pid_t process() const { return child_; }

    outcome end();  // with what was not read before

private:
    pid_t child_ = -1;
    int in_ = -1;
    int out_ = -1;
    int error_ = -1;
};

// All of `input` through its standard input.
[[nodiscard]] outcome run_with_input(const scratch_folder& where,
                                     const std::vector<std::string>& arguments,
                                     std::string_view input, const setting& s = {});

[[nodiscard]] outcome run(const scratch_folder& where, const std::vector<std::string>& arguments,
                          const setting& s = {});

// Some containers have none.
[[nodiscard]] bool has_terminals();

// `watch` is called with what has been shown so far and answers what is to be typed.
using typist = std::function<std::string(const std::string& shown)>;
[[nodiscard]] outcome run_on_terminal(const scratch_folder& where,
                                      const std::vector<std::string>& arguments,
                                      unsigned short columns, const setting& s = {},
                                      const typist& watch = {});

// The lines that are left on a terminal, colours taken away.
[[nodiscard]] std::vector<std::string> screen(const std::string& shown);

// Characters, not bytes.
[[nodiscard]] std::size_t columns_of(const std::string& line);

[[nodiscard]] std::string content_of(const std::filesystem::path& file);
