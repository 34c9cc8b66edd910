// SPDX-License-Identifier: MIT
// Programs that slow a pipe down, between zeros without end and a reader that is faster.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <regex>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "sections.hpp"

namespace bench {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::duration;

struct passed {
    double of_rate = 0;
    double core = 0;  // share
};

[[nodiscard]] double seconds_of(const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

// In the folders of PATH.
[[nodiscard]] std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path file = std::filesystem::path(folder) / name;
        if (access(file.c_str(), X_OK) == 0) return file.string();
    }
    return "";
}

class child {
public:
    explicit child(std::vector<std::string> words) {
        std::vector<char*> arguments;
        arguments.reserve(words.size() + 1);
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        std::array<int, 2> out{};
        if (pipe2(out.data(), O_CLOEXEC) != 0) return;
        process_ = fork();
        if (process_ == 0) {
            dup2(open("/dev/zero", O_RDONLY), STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
            std::signal(SIGPIPE, SIG_DFL);
            execv(arguments.front(), arguments.data());
            _exit(127);
        }
        close(out[1]);
        from_ = out[0];
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() { end(); }

    [[nodiscard]] bool runs() const { return process_ > 0; }
    [[nodiscard]] int from() const { return from_; }

    // Seconds of CPU time since it began.
    double end() {
        if (from_ >= 0) close(from_);
        from_ = -1;
        rusage used{};
        if (process_ > 0) {
            kill(process_, SIGKILL);  // whatever it would still like to do
            wait4(process_, nullptr, 0, &used);
        }
        process_ = -1;
        return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    }

private:
    pid_t process_ = -1;
    int from_ = -1;
};

// Between two reads, each the one of its half that had to wait longest, so that what comes in lumps
// is counted by whole lumps. None if it passes nothing on.
[[nodiscard]] std::optional<passed> run(const std::vector<std::string>& words, double rate,
                                        std::chrono::milliseconds length) {
    struct turn {
        clock::duration waited{};
        clock::time_point at{};
        double bytes = 0;  // that came before it
    };
    const auto begin = clock::now();
    child program(words);
    if (!program.runs()) return std::nullopt;
    std::vector<char> some(1U << 16U);
    std::array<turn, 2> turns;
    double bytes = 0;
    auto last = begin;
    for (auto now = begin; now - begin < length; now = clock::now()) {
        pollfd ready{program.from(), POLLIN, 0};
        if (poll(&ready, 1, 50) <= 0) continue;
        const auto at = clock::now();
        const ssize_t n = read(program.from(), some.data(), some.size());
        if (n <= 0) break;
        turn& best = turns[at - begin > length / 2 ? 1 : 0];
        // What it does in the first tenth is its beginning.
        if (at - last >= best.waited && at - begin > length / 10) best = {at - last, at, bytes};
        bytes += static_cast<double>(n);
        last = clock::now();
    }
    const duration<double> whole = clock::now() - begin;
    const double core = program.end() / whole.count();
    const duration<double> time = turns[1].at - turns[0].at;
    if (turns[0].at == clock::time_point() || time.count() <= 0) return std::nullopt;
    return passed{(turns[1].bytes - turns[0].bytes) / time.count() / rate, core};
}

}  // namespace

section measure_pipes(const std::string& only, const std::string& weir, const section_effort& e,
                      std::vector<std::string>& left_out) {
    struct pipe_program {
        std::string row;
        std::string title;
        std::string path;
        std::vector<std::string> before;  // the rate, in bytes a second
        std::string after;
        std::string package;
    };
    const std::vector<pipe_program> programs = {
        {"weir_pace",
         "weir pace",
         find_program(weir),
         {"pace"},
         "B/s",
         "cmake -DWEIR_BUILD_COMMAND=ON"},
        {"pv", "pv -L", find_program("pv"), {"-q", "-L"}, "", "Debian: pv"},
        {"cstream", "cstream -t", find_program("cstream"), {"-t"}, "", "Debian: cstream"}};
    const std::vector<std::pair<double, std::string>> rates = {{1e5, "100 kB/s: "},
                                                               {1e8, "100 MB/s: "}};
    section s{"Pipes",
              "Bytes that passed of those that the rate allows, known within a hundredth where "
              "they come in "
              "lumps, and the\nshare of a core",
              {},
              {}};
    for (const auto& [rate, name] : rates) {
        s.columns.push_back({name + "passed", "%.4f", false});
        s.columns.push_back({name + "a core", "%.3f"});
    }
    const std::regex chosen(only);
    for (const pipe_program& p : programs) {
        if (!std::regex_search(p.row, chosen)) continue;
        section_line line{p.row, p.title, {}};
        bool any = false;
        for (const auto& [rate, name] : rates) {
            std::vector<std::string> words = {p.path};
            words.insert(words.end(), p.before.begin(), p.before.end());
            words.push_back(std::to_string(static_cast<std::uint64_t>(rate)) + p.after);
            std::optional<passed> all;
            if (!p.path.empty()) all = run(words, rate, std::chrono::milliseconds(e.pipe));
            any = any || all;
            line.cells.push_back(
                {all ? std::optional(all->of_rate) : std::nullopt, !all || all->of_rate <= 1.01});
            line.cells.push_back({all ? std::optional(all->core) : std::nullopt});
        }
        if (any) {
            s.lines.push_back(line);
        } else {
            left_out.push_back(
                "pipes: " + p.title + ": " +
                (p.path.empty() ? "not found (" + p.package + ")" : "passed nothing on"));
        }
    }
    return s;
}

}  // namespace bench
