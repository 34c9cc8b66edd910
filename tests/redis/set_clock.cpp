// SPDX-License-Identifier: MIT
// Loaded into a Redis, so that a test can set its clock: the file that WEIR_CLOCK names has the
// seconds by which the time differs from the machine's. (libfaketime and Redis's allocator wait for
// each other now and then.) Redis asks gettimeofday for what time it is, and nothing else.
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" int gettimeofday(timeval* now, void*) noexcept {
    const long good = syscall(SYS_gettimeofday, now, nullptr);
    const char* const name = std::getenv("WEIR_CLOCK");  // NOLINT(concurrency-mt-unsafe)
    const int file = name == nullptr ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    std::int64_t more = 0;
    if (file >= 0) {
        if (read(file, &more, sizeof more) != sizeof more) more = 0;
        close(file);
    }
    now->tv_sec += more;
    return static_cast<int>(good);
}
