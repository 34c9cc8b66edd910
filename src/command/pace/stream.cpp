// SPDX-License-Identifier: MIT
#include "command/pace/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "command/pace/options.hpp"

namespace weir::command {
namespace {

[[noreturn]] void fail_to_read() {
    throw std::system_error(errno, std::generic_category(), "cannot read standard input");
}

[[nodiscard]] bool is_pipe(int file) {
    struct stat is {};
    return ::fstat(file, &is) == 0 && S_ISFIFO(is.st_mode);
}

}  // namespace

void expect_streams() {
    if (::fcntl(STDIN_FILENO, F_GETFD) < 0) fail_to_read();
    if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) expect_written(errno);
    struct stat in {};
    struct stat out {};
    if (::fstat(STDIN_FILENO, &in) != 0 || ::fstat(STDOUT_FILENO, &out) != 0) return;
    if (S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
        throw std::runtime_error("standard input and standard output are the same file");
    }
}

std::optional<std::size_t> read_input(char* to, std::size_t most, const interruption& asked) {
    for (;;) {
        asked.wait(nanoseconds::longest(), STDIN_FILENO, POLLIN);
        if (asked) return {};
        const ssize_t got = ::read(STDIN_FILENO, to, most);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN) fail_to_read();
    }
}

int write_output(std::string_view& rest, const interruption& asked) noexcept {
    while (!rest.empty() && !asked) {
        const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // whoever shares the stream made it non-blocking
            asked.wait(nanoseconds::longest(), STDOUT_FILENO, POLLOUT);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void expect_written(int reason) {
    if (reason != 0) {
        throw std::system_error(reason, std::generic_category(), "cannot write to standard output");
    }
}

byte_mover::byte_mover(const interruption& asked) : asked_(asked), buffer_(new char[widest_pipe]) {
    struct stat in {};
    from_pipe_ = is_pipe(STDIN_FILENO);
    // A file of /proc says that it is empty.
    const bool from_file =
        ::fstat(STDIN_FILENO, &in) == 0 && S_ISREG(in.st_mode) && in.st_size != 0;
    if (from_pipe_ || (from_file && is_pipe(STDOUT_FILENO))) {
        how_ = way::splice;
    } else if (from_file) {
        how_ = way::send_file;
    }
}

void byte_mover::widen_pipes(std::size_t bytes) noexcept {
    const int wanted = static_cast<int>(std::min(bytes, widest_pipe));
    for (const int file : {STDIN_FILENO, STDOUT_FILENO}) {
        const int now = ::fcntl(file, F_GETPIPE_SZ);  // -1: it is none
        if (now > 0 && now < wanted) ::fcntl(file, F_SETPIPE_SZ, wanted);
    }
}

std::size_t byte_mover::wait() {
    if (how_ == way::copy) return copied();
    return from_pipe_ ? bytes_in_pipe() : bytes_in_file();
}

std::size_t byte_mover::bytes_in_pipe() {
    while (!asked_) {
        pollfd in = {STDIN_FILENO, POLLIN, 0};
        int bytes = 0;
        if (::ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0) fail_to_read();
        if (bytes > 0) return std::min(static_cast<std::size_t>(bytes), widest_pipe);
        if (::poll(&in, 1, 0) > 0 && (in.revents & POLLIN) == 0) return 0;  // nobody writes to it
        asked_.wait(nanoseconds::longest(), STDIN_FILENO, POLLIN);
    }
    return 0;
}

std::size_t byte_mover::bytes_in_file() const {
    struct stat in {};
    const off_t at = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (at < 0 || ::fstat(STDIN_FILENO, &in) != 0) fail_to_read();
    if (asked_ || in.st_size <= at) return 0;
    return std::min(static_cast<std::size_t>(in.st_size - at), widest_pipe);
}

std::size_t byte_mover::copied() {
    if (rest_.empty()) {
        const auto got = read_input(buffer_.get(), widest_pipe, asked_);
        rest_ = {buffer_.get(), got.value_or(0)};
    }
    return asked_ ? 0 : rest_.size();
}

int byte_mover::copy(std::size_t bytes) {
    int reason = 0;
    while (reason == 0 && bytes != 0 && copied() != 0) {
        const std::size_t part = std::min(bytes, rest_.size());
        std::string_view left = rest_.substr(0, part);
        reason = write_output(left, asked_);
        const std::size_t written = part - left.size();
        moved_ += written;
        rest_.remove_prefix(written);
        bytes -= written;
    }
    return reason;
}

int byte_mover::move(std::size_t bytes) {
    while (how_ != way::copy && bytes != 0 && !asked_) {
        const ssize_t some = how_ == way::splice
                                 ? ::splice(STDIN_FILENO, nullptr, STDOUT_FILENO, nullptr, bytes, 0)
                                 : ::sendfile(STDOUT_FILENO, STDIN_FILENO, nullptr, bytes);
        if (some > 0) {
            bytes -= static_cast<std::size_t>(some);
            moved_ += static_cast<std::size_t>(some);
        } else if (some == 0) {
            return 0;  // somebody else has read it, or the file was cut
        } else if (errno == EINVAL || errno == ENOSYS) {
            how_ = way::copy;  // what is there cannot be moved so: a terminal, a file to append to
        } else if (errno == EAGAIN) {
            asked_.wait(nanoseconds::longest(), STDOUT_FILENO, POLLOUT);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return how_ == way::copy ? copy(bytes) : 0;
}

}  // namespace weir::command
