// SPDX-License-Identifier: MIT
// system_thread: what a pacer's thread wants of the system that it runs on. A port to another
// system is a file like these two.
#pragma once

#if defined(__linux__)
#include <weir/adapter/linux_thread.hpp>
namespace weir {
namespace system_thread = linux_thread;
}
#elif defined(_WIN32)
#include <weir/adapter/windows_thread.hpp>
namespace weir {
namespace system_thread = windows_thread;
}
#else
#error "pacer_thread needs Linux or Windows: elsewhere, poll the pacer on a thread of your own"
#endif
