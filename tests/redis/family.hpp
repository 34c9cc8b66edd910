// SPDX-License-Identifier: MIT
// Processes that each do work(which, report), and what they report. They end with the thread that
// starts them.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

template <class Report, int Count>
class family {
public:
    template <class Work>
    explicit family(Work work)
        : memory_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) std::abort();
        for (int which = 0; which < Count; ++which) {
            const pid_t child = fork();
            if (child != 0) {
                children_.push_back(child);
                continue;
            }
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(which, reports()[which]);
            _exit(0);
        }
    }
    family(const family&) = delete;
    family& operator=(const family&) = delete;
    ~family() { munmap(memory_, size); }

    // Until they are gone. How many have not ended by themselves.
    [[nodiscard]] int wait() const {
        int killed = 0;
        for (const pid_t child : children_) {
            int status = 0;
            waitpid(child, &status, 0);
            killed += status != 0 ? 1 : 0;
        }
        return killed;
    }
    [[nodiscard]] Report* reports() const { return static_cast<Report*>(memory_); }

private:
    static constexpr std::size_t size = Count * sizeof(Report);

    void* memory_;
    std::vector<pid_t> children_;
};
