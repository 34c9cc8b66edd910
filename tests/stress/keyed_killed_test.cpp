// SPDX-License-Identifier: MIT
// A keyed table in memory that processes share, while they are killed at any instant: nobody waits
// for one who was killed, however far it has come with entering a key; no key gets more than its
// burst; and what it has left is gone when its time is over. Where there are classes, the processes
// change their rates too.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include <weir/adapter/shm_table.hpp>
#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

#include "../keyed_layouts.hpp"
#include "../oracle/dice.hpp"
#include "../shm_names.hpp"
#include "crowd.hpp"
#include "processes.hpp"

namespace {

using weir::word;

constexpr int processes = 6;
constexpr word burst = 5;
constexpr std::size_t keys = 1'000;  // of which each is new once in a round
constexpr word begin = 1'000'000'000'000;

// As a part of memory that is shared, or in a segment of its own (adapter/shm_table.hpp). The seed
// of that is another one each time, so it has places enough for all keys whatever it is.
template <class Subject>
struct in_place {
    static constexpr weir::keyed_layout layout = Subject::layout;
    using table = weir::keyed_limits<4096, shared_clock, Subject::layout>;
};
template <class Subject>
struct by_name {
    static constexpr weir::keyed_layout layout = Subject::layout;
    struct table : weir::shared_keyed_limits<shared_clock, Subject::layout> {
        using base = weir::shared_keyed_limits<shared_clock, Subject::layout>;
        table(const weir::quota& q, weir::when_full policy, weir::seed)
            : base(base::open(own_name().c_str(), 16'384, q, policy).value()) {}
    };
};

template <class Subject>
struct shared_table {
    using table = typename Subject::table;

    weir::atomic<word> now{begin};
    weir::atomic<word> key{0};  // that all ask for
    weir::atomic<word> taken[keys];
    weir::atomic<word> actions[processes];
    weir::atomic<bool> acts[processes];
    table all = made(std::make_index_sequence<(classes == 0 ? 1 : classes)>{});

    [[nodiscard]] auto limit(word which, word its_class) {
        if constexpr (classes == 0) {
            (void)its_class;
            return all[which];
        } else {
            return all.limit(which, its_class % classes);
        }
    }
    // Now and then; with the same burst.
    void change(oracle::dice& random) {
        if constexpr (classes != 0) {
            if (!random.one_in(2)) return;
            const auto q = at_rate(5 + static_cast<std::int64_t>(random.roll(10)));
            (void)all.set_quota(random.index(classes), q);
        }
    }

private:
    static constexpr std::size_t classes = Subject::layout.classes;
    [[nodiscard]] static weir::quota at_rate(std::int64_t rate) {
        return weir::per_second(rate).with_burst(burst);
    }
    template <std::size_t... I>
    [[nodiscard]] static table made(std::index_sequence<I...> /*of classes*/) {
        return table({(static_cast<void>(I), at_rate(10))...}, weir::when_full::deny,
                     weir::seed(1));
    }
};

// All ask for one key until it is refused, and then for the next one. So they enter each key
// together.
template <class Subject>
[[noreturn]] void live(shared_table<Subject>& memory, int which, unsigned seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    oracle::dice random(seed);
    for (;;) {
        word key = memory.key.load_relaxed();
        if (key < keys) {
            memory.acts[which].store_relaxed(true);
            memory.change(random);
            const word n = 1 + random.roll(burst);
            const word some = memory.limit(key, n).acquire_up_to(n).units;
            memory.acts[which].store_relaxed(false);
            // Counted afterwards: whoever is killed in between has taken more.
            memory.taken[key].fetch_add_relaxed(some);
            if (some == 0) (void)memory.key.try_exchange_relaxed(key, key + 1);
        }
        memory.actions[which].fetch_add_relaxed(1);
        if (random.one_in(1'024)) sched_yield();
    }
}

void end(pid_t pid) {
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

template <class Subject>
class keyed_killed : public testing::Test {
protected:
    using memory_type = shared_table<Subject>;

    void SetUp() override {
        raw_ = shared_memory_for<memory_type>();
        ASSERT_NE(raw_, nullptr);
    }
    void TearDown() override { munmap(raw_, sizeof(memory_type)); }

    // Until all keys have come.
    void round(unsigned& seed) {
        // A table with classes begins at a time, and the time lies before the table.
        shared_clock::now_ = &static_cast<memory_type*>(raw_)->now;
        auto& memory = *new (raw_) memory_type;
        pid_t pids[processes];
        const auto start = [&](int which) {
            pids[which] = fork();
            ASSERT_GE(pids[which], 0) << "no process could be started";
            if (pids[which] == 0) live(memory, which, ++seed);
            ++seed;
        };
        for (int i = 0; i < processes; ++i) start(i);
        oracle::dice random(seed);
        while (memory.key.load_relaxed() < keys && !this->HasFailure()) {
            usleep(static_cast<useconds_t>(random.roll(300)));
            const auto victim = static_cast<int>(random.roll(processes));
            end(pids[victim]);
            hits_ += memory.acts[victim].load_relaxed() ? 1 : 0;
            ++kills_;
            // Of two actions that end from now on, one has begun after the kill. Were somebody held
            // up, this would not end.
            const int other = (victim + 1) % processes;
            const word before = memory.actions[other].load_relaxed();
            (void)comes([&] { return memory.actions[other].load_relaxed() - before >= 2; }, 0);
            start(victim);
        }
        for (const pid_t pid : pids) end(pid);
        for (std::size_t k = 0; k < keys; ++k)
            ASSERT_LE(memory.taken[k].load_relaxed(), burst) << "key " << k;
        // What those who were killed have left is gone, and each key is whole again.
        memory.now.fetch_add_relaxed(weir::seconds(10).count());
        EXPECT_EQ(memory.all.statistics().occupied, 0U);
        for (std::size_t k = 0; k < keys; ++k) ASSERT_EQ(memory.limit(k, k).drain(), burst) << k;
        memory.~memory_type();
    }

    int kills_ = 0;
    int hits_ = 0;  // of one who was in the table

private:
    void* raw_ = nullptr;
};
using layouts = testing::Types<in_place<compact_table>, in_place<exact_table>,
                               in_place<with_two_classes<compact_table>>, by_name<exact_table>>;
TYPED_TEST_SUITE(keyed_killed, layouts);

TYPED_TEST(keyed_killed, processes_hold_up_nobody_and_bring_no_key_more) {
    unsigned seed = 1;
    while ((this->kills_ < repetitions(200) || this->hits_ < repetitions(10)) &&
           !this->HasFailure())
        this->round(seed);
    std::cout << this->kills_ << " kills, " << this->hits_ << " of them in the table\n";
}

}  // namespace
