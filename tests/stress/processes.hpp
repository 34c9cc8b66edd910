// SPDX-License-Identifier: MIT
// Processes that share a limiter in memory: what each does again and again, and what it counts.
#pragma once

#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <weir/adapter/shm.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "../shm_names.hpp"

constexpr weir::word most_at_once = 4;  // units

// Each process writes its own and everybody reads.
struct alignas(weir::cache_line) account {
    weir::atomic<weir::word> taken{0};    // units, counted after they were admitted
    weir::atomic<weir::word> actions{0};  // that have ended
    weir::atomic<bool> acts{false};       // it is in one, and in the limiter
    // Decisions, and the races they lost: told by `telling`.
    weir::atomic<weir::word> admitted{0};
    weir::atomic<weir::word> races_lost{0};
    weir::atomic<weir::word> most_races_lost{0};  // in one decision
};

// A limiter's observer, of which each process has its own part.
class telling {
public:
    static void tells(account& mine) { mine_ = &mine; }

    static void on_retry() noexcept { ++lost_; }
    static void on_admitted(weir::word /*units*/) noexcept {
        mine_->admitted.fetch_add_relaxed(1);
        on_denied();
    }
    static void on_denied() noexcept {
        const weir::word lost = std::exchange(lost_, 0);
        if (lost == 0) return;
        mine_->races_lost.fetch_add_relaxed(lost);
        if (lost > mine_->most_races_lost.load_relaxed())
            mine_->most_races_lost.store_relaxed(lost);
    }
    static void on_never() noexcept {}

private:
    static inline account* mine_ = nullptr;
    static inline weir::word lost_ = 0;  // in the decision that is under way
};

// The cells that can lie in a segment.
struct is_one_word {
    template <class Cell>
    static constexpr bool has = sizeof(Cell) == sizeof(typename Cell::word_type);
};

// Time that all processes share.
class shared_clock : public weir::manual_clock<struct shared_by_processes> {
public:
    static constexpr bool is_of_machine = true;

    [[nodiscard]] static weir::instant<shared_clock> now() noexcept {
        return weir::instant<shared_clock>(now_->load_relaxed());
    }

    static inline weir::atomic<weir::word>* now_ = nullptr;
};

// Memory for a T that children share; null if there is none.
template <class T>
[[nodiscard]] void* shared_memory_for() {
    void* const raw =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return raw == MAP_FAILED ? nullptr : raw;
}

// Takes some units in each way that the limiter has. Whoever is stopped in between has taken more
// than was counted, and never less; by no more than it takes at once. False if there were none.
template <class Limiter>
bool act_once(Limiter& limit, account& mine, oracle::dice& random) {
    const weir::word n = 1 + random.roll(most_at_once);
    mine.acts.store_relaxed(true);
    if (limit.try_acquire(n)) mine.taken.fetch_add_relaxed(n);
    if constexpr (requires { limit.reserve(n, weir::nanoseconds{}); }) {
        auto place = limit.reserve(n, weir::nanoseconds{});
        if (place && !limit.refund(std::move(place))) mine.taken.fetch_add_relaxed(n);
    }
    const weir::word some = limit.acquire_up_to(n).units;
    mine.taken.fetch_add_relaxed(some);
    mine.acts.store_relaxed(false);
    // More processes than cores.
    if (mine.actions.fetch_add_relaxed(1) % 128 == 0) sched_yield();
    return some != 0;
}

// Waits until it is so; for ever, unless there is an end to `patience` (so many steps of 50 us).
// Only who wants to see somebody being held up has one: a busy machine can look like that.
template <class Condition>
bool comes(Condition condition, long patience) {
    for (long i = 0; !condition(); ++i) {
        if (patience != 0 && i > patience) return false;
        usleep(50);
    }
    return true;
}

// A limiter in a segment of its own (adapter/shm.hpp), as children inherit it.
template <class Cell, class Observer = weir::unobserved>
class in_segment : public weir::shared_limiter<Cell, shared_clock, Observer> {
    using base = weir::shared_limiter<Cell, shared_clock, Observer>;

public:
    explicit in_segment(const weir::quota& q)
        : base(base::open(own_name().c_str(), q, {}).value()) {}
};

// What processes that are stopped or killed do hold up.
template <class Limiter>
class locked {
public:
    explicit locked(const weir::quota& q) : limit_(q) {}

    bool try_acquire(weir::word n) {
        lock();
        const bool admitted = limit_.try_acquire(n).admitted();
        // On a busy core it would hardly ever be stopped but in the yields of those who wait.
        if (++asked_ % 64 == 0) sched_yield();
        unlock();
        return admitted;
    }
    auto acquire_up_to(weir::word n) {
        lock();
        const auto grant = limit_.acquire_up_to(n);
        unlock();
        return grant;
    }
    auto peek(weir::word n) const { return limit_.peek(n); }

private:
    void lock() {
        for (bool free = false; !locked_.try_exchange_acq_rel(free, true); free = false) {
            sched_yield();
        }
    }
    void unlock() { locked_.store_release(false); }

    weir::atomic<bool> locked_{false};
    unsigned asked_ = 0;
    Limiter limit_;
};
