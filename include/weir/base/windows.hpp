// SPDX-License-Identifier: MIT
// windows: the calls that weir makes on Windows, without Windows' headers: these define macros such
// as `near`, `small` and `min`, and take longer to compile than all of weir. A program may include
// them before or after this. The calls are in kernel32, but for those that say so.
#pragma once

#ifdef _WIN32

#include <cstddef>

struct _SECURITY_ATTRIBUTES;  // NOLINT(*-identifier*): Windows' name
struct _FILETIME;             // NOLINT(*-identifier*)

namespace weir::windows {

using handle = void*;
using truth = int;             // BOOL
using number = unsigned long;  // DWORD, of 32 bits
using thread_main = number(__stdcall*)(void*);

inline constexpr number for_ever = 0xFFFFFFFF;

// NOLINTBEGIN(*-identifier-naming): these names are Windows'
extern "C" {
__declspec(dllimport) truth __stdcall QueryUnbiasedInterruptTime(unsigned long long* time);
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();
__declspec(dllimport) handle
    __stdcall CreateThread(_SECURITY_ATTRIBUTES*, std::size_t stack, thread_main, void* context,
                           number flags, number* id);
__declspec(dllimport) handle __stdcall GetCurrentThread();
__declspec(dllimport) truth __stdcall CloseHandle(handle);
__declspec(dllimport) number __stdcall WaitForSingleObject(handle, number milliseconds);
__declspec(dllimport) number __stdcall GetLastError();
__declspec(dllimport) long __stdcall SetThreadDescription(handle, const wchar_t* name);
__declspec(dllimport) std::size_t __stdcall SetThreadAffinityMask(handle, std::size_t mask);
__declspec(dllimport) truth __stdcall SetThreadPriority(handle, int priority);
__declspec(dllimport) truth __stdcall GetThreadTimes(handle, _FILETIME* created, _FILETIME* ended,
                                                     _FILETIME* in_system, _FILETIME* in_program);
// In synchronization.lib, or libsynchronization.a:
truth __stdcall WaitOnAddress(volatile void* address, void* expected, std::size_t size,
                              number milliseconds);
void __stdcall WakeByAddressSingle(void* address);
// In winmm:
__declspec(dllimport) unsigned __stdcall timeBeginPeriod(unsigned milliseconds);
__declspec(dllimport) unsigned __stdcall timeEndPeriod(unsigned milliseconds);
}
// NOLINTEND(*-identifier-naming)

}  // namespace weir::windows

#endif
