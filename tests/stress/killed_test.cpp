// A limiter in memory that processes share, while they are killed at any instant: the others go on,
// nothing needs repair, and of what was there only the action that was under way may be lost.
#include <csignal>
#include <iostream>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/weir.hpp>

#include "crowd.hpp"
#include "processes.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

constexpr int processes = 8;

constexpr word begin = 1'000'000'000'000;
constexpr word step = 40'000'000'000;  // in which 4000 units come

template <class Cell>
struct shared_memory {
    using clock = weir::manual_clock<struct killed_time>;  // not asked: each time is given
    using limiter = weir::limiter<Cell, clock, weir::counters>;

    explicit shared_memory(const quota& q) : limit(q) {}

    limiter limit;
    weir::atomic<word> now{begin};
    account accounts[processes];
};

template <class Shared>
[[noreturn]] void live(Shared& memory, int which, unsigned seed) {
    std::minstd_rand random(seed);
    account& mine = memory.accounts[which];
    for (;;) {
        act_once(memory.limit, mine, random, tick{memory.now.load_relaxed()});
    }
}

template <class Cell>
class killed : public testing::Test {};
using cells = testing::Types<weir::gcra<>, weir::token_bucket<>, weir::sliding_log<100'000>>;
TYPED_TEST_SUITE(killed, cells);

TYPED_TEST(killed, processes_hold_up_nobody_and_lose_what_they_were_about_to_take) {
    using memory_type = shared_memory<TypeParam>;
    constexpr bool is_log = requires(TypeParam c) { c.places(); };
    constexpr int kills_of_all = 350;
    const quota q{100'000, seconds(1'000)};
    void* const raw = shared_memory_for<memory_type>();
    ASSERT_NE(raw, nullptr);
    auto& memory = *new (raw) memory_type(q);
    ASSERT_TRUE(memory.limit.try_acquire(1, tick{begin}));

    pid_t pids[processes];
    unsigned seed = 0;
    const auto start = [&](int which) {
        ++seed;
        pids[which] = fork();
        ASSERT_GE(pids[which], 0);
        if (pids[which] == 0) live(memory, which, seed);
    };
    for (int i = 0; i < processes; ++i) start(i);
    std::minstd_rand random(7);
    const int kills = repetitions(kills_of_all);
    for (int kill = 0; kill < kills; ++kill) {
        usleep(static_cast<useconds_t>(random() % 1'000));
        const int victim = static_cast<int>(random() % processes);
        ::kill(pids[victim], SIGKILL);
        waitpid(pids[victim], nullptr, 0);
        // The others go on: of two actions that end from now on, one has begun after the kill.
        const int other = (victim + 1 + static_cast<int>(random() % (processes - 1))) % processes;
        const weir::atomic<word>& actions = memory.accounts[other].actions;
        const word before = actions.load_relaxed();
        while (actions.load_relaxed() - before < 2) usleep(50);
        // There is more to get; a log's would have to grow old first.
        if (!is_log) memory.now.fetch_add_relaxed(step);
        start(victim);
    }
    for (const pid_t pid : pids) {
        ::kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }

    word taken = 1;
    word actions = 0;
    for (const account& a : memory.accounts) {
        taken += a.taken.load_relaxed();
        actions += a.actions.load_relaxed();
    }
    const tick end{memory.now.load_relaxed()};
    const word refilled = (end.count - begin) / (1'000'000'000'000 / 100'000);
    const word there = memory.limit.peek(0, end).remaining();
    const word all = 100'000 + refilled;
    EXPECT_LE(taken + there, all) << "they got more than there was";
    const word ends = static_cast<word>(kills) + processes;
    // A refund that was killed on its way makes later ones give back less.
    if (!memory_type::limiter::refunds) {
        EXPECT_GE(taken + there + 2 * most_at_once * ends, all) << "lost more than was under way";
    }
    const weir::counters& counted = memory.limit.observer();
    std::cout << kills << " kills, " << actions << " actions, " << counted.retries()
              << " races lost in " << counted.admitted() << " admissions, " << all - taken - there
              << " units of " << all << " lost\n";
    memory.~memory_type();
    munmap(raw, sizeof(memory_type));
}

}  // namespace
