// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

int checked(int result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

[[noreturn]] void become(const scratch_folder& where, const std::vector<std::string>& arguments,
                         const setting& s) {
    std::vector<std::string> words;
    std::istringstream program(s.program);
    for (std::string word; std::getline(program, word, '|');) words.push_back(word);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    for (const char* name : {"NO_COLOR", "LC_CTYPE", "LANG"}) ::unsetenv(name);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : s.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (::chdir(where.path().c_str()) != 0) ::_exit(126);
    if (s.prepare) s.prepare();
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
}

outcome ended(pid_t child) {
    int status = 0;
    checked(::waitpid(child, &status, 0), "waitpid");
    outcome o;
    if (WIFEXITED(status)) o.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) o.signal = WTERMSIG(status);
    return o;
}

// False at the end.
bool read_some(int file, std::string& text) {
    std::array<char, 4096> bytes;
    const ssize_t length = ::read(file, bytes.data(), bytes.size());
    if (length > 0) text.append(bytes.data(), static_cast<std::size_t>(length));
    return length > 0;
}

// Both at once, so that neither fills up while the other is waited for.
void read_both(int out, std::string& out_text, int error, std::string& error_text) {
    pollfd files[] = {{out, POLLIN, 0}, {error, POLLIN, 0}};
    std::string* texts[] = {&out_text, &error_text};
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        checked(::poll(files, 2, -1), "poll");
        for (int i = 0; i < 2; ++i) {
            if (files[i].revents != 0 && !read_some(files[i].fd, *texts[i])) files[i].fd = -1;
        }
    }
}

}  // namespace

scratch_folder::scratch_folder() {
    std::string pattern = fs::temp_directory_path() / "weir-command-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> scratch_folder::files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

started::started(const scratch_folder& where, const std::vector<std::string>& arguments,
                 const setting& s) {
    int in[2];
    int out[2];
    int error[2];
    checked(::pipe2(in, O_CLOEXEC), "pipe");
    checked(::pipe2(out, O_CLOEXEC), "pipe");
    checked(::pipe2(error, O_CLOEXEC), "pipe");
    child_ = checked(::fork(), "fork");
    if (child_ == 0) {
        const int input =
            s.input_file.empty() ? in[0] : ::open(s.input_file.c_str(), O_RDONLY | O_CLOEXEC);
        const int output =
            s.output_file.empty() ? out[1] : ::open(s.output_file.c_str(), O_WRONLY | O_CLOEXEC);
        ::dup2(input, STDIN_FILENO);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(error[1], STDERR_FILENO);
        for (const int end : {in[1], out[0], error[0]}) ::close(end);
        become(where, arguments, s);
    }
    for (const int end : {in[0], out[1], error[1]}) ::close(end);
    in_ = in[1];
    out_ = out[0];
    error_ = error[0];
}

started::~started() {
    if (child_ > 0) {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    end_input();
    for (const int file : {out_, error_}) ::close(file);
}

void started::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = checked(static_cast<int>(::write(in_, text.data(), text.size())),
                                        "write to the program");
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void started::wait_until_it_has_read() {
    int left = 1;
    while (left != 0) {
        checked(::ioctl(in_, FIONREAD, &left), "ioctl");
        ::usleep(1'000);
    }
}

void started::end_input() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
}

std::string started::read(std::size_t bytes) {
    std::string text(bytes, '\0');
    std::size_t got = 0;
    while (got < bytes) {
        const ssize_t some = ::read(out_, text.data() + got, bytes - got);
        if (some <= 0) break;
        got += static_cast<std::size_t>(some);
    }
    text.resize(got);
    return text;
}

std::string started::read_what_is_there() {
    std::string text;
    pollfd out = {out_, POLLIN, 0};
    while (::poll(&out, 1, 0) > 0 && read_some(out_, text)) {
    }
    return text;
}

outcome started::end() {
    std::string out_text;
    std::string error_text;
    read_both(out_, out_text, error_, error_text);
    outcome o = ended(child_);
    child_ = -1;
    o.out = std::move(out_text);
    o.error = std::move(error_text);
    return o;
}

outcome run_with_input(const scratch_folder& where, const std::vector<std::string>& arguments,
                       std::string_view input, const setting& s) {
    started program(where, arguments, s);
    // A process of its own, as the program may want to write before it has read all.
    const pid_t feeder = checked(::fork(), "fork");
    if (feeder == 0) {
        ::signal(SIGPIPE, SIG_DFL);
        program.write(input);
        ::_exit(0);
    }
    program.end_input();
    outcome o = program.end();
    ::waitpid(feeder, nullptr, 0);
    return o;
}

outcome run(const scratch_folder& where, const std::vector<std::string>& arguments,
            const setting& s) {
    started program(where, arguments, s);
    program.end_input();
    return program.end();
}

bool has_terminals() {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal >= 0) ::close(terminal);
    return terminal >= 0;
}

outcome run_on_terminal(const scratch_folder& where, const std::vector<std::string>& arguments,
                        unsigned short columns, const setting& s, const typist& watch) {
    const int terminal = checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt");
    checked(::grantpt(terminal), "grantpt");
    checked(::unlockpt(terminal), "unlockpt");
    const winsize size = {24, columns, 0, 0};
    std::array<char, 64> name{};
    if (::ptsname_r(terminal, name.data(), name.size()) != 0) throw std::runtime_error("ptsname");
    const pid_t child = checked(::fork(), "fork");
    if (child == 0) {
        ::setsid();
        const int own = ::open(name.data(), O_RDWR);
        ::ioctl(own, TIOCSCTTY, 0);
        ::ioctl(own, TIOCSWINSZ, &size);
        for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(own, file);
        become(where, arguments, s);
    }
    std::string shown;
    // A read fails as soon as nobody has the terminal open any more.
    while (read_some(terminal, shown)) {
        const std::string typed = watch ? watch(shown) : std::string();
        if (!typed.empty()) {
            // It may have ended meanwhile, and then nobody reads this.
            [[maybe_unused]] const ssize_t written = ::write(terminal, typed.data(), typed.size());
        }
    }
    outcome o = ended(child);
    ::close(terminal);
    o.out = std::move(shown);
    return o;
}

std::vector<std::string> screen(const std::string& shown) {
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const char c = shown[i];
        if (c == '\n') {
            lines.emplace_back();
        } else if (c == '\x1b') {
            const std::size_t end = shown.find_first_of("mK", i);
            // To erase is only ever done at the beginning of a line.
            if (shown[end] == 'K') lines.back().clear();
            i = end;
        } else if (c != '\r') {
            lines.back() += c;
        }
    }
    return lines;
}

std::size_t columns_of(const std::string& line) {
    return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
