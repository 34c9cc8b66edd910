#include "command/interruption.hpp"

#include <atomic>
#include <csignal>

namespace weir::command {
namespace {

std::atomic<int> noted = 0;  // the signal's number
static_assert(std::atomic<int>::is_always_lock_free, "a handler may not wait");

extern "C" void note(int signal) { noted.store(signal, std::memory_order_relaxed); }

}  // namespace

interruption::interruption() {
    noted.store(0, std::memory_order_relaxed);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction previous {};
        struct sigaction action {};
        action.sa_handler = note;
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        // Whoever started us may have asked to ignore it (nohup).
        if (::sigaction(signal, nullptr, &previous) == 0 && previous.sa_handler != SIG_IGN) {
            ::sigaction(signal, &action, nullptr);
        }
    }
}

interruption::operator bool() const noexcept { return noted.load(std::memory_order_relaxed) != 0; }

void interruption::end_by_it() const noexcept {
    if (*this) ::raise(noted.load(std::memory_order_relaxed));
}

}  // namespace weir::command
