// SPDX-License-Identifier: MIT
// shm_segment: memory with a name that processes share, and what it says of itself, its head. How
// it is made, checked and joined is told here; what lies in it is told in shm.hpp and
// shm_table.hpp.
//
// It is a file: of /dev/shm, where POSIX shared memory lies on Linux, or any other.
//
// Making. Whoever finds nothing under the name makes a file that has no name (O_TMPFILE), gives it
// its size and its memory, writes everything into it, and then links it to the name. That link is
// the linearisation point: it fails if the name is taken, and then the maker joins what is there.
//
// Invariant: what has the name is whole. Nobody sees a file that is not finished, so nobody waits
// for who makes one. Who is killed while it makes one leaves nothing behind, as the system frees a
// file without a name. Makers and those who join are ordered by the system's directory.
//
// Joining. The head is read into memory of one's own, by `pread`, and checked there. Nobody reads
// it again: what a process needs (the quota, the options, the clock's frequency) it keeps, and it
// makes the rate of these by itself. In the shared memory it uses only what follows the head: words
// of cells, sums of ledgers, turns. They are numbers that are compared and added up. None is ever
// an index, a divisor, a shift, an address or a size. So whatever bytes are there, or come there
// while they are read, nothing is read or written outside and nothing crashes. The one exception is
// the system's: a file that somebody makes shorter ends those who use it, by SIGBUS.
#pragma once

#ifndef __linux__
#error "limits in shared memory need Linux: O_TMPFILE, /proc and /dev/shm"
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <weir/adapter/shm_error.hpp>
#include <weir/adapter/shm_head.hpp>

namespace weir {

// Who may open it.
struct shm_access {
    // Those of the file when it is made, whatever the umask. Of what is there already nobody else
    // may be able to write to it than these permissions say.
    unsigned permissions = 0600;
};

namespace detail {

// errno, as a reason. It stays as it is, for `system_refused`.
[[nodiscard]] inline shm_error shm_reason_of(int error) noexcept {
    errno = error;
    switch (error) {
        case ENOENT:
        case ENOTDIR: return shm_error::not_there;
        case EACCES:
        case EPERM:
        case EROFS: return shm_error::not_permitted;
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return shm_error::no_space;
        case EOPNOTSUPP: return shm_error::file_system_unfit;
        case EISDIR:
        case ELOOP:
        case ENXIO: return shm_error::not_a_file;
        case ENAMETOOLONG: return shm_error::name_not_allowed;
        default: return shm_error::system_refused;
    }
}

// Where a name lies: "/word" in /dev/shm, as shm_open has it; any other name with a slash is a
// path.
class shm_path {
public:
    explicit shm_path(const char* name) noexcept {
        if (name == nullptr || *name == 0) return;
        std::size_t last_slash = SIZE_MAX;
        std::size_t length = 0;
        for (; name[length] != 0; ++length) {
            if (name[length] == '/') last_slash = length;
        }
        if (last_slash == SIZE_MAX || last_slash + 1 == length) return;
        const char* const place = last_slash == 0 ? "/dev/shm" : "";
        const int written = std::snprintf(path_, sizeof path_, "%s%s", place, name);
        if (written < 0 || static_cast<std::size_t>(written) >= sizeof path_) return;
        const auto end = static_cast<std::size_t>(written) - (length - last_slash);
        std::snprintf(folder_, sizeof folder_, "%.*s", static_cast<int>(end), path_);
        is_allowed_ = true;
    }

    [[nodiscard]] bool is_allowed() const noexcept { return is_allowed_; }
    [[nodiscard]] const char* c_str() const noexcept { return path_; }
    [[nodiscard]] const char* folder() const noexcept { return folder_; }

private:
    char path_[1024] = {};
    char folder_[1024] = {};
    bool is_allowed_ = false;
};

// An open file, closed at its end.
class shm_file {
public:
    explicit shm_file(int number) noexcept : number_(number) {}
    shm_file(const shm_file&) = delete;
    shm_file& operator=(const shm_file&) = delete;
    ~shm_file() {
        const int error = errno;
        if (number_ >= 0) close(number_);
        errno = error;
    }
    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

}  // namespace detail

// The memory, for as long as this lives. Movable.
class shm_segment {
public:
    // What the head describes begins here, on a cache line of its own.
    static constexpr std::size_t head_bytes = 512;
    static_assert(sizeof(detail::shm_head) <= head_bytes);

    shm_segment() noexcept = default;
    shm_segment(shm_segment&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    shm_segment& operator=(shm_segment&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~shm_segment() {
        if (memory_ != nullptr) munmap(memory_, bytes_);
    }

    [[nodiscard]] void* begin() const noexcept { return memory_ + head_bytes; }

    // Joins what has this name. `head` is what it says of itself, in memory of one's own: it is
    // weir's, of this version, whole, and as long as it says.
    [[nodiscard]] shm_error join(const detail::shm_path& path, shm_access access,
                                 detail::shm_head& head) noexcept {
        const detail::shm_file file(
            open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (!file.is_open()) return detail::shm_reason_of(errno);
        struct stat is = {};
        if (fstat(file.number(), &is) != 0) return detail::shm_reason_of(errno);
        if (!S_ISREG(is.st_mode)) return shm_error::not_a_file;
        constexpr unsigned others_write = 0022;
        if ((is.st_mode & others_write & ~access.permissions) != 0)
            return shm_error::open_to_others;
        if (is.st_uid != geteuid() && is.st_uid != 0 && (access.permissions & others_write) == 0)
            return shm_error::of_another_user;

        head = {};
        const auto size = static_cast<std::uint64_t>(is.st_size);
        const ssize_t read = pread(file.number(), &head, sizeof head, 0);
        if (read < 0) return detail::shm_reason_of(errno);
        if (size == 0) return shm_error::cut_off;
        if (head.magic != detail::shm_head::made_by_weir) return shm_error::foreign;
        if (head.version > detail::shm_head::present_version) return shm_error::too_new;
        if (static_cast<std::size_t>(read) < sizeof head) return shm_error::cut_off;
        if (head.sum != head.sum_of_words()) return shm_error::corrupt;
        if (head.version != detail::shm_head::present_version) return shm_error::corrupt;
        if (head.bytes != size) return shm_error::cut_off;
        if (size <= head_bytes || size > SIZE_MAX) return shm_error::corrupt;
        return map(file, static_cast<std::size_t>(size));
    }

    // Makes it: `begin(memory)` lets begin there what the head describes. False for `is_first` if
    // somebody else was first.
    template <class Begin>
    [[nodiscard]] shm_error make(const detail::shm_path& path, shm_access access,
                                 detail::shm_head& head, bool& is_first, Begin begin) noexcept {
        const detail::shm_file file(
            open(path.folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, access.permissions));
        if (!file.is_open()) {
            if (errno == EISDIR) return shm_error::file_system_unfit;
            const shm_error reason = detail::shm_reason_of(errno);
            return reason == shm_error::not_there ? shm_error::folder_not_there : reason;
        }
        if (fchmod(file.number(), access.permissions) != 0) return detail::shm_reason_of(errno);
        // Beyond this limit the system would send a signal.
        rlimit longest = {};
        if (getrlimit(RLIMIT_FSIZE, &longest) == 0 && head.bytes > longest.rlim_cur)
            return detail::shm_reason_of(EFBIG);
        // With all of its memory, so that there is no SIGBUS later when there is no space.
        int error = EINTR;
        while (error == EINTR) {
            error = posix_fallocate(file.number(), 0, static_cast<off_t>(head.bytes));
        }
        if (error != 0) return detail::shm_reason_of(error);
        const shm_error reason = map(file, static_cast<std::size_t>(head.bytes));
        if (reason != shm_error::none) return reason;
        head.magic = detail::shm_head::made_by_weir;
        head.version = detail::shm_head::present_version;
        head.sum = head.sum_of_words();
        begin(this->begin());
        __builtin_memcpy(memory_, &head, sizeof head);

        char own[32];
        std::snprintf(own, sizeof own, "/proc/self/fd/%d", file.number());
        is_first = linkat(AT_FDCWD, own, AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
        return is_first || errno == EEXIST ? shm_error::none : detail::shm_reason_of(errno);
    }

private:
    [[nodiscard]] shm_error map(const detail::shm_file& file, std::size_t bytes) noexcept {
        void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
        if (at == MAP_FAILED) return detail::shm_reason_of(errno);
        *this = shm_segment(static_cast<unsigned char*>(at), bytes);
        return shm_error::none;
    }
    shm_segment(unsigned char* memory, std::size_t bytes) noexcept
        : memory_(memory), bytes_(bytes) {}

    unsigned char* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

// Nobody finds it any longer. Those who have opened it go on with it, and who opens the name from
// now on makes a new one beside it: so first all stop, then it is removed.
[[nodiscard]] inline shm_error remove_shared(const char* name) noexcept {
    const detail::shm_path path(name);
    if (!path.is_allowed()) return shm_error::name_not_allowed;
    return unlink(path.c_str()) == 0 ? shm_error::none : detail::shm_reason_of(errno);
}

}  // namespace weir
