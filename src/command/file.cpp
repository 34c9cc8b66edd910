// SPDX-License-Identifier: MIT
#include "command/file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "command/output.hpp"

namespace weir::command {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int reason, const fs::path& path) {
    throw std::system_error(reason, std::generic_category(), "cannot write " + path.string());
}

// A ^C while the temporary file exists takes effect when it is gone, some milliseconds later.
class signals_held {
public:
    signals_held() {
        sigset_t held;
        ::sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&held, signal);
        ::pthread_sigmask(SIG_BLOCK, &held, &previous_);
    }
    signals_held(const signals_held&) = delete;
    signals_held& operator=(const signals_held&) = delete;
    ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

private:
    sigset_t previous_{};
};

// Its errno, or 0.
int write_to(int file, std::string_view text) {
    if (file < 0) return errno;
    const int failed_to_write = write_all(file, text) ? 0 : errno;
    // Some file systems report a full disk only now.
    const int failed_to_close = ::close(file) == 0 ? 0 : errno;
    return failed_to_write != 0 ? failed_to_write : failed_to_close;
}

int write_beside(const fs::path& target, std::string_view text) {
    const signals_held until_it_is_renamed;
    const fs::path temporary =
        target.parent_path() / (".weir-" + std::to_string(::getpid()) + ".tmp");
    ::unlink(temporary.c_str());  // left by a process of that number which was killed
    int reason =
        write_to(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), text);
    if (reason == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) reason = errno;
    if (reason != 0) ::unlink(temporary.c_str());
    return reason;
}

}  // namespace

void replace_file(const fs::path& path, std::string_view text) {
    std::error_code missing;
    fs::path target =
        fs::canonical(path, missing);  // what a link leads to is replaced, not the link
    if (missing) target = path;
    struct stat existing {};
    const bool exists = ::stat(target.c_str(), &existing) == 0;
    int reason = 0;
    if (exists && S_ISDIR(existing.st_mode)) {
        reason = EISDIR;
    } else if (exists && ::access(target.c_str(), W_OK) != 0) {
        reason = errno;  // to rename over it would be allowed, but is not what its owner wants
    } else if (exists && !S_ISREG(existing.st_mode)) {
        reason = write_to(::open(target.c_str(), O_WRONLY | O_CLOEXEC), text);
    } else {
        reason = write_beside(target, text);
    }
    if (reason != 0) fail(reason, path);
}

}  // namespace weir::command
