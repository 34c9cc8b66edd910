// SPDX-License-Identifier: MIT
// nap: how a thread that waits for its units sleeps, so that a stop wakes it; hosted because only
// an operating system has threads that sleep. Blocks. For acquire.hpp and adjustable.hpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include <weir/base/duration.hpp>

#ifndef __cpp_lib_jthread
#error "no std::stop_token: with libc++ before 20 compile with -fexperimental-library"
#endif

namespace weir::detail {

// Until the time is over, a stop is requested or `is_over`, which is asked with the mutex held.
// Whoever makes it true has the mutex for that, and notifies `changed`.
template <class IsOver>
void nap(nanoseconds time, std::mutex& mutex, std::condition_variable& changed, IsOver is_over,
         const std::stop_token& stop) {
    const auto ends = [&] { return is_over() || stop.stop_requested(); };
#if defined(_WIN32) && defined(__GLIBCXX__)
    // The end of a std::stop_callback may wait there for ever: its semaphore loses a wake-up where
    // the system has no futex. So this thread looks at the token, a hundred times a second.
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(time);
    std::unique_lock lock(mutex);
    for (auto now = std::chrono::steady_clock::now(); now < end && !ends();
         now = std::chrono::steady_clock::now()) {
        const auto look = now + std::chrono::milliseconds(10);
        (void)changed.wait_until(lock, stop.stop_possible() ? std::min(end, look) : end);
    }
#else
    const std::stop_callback wake(stop, [&] {
        const std::lock_guard lock(mutex);
        changed.notify_all();
    });
    std::unique_lock lock(mutex);
    (void)changed.wait_for(lock, std::chrono::nanoseconds(time), ends);
#endif
}

}  // namespace weir::detail
