// SPDX-License-Identifier: MIT
#include "pulse.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace weir::soak {

// glibc before 2.30 has no gettid.
int number_of_this_thread() noexcept { return static_cast<int>(::syscall(SYS_gettid)); }

}  // namespace weir::soak
