// Runs the hot functions where neither an allocation nor a system call goes unnoticed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <new>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "hot.hpp"

namespace {

std::uint64_t allocations = 0;

}  // namespace

// Not in line: GCC would take a free() beside a new for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr int times = 1'000;

template <class Cell>
bool exercise_cell() {
    static Cell cell;
    const auto rate =
        Cell::rate::make(weir::quota{1'000, weir::seconds(1), 100}, 100'000, {.debt = 10});
    if (!rate) return false;
    weir::tick now{1};
    cell.fill(now, 100, *rate);
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        now.count += 50;
        admitted += hot<Cell>::try_one(cell, now, *rate) ? 1 : 0;
        admitted += hot<Cell>::try_many(cell, now, 2, *rate) ? 1 : 0;
        admitted += hot<Cell>::charge(cell, now, 1, *rate) ? 1 : 0;
        admitted += hot<Cell>::wait(cell, now, 1, *rate) > 0 ? 1 : 0;
        admitted += hot<Cell>::peek(cell, now, 1, *rate) ? 1 : 0;
        admitted += cell.acquire_up_to(now, 3, *rate) ? 1 : 0;
    }
    for (int i = 0; i < times; ++i) admitted += hot<Cell>::try_now(cell, *rate) ? 1 : 0;
    return admitted > 0;
}

template <class Limiter>
bool exercise_limiter() {
    static Limiter limit{weir::per_second(1'000'000)};
    limit.reset();
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        admitted += hot_limiter<Limiter>::try_one(limit) ? 1 : 0;
        admitted += hot_limiter<Limiter>::peek(limit) ? 1 : 0;
    }
    return admitted > 0;
}

bool exercise_everything() {
    return exercise_cell<weir::gcra<>>() && exercise_cell<weir::gcra<std::uint32_t>>() &&
           exercise_cell<weir::leaky_bucket<>>() && exercise_cell<weir::token_bucket<>>() &&
           exercise_cell<weir::token_bucket<std::uint32_t>>() &&
           exercise_limiter<weir::limiter<weir::gcra<>>>() &&
           exercise_limiter<weir::limiter<weir::leaky_bucket<>>>() &&
           exercise_limiter<weir::limiter<weir::token_bucket<>>>() &&
           exercise_limiter<weir::adjustable<>>();
}

// From here on the kernel ends this process at any call but the one that ends it anyway. (The
// strict mode, which needs no filter, also forbids reading the TSC.)
void forbid_system_calls() {
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

TEST(hot_path, allocates_nothing) {
    ASSERT_TRUE(exercise_everything());  // the limiters get ready
    const std::uint64_t before = allocations;
    EXPECT_TRUE(exercise_everything());
    EXPECT_EQ(allocations, before);
    ::operator delete(::operator new(1));
    EXPECT_GT(allocations, before) << "the counter does not count";
}

TEST(hot_path, makes_no_system_call) {
    ASSERT_TRUE(exercise_everything());
    const int status = status_without_system_calls(exercise_everything);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    EXPECT_TRUE(WIFSIGNALED(status_without_system_calls([] { return getppid() > 0; })))
        << "the filter does not filter";
}

}  // namespace
