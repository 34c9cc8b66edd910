// SPDX-License-Identifier: MIT
#include "command/interruption.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include "command/signals.hpp"

namespace weir::command {
namespace {

std::atomic<int> noted = 0;  // the signal's number
static_assert(std::atomic<int>::is_always_lock_free, "a handler may not wait");

constexpr std::array wishes = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, wishes.size()> before;  // what was done with them
struct sigaction alarm_before;
int told[2] = {-1, -1};  // a pipe: who reads the first waits for the handler, which writes

constexpr unsigned soon = 1;  // second

void give_back() noexcept {
    for (std::size_t i = 0; i < wishes.size(); ++i) ::sigaction(wishes[i], &before[i], nullptr);
}

extern "C" void note(int signal) {
    const int error = errno;
    noted.store(signal, std::memory_order_relaxed);
    give_back();
    [[maybe_unused]] const ssize_t written = ::write(told[1], "", 1);
    ::alarm(soon);
    errno = error;
}

// The call that was interrupted by the signal has ended with EINTR. One that began just before it
// is interrupted by this.
extern "C" void interrupt_again(int) { ::alarm(soon); }

}  // namespace

interruption::interruption() {
    if (::pipe2(told, O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    }
    noted.store(0, std::memory_order_relaxed);
    struct sigaction again {};
    again.sa_handler = interrupt_again;
    ::sigaction(SIGALRM, &again, &alarm_before);
    for (std::size_t i = 0; i < wishes.size(); ++i) before[i] = handle_next(wishes[i], note);
}

interruption::~interruption() {
    give_back();
    ::alarm(0);
    ::sigaction(SIGALRM, &alarm_before, nullptr);
    for (const int file : told) ::close(file);
}

interruption::operator bool() const noexcept { return noted.load(std::memory_order_relaxed) != 0; }

bool interruption::wait(nanoseconds longest, int other, short events) const noexcept {
    pollfd files[] = {{told[0], POLLIN, 0}, {other, events, 0}};
    const timespec time = {static_cast<time_t>(longest.count() / nanoseconds::per_second),
                           static_cast<long>(longest.count() % nanoseconds::per_second)};
    const bool ends = longest != nanoseconds::longest();
    return ::ppoll(files, 2, ends ? &time : nullptr, nullptr) > 0 && files[1].revents != 0;
}

void interruption::end_by_it() const noexcept {
    if (*this) ::raise(noted.load(std::memory_order_relaxed));
}

}  // namespace weir::command
