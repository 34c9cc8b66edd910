// SPDX-License-Identifier: MIT
#include "command/progress.hpp"

#include <atomic>
#include <csignal>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "command/output.hpp"
#include "command/signals.hpp"
#include "command/style.hpp"

namespace weir::command {
namespace {

constexpr std::string_view to_start_and_clear = "\r\x1b[K";

volatile std::sig_atomic_t is_shown = 0;

// The thread that writes a line; `ending` once a signal ends the program, after which none is
// written.
std::atomic<pid_t> writer = 0;
constexpr pid_t ending = -1;

// The signal is reset and blocked while this runs, so it ends the program when this returns, in the
// usual way: the shell sees what ended it. A line that another thread writes is waited for, or it
// would come after it was erased; not for long, as a terminal may stand still.
extern "C" void erase_and_end(int signal) {
    for (int ms = 0; ms < 100; ++ms) {
        pid_t its = 0;
        if (writer.compare_exchange_strong(its, ending) || its == ending || its == ::gettid())
            break;
        ::poll(nullptr, 0, 1);
    }
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
    pid_t nobody = 0;
    if (!writer.compare_exchange_strong(nobody, ::gettid())) return;
    is_shown = 1;  // before the write, so that no signal finds a line that nobody erases
    write_error(std::string(to_start_and_clear) + line);
    writer = 0;
}

void progress::erase() noexcept {
    if (is_shown == 0) return;
    write_error(to_start_and_clear);
    is_shown = 0;
}

}  // namespace weir::command
