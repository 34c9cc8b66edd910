// SPDX-License-Identifier: MIT
// shm_error: why a limit in shared memory is not made, joined or removed.
#pragma once

#include <cstdint>

namespace weir {

enum class shm_error : std::uint8_t {
    none,
    // what was asked for
    name_not_allowed,
    permissions_not_allowed,
    quota_refused,
    size_refused,
    policy_unknown,
    // the system
    not_there,
    folder_not_there,
    not_permitted,
    no_space,
    file_system_unfit,
    boot_unknown,
    system_refused,  // errno says why
    // what is there under that name
    not_a_file,
    of_another_user,
    open_to_others,
    cut_off,
    foreign,
    too_new,
    corrupt,
    another_kind,
    another_boot,
    another_clock,
    another_arithmetic,
    another_quota,
};

[[nodiscard]] constexpr const char* describe(shm_error reason) noexcept {
    switch (reason) {
        case shm_error::none: return "no error";
        case shm_error::name_not_allowed:
            return "a name is one word behind a slash, or else the path of a file with a slash in "
                   "it";
        case shm_error::permissions_not_allowed:
            return "the permissions are those of a file that its owner reads and writes, as 0600";
        case shm_error::quota_refused:
            return "this kind of limit cannot hold the quota or an option: `refusal` says why";
        case shm_error::size_refused:
            return "a table in shared memory has one place at least, and as many as memory can "
                   "hold";
        case shm_error::policy_unknown: return "there is no such answer to a full table";
        case shm_error::not_there: return "there is nothing of this name";
        case shm_error::folder_not_there: return "the folder that its name says is not there";
        case shm_error::not_permitted: return "this user may not open, make or remove it";
        case shm_error::no_space: return "there is no space left for it";
        case shm_error::file_system_unfit:
            return "this file system cannot make a file that has no name yet, as tmpfs, ext4 and "
                   "xfs can";
        case shm_error::boot_unknown:
            return "the number of this boot cannot be read from /proc/sys/kernel/random/boot_id";
        case shm_error::system_refused: return "the system refuses, and errno says why";
        case shm_error::not_a_file: return "what has this name is no shared memory and no file";
        case shm_error::of_another_user:
            return "it belongs to another user, and the permissions let nobody else write to it";
        case shm_error::open_to_others:
            return "more users may write to it than the permissions say";
        case shm_error::cut_off: return "it does not have the size with which it was made";
        case shm_error::foreign: return "it was not made by weir";
        case shm_error::too_new: return "it was made by a newer weir than this program's";
        case shm_error::corrupt: return "what it says of itself is damaged";
        case shm_error::another_kind: return "it holds another kind of limit";
        case shm_error::another_boot:
            return "it was made before the machine was started again: remove it";
        case shm_error::another_clock:
            return "its times are of another clock, or of one that runs at another rate";
        case shm_error::another_arithmetic:
            return "it was made by a weir that computes its rate in another way";
        case shm_error::another_quota:
            return "it was made with another quota, size or options, and `join` takes what is "
                   "there";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops here and shows the name.
inline void shared_memory_is_for_run_time() {}

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(shm_error reason) {
    if (reason != shm_error::none) detail::shared_memory_is_for_run_time();
}

}  // namespace weir
