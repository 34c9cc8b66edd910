// SPDX-License-Identifier: MIT
// A crowd of threads that do one thing at the same moment, again and again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

// How many repetitions a long test makes: all of them, or the percentage in WEIR_TEST_EFFORT.
inline int repetitions(int all) {
    const char* effort = std::getenv("WEIR_TEST_EFFORT");
    const int percent = effort == nullptr ? 100 : std::atoi(effort);
    const long long some = static_cast<long long>(all) * percent / 100;
    return some < 1 ? 1 : static_cast<int>(some);
}

// Where threads wait for each other. It spins, since threads that were asleep do not start at the
// same moment, and yields, since there may be more of them than cores.
class meeting {
public:
    explicit meeting(int members) : members_(members) {}

    void arrive_and_wait() {
        const int round = round_.load();
        if (arrived_.fetch_add(1) + 1 == members_) {
            arrived_ = 0;
            ++round_;
            return;
        }
        for (int tries = 0; round_.load() == round; ++tries) {
            if (tries > 1'000) std::this_thread::yield();
        }
    }

private:
    int members_;
    std::atomic<int> arrived_{0};
    std::atomic<int> round_{0};
};

// Calls work(round, thread) in every thread for each round, then check(round) in one of them.
template <class Work, class Check>
void crowd(int threads, int rounds, Work work, Check check) {
    meeting start(threads);
    meeting end(threads);
    std::vector<std::jthread> members;
    members.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) {
        members.emplace_back([&, thread] {
            for (int round = 0; round < rounds; ++round) {
                start.arrive_and_wait();
                work(round, thread);
                end.arrive_and_wait();
                if (thread == 0) check(round);
            }
        });
    }
}
