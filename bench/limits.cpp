// SPDX-License-Identifier: MIT
// What is built of limiters: leases, several limits at once, reservations with their refunds.

#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <weir/adapter/shm.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/rows.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

using limiter = weir::limiter<weir::gcra<>, core_clock>;

// More a second than anybody can spend, and enough to begin with.
[[nodiscard]] weir::quota plentiful() { return {1'000'000'000, weir::seconds(1), 4'000'000'000}; }

template <weir::word Units>
class lease_task {
public:
    void prepare() { limit_.reset(); }
    auto worker(unsigned) {
        return doing([mine = weir::lease(limit_, Units)]() mutable { return mine.try_acquire(); });
    }

private:
    limiter limit_{plentiful()};
};

template <weir::word Units>
void lease_rows() {
    const std::string name = "lease_" + std::to_string(Units);
    const std::string title = "lease of " + std::to_string(Units) + ": spend";
    using task = lease_task<Units>;
    one_thread({.name = name + "/spend",
                .title = title,
                .floor = "floor/clock_load_cas",
                .headline = true},
               std::make_shared<task>());
    two_threads({.name = name + "/spend/two_threads",
                 .title = title,
                 .reference = "one thread",
                 .headline = true},
                std::make_shared<task>(), std::make_shared<task>(), 1);
}

class refused_lease_task {
public:
    void prepare() { (void)limit_.drain(); }
    auto worker(unsigned) {
        return doing([mine = weir::lease(limit_, 64)]() mutable { return !mine.try_acquire(); });
    }

private:
    limiter limit_{quota_for<limiter>(demand::deny)};
};

// Two limits, of which the second one decides.
class pair {
public:
    explicit pair(demand d) : first_(plentiful()), last_(quota_for<limiter>(d)) {}
    void fill(demand d) {
        first_.reset();
        last_.reset();
        if (d == demand::deny) (void)last_.drain();
    }
    [[nodiscard]] auto all() { return weir::all_of(first_, last_); }
    bool one_by_one() { return first_.try_acquire() && last_.try_acquire(); }

private:
    limiter first_;
    limiter last_;
};

template <demand Demand, bool Joint>
class pair_task {
public:
    void prepare() { limits_.fill(Demand); }
    auto worker(unsigned) {
        return doing([this, all = limits_.all()]() mutable {
            const bool admitted = Joint ? all.try_acquire().admitted() : limits_.one_by_one();
            return admitted == (Demand == demand::admit);
        });
    }

private:
    pair limits_{Demand};
};

template <demand Demand>
void pair_rows(const std::string& name, const std::string& words) {
    one_thread({.name = "one_by_one/" + name,
                .title = "two limits, one after the other: " + words,
                .floor = "floor/clock_load_cas"},
               std::make_shared<pair_task<Demand, false>>());
    one_thread({.name = "all_of/" + name,
                .title = "all_of two limits: " + words,
                .floor = "floor/clock_load_cas",
                .headline = Demand == demand::admit},
               std::make_shared<pair_task<Demand, true>>());
}

// A call that begins and ends at once: two exchanges, and no clock.
class call_task {
public:
    void prepare() {}
    auto worker(unsigned) {
        return doing([this] {
            auto call = calls_.try_begin();
            return static_cast<bool>(call);
        });
    }

private:
    weir::in_flight calls_{5};
};
// The same with a quota beside it, in an all_of.
class paced_call_task {
public:
    void prepare() { rate_.reset(); }
    auto worker(unsigned) {
        return doing([all = weir::all_of(rate_, calls_)]() mutable {
            auto call = all.try_acquire();
            return static_cast<bool>(call);
        });
    }

private:
    limiter rate_{plentiful()};
    weir::in_flight calls_{5};
};

void call_rows() {
    one_thread({.name = "in_flight/begin_and_end",
                .title = "in_flight: begin and end",
                .floor = "floor/load_cas"},
               std::make_shared<call_task>());
    two_threads({.name = "in_flight/begin_and_end/two_threads",
                 .title = "in_flight: begin and end",
                 .reference = "one thread"},
                std::make_shared<call_task>(), std::make_shared<call_task>(), 1);
    one_thread({.name = "all_of_calls/begin_and_end",
                .title = "all_of a limit and an in_flight: begin and end",
                .floor = "floor/clock_load_cas"},
               std::make_shared<paced_call_task>());
}

class reserve_task {
public:
    // A span that lies ahead: one that began now might have drained meanwhile.
    void prepare() {
        limit_.reset();
        (void)limit_.try_acquire(static_cast<weir::word>(plenty / 2));
    }
    auto worker(unsigned) {
        return doing([this] { return limit_.refund(limit_.reserve(1)); });
    }

private:
    limiter limit_{quota_for<limiter>(demand::admit)};
};

// Time that a loop refreshes; here nobody does, so each decision is at the same time.
struct turns {};
using on_cached_time = weir::limiter<weir::gcra<>, weir::cached_clock<turns, core_clock>>;

template <demand Demand>
void cached_row(const std::string& name) {
    one_thread({.name = "cached_clock/" + name,
                .title = "limiter, cached_clock: " + name,
                .floor = "floor/load_cas",
                .headline = true},
               std::make_shared<demand_task<limiter_subject<on_cached_time>, Demand>>());
}

// Limiters that count. The clock read hides much of what a count costs, so there is one on cached
// time, too; and denials of two threads write nothing but the counts.
template <class Observer>
void counting_rows(const std::string& name) {
    using on_clock = limiter_subject<weir::limiter<weir::gcra<>, weir::default_clock, Observer>>;
    using on_cached = limiter_subject<
        weir::limiter<weir::gcra<>, weir::cached_clock<turns, core_clock>, Observer>>;
    const std::string title = "limiter that counts by " + name;
    one_thread(
        {.name = name + "/admit", .title = title + ": admit", .floor = "floor/clock_load_cas"},
        std::make_shared<demand_task<on_clock, demand::admit>>());
    one_thread({.name = name + "/deny", .title = title + ": deny", .floor = "floor/clock_load"},
               std::make_shared<demand_task<on_clock, demand::deny>>());
    one_thread({.name = name + "/cached_clock/admit",
                .title = title + ", cached_clock: admit",
                .floor = "floor/load_cas"},
               std::make_shared<demand_task<on_cached, demand::admit>>());
    using denials = demand_task<on_clock, demand::deny>;
    two_threads(
        {.name = name + "/deny/two_threads", .title = title + ": deny", .reference = "one thread"},
        std::make_shared<denials>(), std::make_shared<denials>(), 1);
}

// In memory that processes share, here by one of them. Compared with a limiter of its own.
class in_shared_memory : public weir::shared_limiter<> {
public:
    explicit in_shared_memory(const weir::quota& q) : shared_limiter(made(q)) {}

private:
    [[nodiscard]] static shared_limiter made(const weir::quota& q) {
        const std::string name = "/weir-bench-" + std::to_string(getpid());
        auto opened = open(name.c_str(), q);
        (void)weir::remove_shared(name.c_str());  // each row makes another one
        return std::move(opened).value();
    }
};

template <demand Demand>
void shared_row(const std::string& name) {
    one_thread({.name = "shared_memory/" + name,
                .title = "limiter in shared memory: " + name,
                .floor = "limiter/" + name,
                .headline = true},
               std::make_shared<demand_task<limiter_subject<in_shared_memory>, Demand>>());
}

}  // namespace

void add_limit_rows() {
    shared_row<demand::admit>("admit");
    shared_row<demand::deny>("deny");
    cached_row<demand::admit>("admit");
    cached_row<demand::deny>("deny");
    counting_rows<weir::stats>("stats");
    counting_rows<weir::counters>("counters");
    lease_rows<64>();
    lease_rows<1024>();
    one_thread({.name = "lease_64/refused",
                .title = "lease of 64: refused",
                .floor = "floor/clock_load_cas",
                .headline = true},
               std::make_shared<refused_lease_task>());
    pair_rows<demand::admit>("admit", "admit");
    pair_rows<demand::deny>("deny", "deny");
    call_rows();
    one_thread({.name = "reserve_and_refund",
                .title = "limiter: reserve and refund",
                .floor = "floor/clock_load_cas"},
               std::make_shared<reserve_task>());
}

}  // namespace bench
