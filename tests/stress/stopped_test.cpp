// SPDX-License-Identifier: MIT
// Processes that share a limiter in memory, while each of them is stopped at any instant and goes
// on later (SIGSTOP, SIGCONT): the others go on meanwhile and get all that there is, and what it
// was about to do then brings nobody more than that.
#include <cerrno>
#include <csignal>
#include <iostream>
#include <limits>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"
#include "processes.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

constexpr int processes = 3;
constexpr word units = 20'000;
constexpr word period = 1'000'000'000'000;  // ticks, in which all of them come back
// After which a cell is as good as new: a sliding window forgets after two periods.
constexpr word leap = 2 * period;

template <class Limiter>
struct shared_memory {
    weir::atomic<word> now{period};
    weir::atomic<bool> over{false};
    account accounts[processes];
    alignas(weir::cache_line) unsigned char place[sizeof(Limiter)];

    [[nodiscard]] Limiter& limit() { return *std::launder(reinterpret_cast<Limiter*>(place)); }
};

template <class Limiter>
[[noreturn]] void live(shared_memory<Limiter>& memory, int which, unsigned seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    oracle::dice random(seed);
    account& mine = memory.accounts[which];
    Limiter& limit = memory.limit();
    while (!memory.over.load_relaxed()) {
        (void)act_once(limit, mine, random);
    }
    _exit(0);
}

struct outcome {
    word actions = 0;
    word all = 0;
    word taken = 0;       // or there at the end
    bool waited = false;  // for one who was stopped
};

template <class Limiter>
outcome stop_each(int stops, long patience = 0) {
    using memory_type = shared_memory<Limiter>;
    void* const raw = shared_memory_for<memory_type>();
    if (raw == nullptr) return {};
    auto& memory = *new (raw) memory_type;
    shared_clock::now_ = &memory.now;
    auto& limit = *new (memory.place) Limiter(quota{units, seconds(1'000)});
    (void)limit.try_acquire(1);

    outcome result{.all = units, .taken = 1};
    pid_t pids[processes];
    for (int i = 0; i < processes; ++i) {
        pids[i] = fork();
        if (pids[i] == 0) live(memory, i, static_cast<unsigned>(1 + i));
        if (pids[i] > 0) continue;
        ADD_FAILURE() << "no process could be started";
        memory.over.store_relaxed(true);
        while (i-- > 0) waitpid(pids[i], nullptr, 0);
        return {};
    }
    oracle::dice random(7);
    for (int stop = 0; stop < stops && !result.waited; ++stop) {
        usleep(static_cast<useconds_t>(random.roll(1'000)));
        const int victim = static_cast<int>(random.roll(processes));
        kill(pids[victim], SIGSTOP);
        int state = 0;
        while (waitpid(pids[victim], &state, WUNTRACED) != pids[victim] && errno == EINTR) {
        }
        if (!WIFSTOPPED(state)) {
            ADD_FAILURE() << "a process has ended by itself";
            for (const pid_t pid : pids) kill(pid, SIGKILL);
            break;
        }
        // Of two actions that end from now on, one has begun after the stop.
        for (int other = 0; other < processes; ++other) {
            if (other == victim) continue;
            const weir::atomic<word>& actions = memory.accounts[other].actions;
            const word before = actions.load_relaxed();
            const auto goes_on = [&] { return actions.load_relaxed() - before >= 2; };
            result.waited = result.waited || !comes(goes_on, patience);
        }
        const auto gone = [&] { return limit.peek(0).remaining() == 0; };
        if (!result.waited && comes(gone, patience) && stop % 2 == 0) {
            memory.now.fetch_add_relaxed(leap);
            result.all += units;
        }
        const weir::atomic<word>& actions = memory.accounts[victim].actions;
        const word before = actions.load_relaxed();
        kill(pids[victim], SIGCONT);
        (void)comes([&] { return actions.load_relaxed() - before >= 2; }, 0);
    }
    memory.over.store_relaxed(true);
    for (const pid_t pid : pids) waitpid(pid, nullptr, 0);

    for (const account& a : memory.accounts) {
        result.taken += a.taken.load_relaxed();
        result.actions += a.actions.load_relaxed();
    }
    result.taken += limit.peek(0).remaining();
    limit.~Limiter();
    munmap(raw, sizeof(memory_type));
    return result;
}

template <class Limiter>
class stopped : public testing::Test {};
template <class Cell>
using shared = weir::limiter<Cell, shared_clock>;
template <class Cell>
using by_name = in_segment<Cell>;
using cells = weir::every_cell<units, word>;
using limiters = weir::joined<cells::each<shared>, weir::only<is_one_word, cells>::each<by_name>,
                              weir::cell_list<weir::adjustable<shared_clock>>>;
TYPED_TEST_SUITE(stopped, limiters::as<testing::Types>);

TYPED_TEST(stopped, processes_hold_up_nobody_and_bring_nobody_more_when_they_go_on) {
    const int stops = repetitions(400);
    const outcome o = stop_each<TypeParam>(stops);
    EXPECT_LE(o.taken, o.all) << "they got more than there was";
    // A refund that was stopped on its way makes others give back less.
    if constexpr (!weir::undoing<TypeParam>) {
        EXPECT_EQ(o.taken, o.all) << "they got less than there was";
    }
    std::cout << stops << " stops, " << o.actions << " actions, " << o.taken << " units of "
              << o.all << "\n";
}

TEST(stopped_process, is_found_to_hold_up_the_others_if_it_has_a_lock) {
    using limiter = locked<weir::limiter<weir::gcra<>, shared_clock>>;
    constexpr int until_one_waits = std::numeric_limits<int>::max();
    EXPECT_TRUE(stop_each<limiter>(until_one_waits, 2'000).waited);
}

}  // namespace
