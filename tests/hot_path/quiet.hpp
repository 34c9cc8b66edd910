// SPDX-License-Identifier: MIT
// Where neither an allocation nor a system call goes unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quiet {

[[nodiscard]] std::uint64_t allocations();  // of the whole program, so far

// From here on the kernel ends this process at any call but the one that ends it anyway. (The
// strict mode, which needs no filter, also forbids reading the TSC.)
inline void forbid_system_calls() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const sock_fprog program = {std::size(filter), filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Of another process, in which `work` is done.
template <class Work>
int status_without_system_calls(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        forbid_system_calls();
        const bool good = work();
        syscall(SYS_exit, good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

[[nodiscard]] inline bool well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

}  // namespace quiet
