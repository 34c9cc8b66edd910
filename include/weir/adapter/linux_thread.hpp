// SPDX-License-Identifier: MIT
// What a pacer's thread wants of Linux beyond the standard library: to start without an exception,
// to sleep until an instant or until another thread wakes it, to make all running threads pass a
// fence, and to be given a name, a core and a class. Each answers 0 or the system's error number.
#pragma once

#ifdef __linux__

#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/adapter/thread_terms.hpp>
#include <weir/base/duration.hpp>

namespace weir::linux_thread {

using handle = pthread_t;

// The call that takes the C library's timespec: with a time_t of 64 bits a 32-bit system has one of
// its own (since 5.1), and the younger ones have that alone.
#if !defined(SYS_futex_time64)
inline constexpr long futex = SYS_futex;
#elif !defined(SYS_futex)
inline constexpr long futex = SYS_futex_time64;
#else
inline constexpr long futex = sizeof(time_t) > sizeof(long) ? SYS_futex_time64 : SYS_futex;
#endif

[[nodiscard]] inline timespec instant(nanoseconds since_boot) noexcept {
    const std::int64_t count = since_boot.count() < 0 ? 0 : since_boot.count();
    return {static_cast<time_t>(count / nanoseconds::per_second),
            static_cast<long>(count % nanoseconds::per_second)};
}

// Until the word is no longer `expected`, somebody wakes it, or steady_clock says so; whatever
// comes first, and now and then for nothing.
inline void wait(const void* word, std::uint32_t expected, nanoseconds until) noexcept {
    const timespec end = instant(until);
    // Unlike FUTEX_WAIT this takes an absolute time.
    (void)syscall(futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, &end, nullptr,
                  FUTEX_BITSET_MATCH_ANY);
}
inline void wake(const void* word) noexcept {
    (void)syscall(futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Once per process, before the first `fence_all`.
[[nodiscard]] inline int may_fence_all() noexcept {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 ? 0
                                                                                         : errno;
}
// Every running thread of this process passes a full fence, this one too.
[[nodiscard]] inline int fence_all() noexcept {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0 ? 0 : errno;
}

// One that does Act(context), and is joined later.
template <void (*Act)(void*) noexcept>
[[nodiscard]] int start(handle& thread, void* context) noexcept {
    const auto act = [](void* its) -> void* {
        Act(its);
        return nullptr;
    };
    return pthread_create(&thread, nullptr, act, context);
}
inline void join(handle thread) noexcept { (void)pthread_join(thread, nullptr); }

// --- the calling thread's own

[[nodiscard]] inline int set_name(const char* name) noexcept {
    return pthread_setname_np(pthread_self(), name);
}
[[nodiscard]] inline int set_core(int core) noexcept {
    if (core < 0 || core >= CPU_SETSIZE) return EINVAL;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    return pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}
[[nodiscard]] inline int set_class(scheduling by, int priority) noexcept {
    sched_param with{};
    with.sched_priority = priority;
    return pthread_setschedparam(pthread_self(), by == scheduling::fifo ? SCHED_FIFO : SCHED_RR,
                                 &with);
}
// For how long it has run since it began.
[[nodiscard]] inline nanoseconds used() noexcept {
    timespec t{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return nanoseconds(t.tv_sec * nanoseconds::per_second + t.tv_nsec);
}
// By how much the system may delay a wake-up to join it with others; 50 us by default.
[[nodiscard]] inline int set_timer_slack(nanoseconds slack) noexcept {
    return prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack.count()), 0, 0, 0) == 0
               ? 0
               : errno;
}
// As long as it exists the thread is woken as precisely as the system can.
struct precise_timers {
    int error = set_timer_slack(nanoseconds(1));
};

}  // namespace weir::linux_thread

#endif
