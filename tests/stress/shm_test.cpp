// SPDX-License-Identifier: MIT
// Limits in shared memory, opened by name, while the processes that open them are stopped and
// killed at any instant, and while somebody writes any bytes over them.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_table.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "../shm_names.hpp"
#include "crowd.hpp"
#include "processes.hpp"

namespace {

using weir::word;

constexpr int processes = 4;
constexpr word burst = 60;
constexpr word most_names = 10'000;

using limiter = weir::shared_limiter<weir::gcra<>, shared_clock>;

void end(pid_t pid) {
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// --- by name

struct stage {
    weir::atomic<word> now{1'000'000'000'000};
    weir::atomic<word> name{0};  // that all open
    weir::atomic<word> taken[most_names];
    weir::atomic<word> refused{0};  // openings; there should be none
    weir::atomic<word> actions[processes];
    weir::atomic<bool> acts[processes];
};

// All open the limit of one name, which at first nobody has made, and take of it.
[[noreturn]] void live(stage& all, const own_folder& folder, int which, unsigned seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    oracle::dice random(seed);
    for (;;) {
        const word name = all.name.load_relaxed();
        const std::string path = folder / std::to_string(name).c_str();
        all.acts[which].store_relaxed(true);
        auto opened = limiter::open(path.c_str(), weir::per_hour(burst));
        all.acts[which].store_relaxed(false);
        if (opened) {
            const word some = opened->acquire_up_to(1 + random.roll(most_at_once)).units;
            // Counted afterwards: whoever is killed in between has taken more.
            all.taken[name].fetch_add_relaxed(some);
        } else {
            all.refused.fetch_add_relaxed(1);
        }
        all.actions[which].fetch_add_relaxed(1);
    }
}

TEST(shared_limiter, is_made_once_whoever_is_stopped_or_killed_meanwhile) {
    void* const raw = shared_memory_for<stage>();
    ASSERT_NE(raw, nullptr);
    auto& all = *new (raw) stage;
    shared_clock::now_ = &all.now;
    const own_folder folder;
    unsigned seed = 0;
    pid_t pids[processes];
    const auto start = [&](int which) {
        ++seed;
        pids[which] = fork();
        ASSERT_GE(pids[which], 0) << "no process could be started";
        if (pids[which] == 0) live(all, folder, which, seed);
    };
    for (int i = 0; i < processes; ++i) start(i);
    oracle::dice random(7);
    int kills = 0;
    int hits = 0;  // of one who was opening
    const int enough = repetitions(200);
    while ((kills < enough || hits < enough / 4) && all.name.load_relaxed() < most_names - 1) {
        const auto victim = static_cast<int>(random.roll(processes));
        all.name.fetch_add_relaxed(1);  // which they all find now
        usleep(static_cast<useconds_t>(random.roll(300)));
        kill(pids[victim], SIGSTOP);
        int state = 0;
        while (waitpid(pids[victim], &state, WUNTRACED) < 0 && errno == EINTR) {
        }
        ASSERT_TRUE(WIFSTOPPED(state)) << "a process has ended by itself";
        // Of two actions that end from now on, one has begun after the stop. Were somebody held up,
        // this would not end.
        for (int other = 0; other < processes; ++other) {
            if (other == victim) continue;
            const word before = all.actions[other].load_relaxed();
            (void)comes([&] { return all.actions[other].load_relaxed() - before >= 2; }, 0);
        }
        if (random.chance(20)) {
            kill(pids[victim], SIGCONT);
            continue;
        }
        hits += all.acts[victim].load_relaxed() ? 1 : 0;
        ++kills;
        end(pids[victim]);
        start(victim);
    }
    for (const pid_t pid : pids) end(pid);

    EXPECT_EQ(all.refused.load_relaxed(), 0U);
    const word names = all.name.load_relaxed();
    word sum = 0;
    long made = 0;
    for (word n = 0; n <= names; ++n) {
        auto its = limiter::join((folder / std::to_string(n).c_str()).c_str());
        if (its.error() == weir::shm_error::not_there && all.taken[n].load_relaxed() == 0) continue;
        ASSERT_TRUE(its) << describe(its.error());
        ++made;
        const word taken = all.taken[n].load_relaxed() + its->drain();
        ASSERT_LE(taken, burst) << "limit " << n << " was made twice";
        sum += taken;
    }
    const word ends = static_cast<word>(kills) + processes;
    EXPECT_GE(sum + most_at_once * ends, burst * static_cast<word>(made))
        << "lost more than was under way";
    EXPECT_EQ(folder.files(), made) << "somebody has left something behind";
    std::cout << kills << " kills, " << hits << " of them while it was opened, " << made
              << " limits\n";
    munmap(raw, sizeof(stage));
}

// --- any bytes

using weir::shared_keyed_limits;
using weir::shared_limiter_array;

constexpr weir::quota some{50, weir::milliseconds(1)};

template <class Cell>
struct one {
    using type = weir::shared_limiter<Cell, weir::default_clock>;
    static auto open(const char* name) { return type::open(name, some, {.start = 3}); }
    static auto& limit(type& all, oracle::dice&) { return all; }
};
template <class Array>
struct one_of_array {
    using type = Array;
    static auto open(const char* name) { return type::open(name, 500, some); }
    static auto limit(type& all, oracle::dice& d) {
        return all[static_cast<std::size_t>(d.roll(500))];
    }
};
template <class Table>
struct one_of_keys {
    using type = Table;
    static auto open(const char* name) {
        return type::open(name, 64, some, weir::when_full::forgive_least);
    }
    static auto limit(type& all, oracle::dice& d) { return all[d.roll(200)]; }
};

constexpr weir::array_layout with_refunds{.refunds = true};
constexpr weir::keyed_layout with_keys{.exact = true};
using tables = weir::cell_list<
    one_of_array<shared_limiter_array<>>,
    one_of_array<shared_limiter_array<weir::gcra<>, weir::default_clock, with_refunds>>,
    one_of_keys<shared_keyed_limits<>>,
    one_of_keys<shared_keyed_limits<weir::default_clock, with_keys>>>;
using subjects =
    weir::joined<weir::only<is_one_word, weir::every_cell<1, word>>::each<one>, tables>;

// Asks all that can be asked. No more than was asked for is ever given.
template <class Limit>
void ask(Limit&& limit, oracle::dice& d) {
    const word n = d.roll(100);
    switch (d.roll(10)) {
        case 0: (void)limit.try_acquire(n).remaining(); break;
        case 1: ASSERT_LE(limit.acquire_up_to(n).units, n); break;
        case 2: (void)limit.charge(n).retry_after(); break;
        case 3: (void)limit.peek(n).reset_after(); break;
        case 4: (void)limit.debt(); break;
        case 5: ASSERT_LE(limit.drain(), limit.burst()); break;
        case 6: (void)limit.restore(limit.save()); break;
        case 7: {
            auto lent = limit.take(1, n, weir::default_clock::now());
            ASSERT_LE(lent.units(), n);
            if constexpr (weir::lending<std::remove_cvref_t<Limit>>)
                (void)limit.refund(std::move(lent), 1);
            break;
        }
        case 8:
            if constexpr (requires { limit.reserve(n); }) {
                auto place = limit.reserve(n);
                (void)place.wait();
                (void)limit.refundable(place).units();
                (void)limit.refund(std::move(place));
            }
            break;
        default: limit.reset();
    }
}

template <class Subject>
class overwritten : public testing::Test {};
TYPED_TEST_SUITE(overwritten, subjects::as<testing::Types>);

TYPED_TEST(overwritten, limit_neither_crashes_nor_hangs_nor_gives_more_than_is_asked_for) {
    const own_name name;
    auto opened = TypeParam::open(name.c_str());
    ASSERT_TRUE(opened) << describe(opened.error());
    struct stat is = {};
    ASSERT_EQ(stat(name.file().c_str(), &is), 0);
    const auto words = static_cast<std::size_t>(is.st_size) / sizeof(word);
    void* const raw = shared_memory_for<weir::atomic<word>>();
    ASSERT_NE(raw, nullptr);
    auto& written = *new (raw) weir::atomic<word>(0);
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int file = ::open(name.file().c_str(), O_RDWR | O_CLOEXEC);
        auto* const all = static_cast<weir::atomic<word>*>(
            mmap(nullptr, words * sizeof(word), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        for (oracle::dice d(3);;) {
            // What is nearly right does more harm than what is not.
            constexpr std::size_t first = weir::shm_segment::head_bytes / sizeof(word);
            weir::atomic<word>& it = all[d.chance(50) ? first + d.roll(4) : d.roll(words)];
            const word seen = it.load_relaxed();
            it.store_relaxed(d.chance(50) ? d.next() : seen ^ word{1} << d.roll(64));
            written.fetch_add_relaxed(1);
        }
    }
    oracle::dice d(1);
    const auto all = static_cast<word>(repetitions(300'000));
    for (word i = 0; (i < all || written.load_relaxed() < all) && !this->HasFatalFailure(); ++i) {
        ask(TypeParam::limit(*opened, d), d);
        if constexpr (requires { opened->statistics(); }) {
            if (d.one_in(1'000)) {
                (void)opened->statistics();
                (void)opened->clear_idle();
                opened->for_each([](const weir::kept_key&) {});
            }
        }
        // It is refused, or joined with what it said of itself at that time.
        if (d.one_in(1'000)) (void)TypeParam::type::join(name.c_str()).error();
    }
    end(writer);
    munmap(raw, sizeof(weir::atomic<word>));
}

}  // namespace
