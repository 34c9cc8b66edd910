// SPDX-License-Identifier: MIT
// A limiter in memory that processes share, while they are killed at any instant: the others go on,
// nothing needs repair, and of what was there only the action that was under way may be lost.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"
#include "processes.hpp"

namespace {

using weir::quota;
using weir::word;

constexpr int processes = 8;
constexpr word units = 2'000;
// Ticks, in which all of them come back; so few that who was late by many of them is still within
// the guard.
constexpr word period = 1'000'000;
// After which a cell is as good as new: a sliding window forgets after two periods.
constexpr word leap = 2 * period;
constexpr word begin = 1'000'000'000'000;

template <class Limiter>
struct shared_memory {
    weir::atomic<word> now{begin};
    account accounts[processes];
    account parents;
    alignas(weir::cache_line) unsigned char place[sizeof(Limiter)];

    [[nodiscard]] Limiter& limit() { return *std::launder(reinterpret_cast<Limiter*>(place)); }
    template <class Part>
    [[nodiscard]] word sum(Part part) const {
        word all = 0;
        for (const account& a : accounts) all += (a.*part).load_relaxed();
        return all;
    }
};

// Whoever finds nothing left lets the time leap, so that there is always something to take.
template <class Limiter>
[[noreturn]] void live(shared_memory<Limiter>& memory, int which, unsigned seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    oracle::dice random(seed);
    account& mine = memory.accounts[which];
    telling::tells(mine);
    Limiter& limit = memory.limit();
    for (;;) {
        word now = memory.now.load_relaxed();
        if (!act_once(limit, mine, random)) {
            (void)memory.now.try_exchange_relaxed(now, now + leap);
        }
    }
}

struct outcome {
    int kills = 0;
    int hits = 0;  // kills of one who was in the limiter, while units were admitted
    word actions = 0;
    word admitted = 0;
    word races_lost = 0;
    word most_races_lost = 0;
    word all = 0;          // units
    word taken = 0;        // or there at the end
    word there_after = 0;  // a leap more
    bool waited = false;   // for one who was killed
};

// So many kills, and more until so many have hit, however long that takes on a busy machine. With
// `patience` (see `comes`) it ends when somebody is held up for so long.
template <class Limiter>
outcome kill_each(int kills, int hits, long patience = 0) {
    using memory_type = shared_memory<Limiter>;
    void* const raw = shared_memory_for<memory_type>();
    if (raw == nullptr) return {};
    auto& memory = *new (raw) memory_type;
    shared_clock::now_ = &memory.now;
    telling::tells(memory.parents);
    auto& limit = *new (memory.place)
                      Limiter(quota{units, weir::nanoseconds(static_cast<std::int64_t>(period))});
    outcome result{.taken = limit.try_acquire(1) ? word{1} : word{0}};

    pid_t pids[processes] = {};
    unsigned seed = 0;
    const auto start = [&](int which) {
        ++seed;
        pids[which] = fork();
        if (pids[which] == 0) live(memory, which, seed);
        if (pids[which] < 0) ADD_FAILURE() << "no process could be started";
        return pids[which] > 0;
    };
    const auto end = [&](int which) {
        if (pids[which] <= 0) return;
        kill(pids[which], SIGKILL);
        while (waitpid(pids[which], nullptr, 0) < 0 && errno == EINTR) {
        }
    };
    bool started = true;
    for (int i = 0; i < processes; ++i) started = started && start(i);
    oracle::dice random(7);
    while (started && !result.waited && (result.kills < kills || result.hits < hits)) {
        // Most are asleep between two actions: rather one who is not.
        int victim = 0;
        bool acts = false;
        for (int tries = 0; tries < 200 && !acts; ++tries) {
            usleep(static_cast<useconds_t>(random.roll(1'000)));
            victim = static_cast<int>(random.roll(processes));
            for (int i = 0; i < processes && !acts; ++i) {
                acts = memory.accounts[victim].acts.load_relaxed();
                if (!acts) victim = (victim + 1) % processes;
            }
        }
        const word admitted = memory.sum(&account::admitted);
        end(victim);
        ++result.kills;
        // Of two actions that end from now on, one has begun after the kill.
        word before[processes];
        for (int i = 0; i < processes; ++i) before[i] = memory.accounts[i].actions.load_relaxed();
        for (int i = 0; i < processes && !result.waited; ++i) {
            const weir::atomic<word>& actions = memory.accounts[i].actions;
            const auto goes_on = [&] { return actions.load_relaxed() - before[i] >= 2; };
            result.waited = i != victim && !comes(goes_on, patience);
        }
        const bool hit = memory.accounts[victim].acts.load_relaxed() &&
                         memory.sum(&account::admitted) != admitted;
        result.hits += hit ? 1 : 0;
        started = start(victim);
    }
    for (int i = 0; i < processes; ++i) end(i);

    result.all = units + (memory.now.load_relaxed() - begin) / leap * units;
    result.taken += memory.sum(&account::taken) + limit.peek(0).remaining();
    result.actions = memory.sum(&account::actions);
    result.admitted = memory.sum(&account::admitted);
    result.races_lost = memory.sum(&account::races_lost);
    for (const account& a : memory.accounts) {
        result.most_races_lost = std::max(result.most_races_lost, a.most_races_lost.load_relaxed());
    }
    memory.now.fetch_add_relaxed(leap);
    if (!result.waited) result.there_after = limit.acquire_up_to(units).units;
    limit.~Limiter();
    munmap(raw, sizeof(memory_type));
    return result;
}

template <class Cell>
using shared = weir::limiter<Cell, shared_clock, telling>;

// A limiter that never takes anything back, so that what is missing at the end was lost.
template <class Cell>
class shared_for_good : public shared<Cell> {
public:
    using shared<Cell>::shared;
    static constexpr bool refunds = false;
    void reserve() = delete;
};

// What may be missing beside what was under way, in percent of what was there. A refund that was
// killed on its way makes later ones give back less, of which nobody hears, and what is given back
// to the time before a leap is of no use: of three units that an action asks for, the one it would
// give back. A log's unit that has been taken and not yet recorded may look like its end.
template <class Limiter>
constexpr word missed = weir::undoing<Limiter> ? 25 : 0;
template <weir::log_cell Log>
constexpr word missed<shared<Log>> = 1;

template <class Limiter>
class killed : public testing::Test {};
using cells = weir::every_cell<units, word>;
template <class Cell>
using by_name = in_segment<Cell, telling>;
using limiters =
    weir::joined<cells::each<shared>, weir::only<weir::refund_units, cells>::each<shared_for_good>,
                 weir::only<is_one_word, cells>::each<by_name>>;
TYPED_TEST_SUITE(killed, limiters::as<testing::Types>);

TYPED_TEST(killed, processes_hold_up_nobody_and_lose_what_they_were_about_to_take) {
    const int kills = repetitions(200);
    const int hits = (kills + 6) / 7;
    // Were somebody held up by one who was killed, this would not end.
    const outcome o = kill_each<TypeParam>(kills, hits);
    EXPECT_LE(o.taken, o.all) << "they got more than there was";
    const word ends = static_cast<word>(o.kills) + processes;
    EXPECT_GE(o.taken + most_at_once * ends + missed<TypeParam> * (o.all / 100), o.all)
        << "lost more than was under way";
    EXPECT_EQ(o.there_after, units) << "it needs repair";
    std::cout << o.kills << " kills, " << o.hits << " of them in the limiter, " << o.actions
              << " actions, " << o.races_lost << " races lost in " << o.admitted
              << " admissions, at most " << o.most_races_lost << " in one decision, "
              << o.all - o.taken << " units of " << o.all << " lost\n";
    this->RecordProperty("most_races_lost_in_one_decision", static_cast<int>(o.most_races_lost));
}

TEST(killed_process, is_found_to_hold_up_the_others_if_it_has_a_lock) {
    constexpr int until_one_waits = std::numeric_limits<int>::max();
    EXPECT_TRUE(kill_each<locked<shared<weir::gcra<>>>>(until_one_waits, 0, 2'000).waited);
}

}  // namespace
