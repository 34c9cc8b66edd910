// Processes that share a limiter in memory: what each does again and again, and what it counts.
#pragma once

#include <new>
#include <random>
#include <sched.h>
#include <sys/mman.h>
#include <utility>

#include <weir/weir.hpp>

constexpr weir::word most_at_once = 4;  // units

// Each process writes its own and everybody reads.
struct alignas(weir::cache_line) account {
    weir::atomic<weir::word> taken{0};    // units, counted after they were admitted
    weir::atomic<weir::word> actions{0};  // that have ended
};

// Memory for a T that children share; null if there is none.
template <class T>
[[nodiscard]] void* shared_memory_for() {
    void* const raw =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return raw == MAP_FAILED ? nullptr : raw;
}

// Takes some units in each way that the limiter has, at a given time or at its clock's. Whoever is
// stopped in between has taken more than was counted, and never less.
template <class Limiter, class... Now>
void act_once(Limiter& limit, account& mine, std::minstd_rand& random, Now... now) {
    const weir::word n = 1 + random() % most_at_once;
    if (limit.try_acquire(n, now...)) mine.taken.fetch_add_relaxed(n);
    mine.taken.fetch_add_relaxed(limit.acquire_up_to(n, now...).units);
    if constexpr (requires { limit.reserve(n, weir::nanoseconds{}, now...); }) {
        auto place = limit.reserve(n, weir::nanoseconds{}, now...);
        if (place && !limit.refund(std::move(place), weir::largest<weir::word>, now...)) {
            mine.taken.fetch_add_relaxed(n);
        }
    }
    // More processes than cores.
    if (mine.actions.fetch_add_relaxed(1) % 128 == 0) sched_yield();
}
