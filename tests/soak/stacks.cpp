// SPDX-License-Identifier: MIT
#include "stacks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "command/output.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace weir::soak {
namespace {

using command::write_error;

// Relaxed order suffices: one thread at a time is asked, and all that it tells is that it is done.
std::atomic<bool> has_told{false};

// In the thread that is asked. It allocates nothing: the first `backtrace` was made before.
void tell_stack(int) {
#if __has_include(<execinfo.h>)
    constexpr int most = 48;
    void* calls[most];
    ::backtrace_symbols_fd(calls, ::backtrace(calls, most), STDERR_FILENO);
#endif
    has_told.store(true, std::memory_order_relaxed);
}

void ask(int thread, int by_signal) {
    has_told.store(false, std::memory_order_relaxed);
    if (::syscall(SYS_tgkill, ::getpid(), thread, by_signal) != 0) return;
    for (int i = 0; i < 1000 && !has_told.load(std::memory_order_relaxed); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!has_told.load(std::memory_order_relaxed)) write_error("it does not answer\n");
}

std::string name_of(int thread, std::span<const watched_thread> known) {
    const auto its = std::find_if(known.begin(), known.end(),
                                  [=](const watched_thread& t) { return t.number == thread; });
    return "\nthread " + std::to_string(thread) +
           (its == known.end() ? "" : " (" + its->whose + ")") + ":\n";
}

}  // namespace

void write_stacks(std::span<const watched_thread> known) noexcept {
    try {
        const int by_signal = SIGRTMIN + 5;
#if __has_include(<execinfo.h>)
        void* call = nullptr;
        (void)::backtrace(&call, 1);  // loads what it needs
#endif
        struct sigaction how {};
        how.sa_handler = tell_stack;
        how.sa_flags = SA_RESTART;
        if (::sigaction(by_signal, &how, nullptr) != 0) return;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            const int thread = std::atoi(task.path().filename().c_str());
            if (thread == number_of_this_thread()) continue;
            write_error(name_of(thread, known));
            ask(thread, by_signal);
        }
    } catch (const std::exception&) {  // no memory, or no /proc
        write_error("the stacks of its threads cannot be told\n");
    }
}

}  // namespace weir::soak
