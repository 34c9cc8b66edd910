// SPDX-License-Identifier: MIT
// What a pacer's thread wants of Windows, as linux_thread.hpp says it for Linux: each answers 0 or
// the system's error number. It needs the libraries `synchronization` and `winmm`, which the CMake
// target brings along.
//
// The system wakes who waits at the next step of its timer: a millisecond later at most, while
// somebody has asked for that. So `hybrid`, which learns how late that is, spins for longer than on
// Linux.
#pragma once

#ifdef _WIN32

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <weir/adapter/thread_terms.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/windows.hpp>
#include <weir/clock/steady.hpp>

namespace weir::windows_thread {

using handle = windows::handle;

inline constexpr int invalid_parameter = 87;
[[nodiscard]] inline int last_error() noexcept { return static_cast<int>(windows::GetLastError()); }

// Until the word is no longer `expected`, somebody wakes it, or steady_clock says so; whatever
// comes first, and now and then for nothing.
inline void wait(const void* word, std::uint32_t expected, nanoseconds until) noexcept {
    const auto now = static_cast<std::int64_t>(steady_clock::now().count);
    const std::int64_t left = until.count() - now;
    if (left <= 0) return;
    // Rounded down, so that the last millisecond is not slept beyond the end: but 1 at least.
    constexpr std::int64_t millisecond = milliseconds(1).count();
    constexpr std::int64_t longest = seconds(3'600).count();
    const std::int64_t whole = (left < longest ? left : longest) / millisecond;
    (void)windows::WaitOnAddress(const_cast<void*>(word), &expected, sizeof(expected),
                                 static_cast<windows::number>(whole == 0 ? 1 : whole));
}
inline void wake(const void* word) noexcept {
    windows::WakeByAddressSingle(const_cast<void*>(word));
}

// The system makes one for all whenever it is asked.
[[nodiscard]] inline int may_fence_all() noexcept { return 0; }
// Every running thread of this process passes a full fence, this one too.
[[nodiscard]] inline int fence_all() noexcept {
    windows::FlushProcessWriteBuffers();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);  // pairs with whatever the other threads do next
    return 0;
}

// One that does Act(context), and is joined later.
template <void (*Act)(void*) noexcept>
[[nodiscard]] int start(handle& thread, void* context) noexcept {
    const windows::thread_main act = [](void* its) -> windows::number {
        Act(its);
        return 0;
    };
    thread = windows::CreateThread(nullptr, 0, act, context, 0, nullptr);
    return thread != nullptr ? 0 : last_error();
}
inline void join(handle thread) noexcept {
    (void)windows::WaitForSingleObject(thread, windows::for_ever);
    (void)windows::CloseHandle(thread);
}

// --- the calling thread's own

[[nodiscard]] inline int set_name(const char* name) noexcept {
    constexpr std::size_t longest = 15;  // as on Linux
    wchar_t wide[longest + 1] = {};
    if (std::strlen(name) > longest) return invalid_parameter;
    for (std::size_t i = 0; name[i] != 0; ++i) wide[i] = static_cast<unsigned char>(name[i]);
    const long result = windows::SetThreadDescription(windows::GetCurrentThread(), wide);
    return result >= 0 ? 0 : static_cast<int>(result & 0xFFFF);
}
[[nodiscard]] inline int set_core(int core) noexcept {
    constexpr int cores = 8 * sizeof(std::size_t);  // of the thread's group
    if (core < 0 || core >= cores) return invalid_parameter;
    const std::size_t mask = std::size_t{1} << static_cast<unsigned>(core);
    return windows::SetThreadAffinityMask(windows::GetCurrentThread(), mask) != 0 ? 0
                                                                                  : last_error();
}
// There is one class above the others here, and no priority within it.
[[nodiscard]] inline int set_class(scheduling, int) noexcept {
    constexpr int time_critical = 15;
    return windows::SetThreadPriority(windows::GetCurrentThread(), time_critical) != 0
               ? 0
               : last_error();
}
// For how long it has run since it began.
[[nodiscard]] inline nanoseconds used() noexcept {
    std::uint32_t times[4][2] = {};  // in 100 ns, the low half first
    const auto time = [&](int i) { return reinterpret_cast<_FILETIME*>(times[i]); };
    (void)windows::GetThreadTimes(windows::GetCurrentThread(), time(0), time(1), time(2), time(3));
    const auto of = [&](int i) {
        return static_cast<std::int64_t>(std::uint64_t{times[i][1]} << 32U | times[i][0]);
    };
    return nanoseconds(100 * (of(2) + of(3)));
}
// As long as it exists the thread is woken as precisely as the system can.
class precise_timers {
public:
    precise_timers() noexcept : error(static_cast<int>(windows::timeBeginPeriod(1))) {}
    precise_timers(const precise_timers&) = delete;
    precise_timers& operator=(const precise_timers&) = delete;
    ~precise_timers() {
        if (error == 0) (void)windows::timeEndPeriod(1);
    }

    const int error;
};

}  // namespace weir::windows_thread

#endif
