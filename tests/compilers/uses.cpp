// SPDX-License-Identifier: MIT
// Uses each part of weir once, for compilers and targets that run none of the other tests. Names
// what did not do what it should.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <weir/adapter/openmetrics.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/table/array.hpp>
#include <weir/table/heaviest.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>
#ifdef __linux__
#include <unistd.h>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_table.hpp>
#endif
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define HAS_KEYED_TABLES
#include <weir/table/keyed.hpp>
#endif
#if __has_include(<boost/lockfree/spsc_queue.hpp>)
#define HAS_PACER
#if defined(__linux__) || defined(_WIN32)
#define HAS_PACER_THREAD
#include <weir/adapter/pacer_thread.hpp>
#endif
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/schedule.hpp>
#include <weir/pacer/statistics.hpp>
#endif

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
    if (!holds) std::printf("not so: %s\n", what);
    failures += holds ? 0 : 1;
}

constexpr weir::quota hundred{100, weir::seconds(1)};
constinit weir::limiter<> shared{hundred};
constinit weir::limiter<> other{hundred};

// Has padding at its end, which the limiter's next member could use.
struct watched {
    weir::word decisions = 0;
    std::uint8_t last = 0;

    void on_admitted(weir::word) noexcept { ++decisions, last = 1; }
    void on_denied() noexcept { ++decisions, last = 2; }
    void on_never() noexcept { ++decisions, last = 3; }
    void on_retry() noexcept {}
};

// Local ones, which the compiler evaluates where there are no exceptions.
template <class Cell, class Clock = weir::default_clock>
void asks() {
    weir::limiter<Cell, Clock> plain{hundred};
    weir::limiter<Cell, Clock, weir::counters> counted{hundred};
    weir::limiter<Cell, Clock, watched> seen{hundred};
    expect(plain.quota() == hundred, "a limiter has its quota");
    expect(counted.quota() == hundred, "a limiter that counts has its quota");
    expect(seen.quota() == hundred, "a limiter with an observer has its quota");
    expect(plain.try_acquire(10).admitted(), "a limiter admits");
    expect(!plain.try_acquire(1'000), "a limiter denies");
    expect(plain.restore(plain.save()), "a state is restored");
    expect(counted.acquire_up_to(10).units == 10, "a limiter grants");
    expect(counted.observer().admitted() == 1, "a grant is counted");
    expect(seen.try_acquire().admitted(), "a limiter with an observer admits");
    expect(seen.observer().decisions == 1, "the observer hears it");
    weir::lease mine{seen, 10};
    expect(mine.try_acquire(), "a lease admits");
}

void several() {
    weir::adjustable changing{weir::quota(hundred)};
    expect(changing.try_acquire().admitted(), "an adjustable admits");
    expect(changing.set_quota(weir::per_second(60)) == weir::quota_error::none, "a quota changes");
    weir::all_of both{shared, other};
    expect(both.try_acquire().admitted(), "all_of admits");
    weir::in_flight calls{1};
    weir::all_of paced{shared, calls};
    if (auto call = paced.try_acquire()) {
        const auto second = weir::begin_for(calls, weir::nanoseconds{});
        expect(!second, "a cap of one is one");
    }
    auto place = shared.reserve(1);
    expect(static_cast<bool>(place), "a place is reserved");
    shared.refund(std::move(place));
    expect(static_cast<bool>(weir::acquire_for(shared, 1, weir::seconds(1))), "who waits gets it");
}

#ifdef __linux__
// A name that no other process has.
class own_name {
public:
    explicit own_name(const char* what) {
        std::snprintf(text_, sizeof text_, "/weir-uses-%s-%d", what, static_cast<int>(getpid()));
    }
    [[nodiscard]] const char* c_str() const { return text_; }

private:
    char text_[64];
};

void shares() {
    const own_name of_limit("limit");
    const own_name of_array("array");
    const own_name of_keys("keys");
    auto limit = weir::shared_limiter<>::open(of_limit.c_str(), hundred);
    expect(limit && limit->try_acquire(), "a limit in shared memory admits");
    expect(weir::shared_limiter<>::join(of_limit.c_str())->quota() == hundred, "it is joined");
    auto array = weir::shared_limiter_array<>::open(of_array.c_str(), 10, hundred);
    expect(array && (*array)[9].try_acquire(), "an array in shared memory admits");
    auto keys =
        weir::shared_keyed_limits<>::open(of_keys.c_str(), 64, hundred, weir::when_full::deny);
    expect(keys && (*keys)["who"].try_acquire(), "a keyed table in shared memory admits");
    for (const own_name* one : {&of_limit, &of_array, &of_keys})
        expect(weir::remove_shared(one->c_str()) == weir::shm_error::none, "it is removed");
}
#endif

constinit weir::limiter_array<8> slots{hundred};

void tables() {
    expect(slots[3].try_acquire().admitted(), "an entry admits");
    expect(slots[3].peek(0).remaining() == 99, "an entry has its own units");
    weir::limiter<> large{weir::per_second(1'000).with_burst(10'000)};
    weir::striped stripes{large};
    expect(stripes.try_acquire().admitted(), "stripes admit");
    weir::skipping front{large};
    expect(front.try_acquire().admitted(), "skipping admits");
    weir::heaviest<std::uint32_t, 1> hammering{weir::seed(1)};
    hammering.note(7);
    expect(hammering.top<1>().begin()->key == 7, "a refusal is counted");
}

#ifdef HAS_KEYED_TABLES
template <bool Exact>
void keys() {
    weir::keyed_limits<64, weir::default_clock, weir::keyed_layout{.exact = Exact}> all{
        hundred, weir::when_full::deny, weir::seed(1)};
    expect(all[1].try_acquire(100).admitted(), "a key is entered");
    expect(!all[1].try_acquire(100), "a key is found");
    expect(all["two"].try_acquire(100).admitted(), "another key has its own units");
    std::size_t kept = 0;
    all.for_each([&](const weir::kept_key&) { ++kept; });
    expect(kept == 2, "a table tells of its keys");
}
void classes_of_keys() {
    weir::keyed_limits<64, weir::default_clock, weir::keyed_layout{.classes = 2}> all(
        {weir::per_hour(100), weir::per_hour(100)}, weir::when_full::deny, weir::seed(1));
    expect(all.limit(1, 0).try_acquire(100).admitted(), "a key of a class is entered");
    const auto more = weir::per_hour(1).with_burst(200);
    expect(all.set_quota(0, more) == weir::quota_error::none, "a quota changes");
    expect(!all.limit(1, 1).try_acquire(50), "a key keeps its units in another class");
    expect(all.limit(2, 0).try_acquire(200).admitted(), "a new key has those of the new quota");
}
#endif

void counts() {
    weir::limiter<weir::gcra<>, weir::default_clock, weir::stats> counted{hundred};
    expect(counted.try_acquire(3).admitted(), "a limiter that counts by threads admits");
    expect(!counted.try_acquire(1'000), "a limiter that counts by threads denies");
    const weir::decision_counts all = counted.observer().snapshot();
    expect(all.admitted == 1 && all.units == 3 && all.never == 1, "decisions are counted");
    const weir::limit_metrics limits[] = {{"a", counted}};
    char page[2'000];
    const auto text = weir::write_openmetrics({.limits = limits}, page);
    expect(text && text->find("weir_limit_units_total{name=\"a\"} 3\n") != text->npos,
           "metrics are written");
}

#ifdef HAS_PACER
// An item may be aligned by more than a cache line.
struct alignas(2 * weir::cache_line) item {
    int number;
};
struct wire {
    int* sum;
    void emit(item&& it) const noexcept { *sum += it.number; }
    static void drop(item&&, weir::dropped) noexcept {}
};

template <class Lanes, class Limit>
void paces(Limit&& limit) {
    int sum = 0;
    weir::pacer<item, wire, Limit, Lanes, weir::statistics> line(std::forward<Limit>(limit),
                                                                 wire{&sum});
#ifdef HAS_PACER_THREAD
    weir::pacer_thread runner{line};
#endif
    auto lane = line.open();
    expect(static_cast<bool>(lane.try_push(item{2})), "an item is pushed");
#ifdef HAS_PACER_THREAD
    expect(runner.start().runs(), "a pacer's thread runs");
    runner.run([](auto& p) { p.close(); });
    runner.join();
#else
    expect(line.poll().what != weir::polled::done, "a pacer is polled");
#endif
    expect(sum == 2, "an item is emitted");
}
#endif

}  // namespace

int main() {
    weir::every_cell<100, weir::word>::for_each([]<class Cell>() { asks<Cell>(); });
    asks<weir::aligned_window<>, weir::utc_clock>();
    several();
#ifdef __linux__
    shares();
#endif
    tables();
#ifdef HAS_KEYED_TABLES
    keys<false>();
    keys<true>();
    classes_of_keys();
#endif
    counts();
#ifdef HAS_PACER
    paces<weir::lanes<8>>(weir::schedule<>(*weir::schedule<>::make(hundred)));
    paces<weir::lanes<1, 16>>(shared);
#endif
    return failures == 0 ? 0 : 1;
}
