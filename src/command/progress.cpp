// SPDX-License-Identifier: MIT
#include "command/progress.hpp"

#include <csignal>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/output.hpp"
#include "command/signals.hpp"
#include "command/style.hpp"

namespace weir::command {
namespace {

constexpr std::string_view to_start_and_clear = "\r\x1b[K";

volatile std::sig_atomic_t is_shown = 0;

// The signal is reset and blocked while this runs, so it ends the program when this returns, in the
// usual way: the shell sees what ended it.
extern "C" void erase_and_end(int signal) {
    if (is_shown != 0) write_error(to_start_and_clear);
    ::raise(signal);
}

std::size_t width_of_error() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace

progress::progress(std::size_t steps, bool beside_pipe) : steps_(steps) {
    // What a pipe's reader prints on the same terminal would run into this line.
    struct stat out {};
    const bool piped = ::fstat(STDOUT_FILENO, &out) == 0 && S_ISFIFO(out.st_mode);
    if (!error_is_terminal() || (piped && !beside_pipe)) return;
    width_ = width_of_error();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) handle_next(signal, erase_and_end);
}

void progress::step(std::string_view what) {
    ++done_;
    show(std::to_string(done_) + "/" + std::to_string(steps_) + " " + std::string(what));
}

void progress::show(std::string line) {
    if (width_ == 0) return;
    // A line that wraps could not be erased.
    if (line.size() >= width_) line.resize(width_ - 1);
    is_shown = 1;  // before the write, so that no signal finds a line that nobody erases
    write_error(std::string(to_start_and_clear) + line);
}

void progress::erase() noexcept {
    if (is_shown == 0) return;
    write_error(to_start_and_clear);
    is_shown = 0;
}

}  // namespace weir::command
