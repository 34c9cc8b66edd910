// SPDX-License-Identifier: MIT
#include "command/sim/lines.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace weir::command {
namespace {

constexpr int moment = 100;  // milliseconds

[[noreturn]] void fail(const std::string& path) {
    throw std::system_error(errno, std::generic_category(), "cannot read " + path);
}

std::string_view without_return(const char* begin, std::size_t length) {
    if (length != 0 && begin[length - 1] == '\r') --length;
    return {begin, length};
}

}  // namespace

lines::lines(const std::string& path)
    : path_(path), buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {
    file_ = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail(path);
    struct stat facts {};
    if (::fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode)) {
        size_ = static_cast<std::uint64_t>(facts.st_size);
    } else {
        must_wait_ = true;
    }
}

lines::~lines() {
    if (file_ >= 0) ::close(file_);
}

lines::found lines::next(std::string_view& line) {
    for (;;) {
        const char* const begin = buffer_.get() + scanned_;
        const void* const at = std::memchr(begin, '\n', end_ - scanned_);
        if (at != nullptr) {
            const auto length = static_cast<std::size_t>(static_cast<const char*>(at) - begin) +
                                (scanned_ - begin_);
            if (skipping_) {
                skipping_ = false;
                begin_ = scanned_ = begin_ + length + 1;
                continue;
            }
            return ended_line(length, line);
        }
        scanned_ = end_;
        if (skipping_) {
            begin_ = scanned_ = end_ = 0;
        } else if (end_ - begin_ > longest) {
            line = {buffer_.get() + begin_, longest};
            skipping_ = true;
            begin_ = scanned_;
            return found::too_long;
        }
        if (is_over_) return last_line(line);
        switch (read_more()) {
            case refill::more: break;
            case refill::nothing_yet: return found::nothing_yet;
            case refill::end: is_over_ = true; break;
        }
    }
}

lines::found lines::ended_line(std::size_t length, std::string_view& line) {
    line = without_return(buffer_.get() + begin_, length);
    begin_ = scanned_ = begin_ + length + 1;
    if (line.size() <= longest) return found::line;
    line = line.substr(0, longest);
    return found::too_long;
}

lines::found lines::last_line(std::string_view& line) {
    if (begin_ == end_) return found::end;
    line = without_return(buffer_.get() + begin_, end_ - begin_);
    begin_ = scanned_ = end_;
    cut_off_ = true;
    return found::line;
}

lines::refill lines::read_more() {
    if (end_ == buffer_size) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        scanned_ -= begin_;
        end_ -= begin_;
        begin_ = 0;
    }
    if (must_wait_) {
        // A signal that is noted must be seen, though nobody writes: poll() is not begun anew after
        // one, and ends by itself if the signal came just before.
        pollfd ready = {file_, POLLIN, 0};
        const int count = ::poll(&ready, 1, moment);
        if (count == 0 || (count < 0 && errno == EINTR)) return refill::nothing_yet;
    }
    const ssize_t length = ::read(file_, buffer_.get() + end_, buffer_size - end_);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return refill::nothing_yet;
    if (length < 0) fail(path_);
    if (length == 0) return refill::end;
    end_ += static_cast<std::size_t>(length);
    read_ += static_cast<std::uint64_t>(length);
    return refill::more;
}

}  // namespace weir::command
