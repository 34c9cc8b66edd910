// SPDX-License-Identifier: MIT
#include "command/demo/costs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <thread>

#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "bench/subjects.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using real_time = std::chrono::steady_clock;

// The compiler must compute it, and may not know what becomes of it.
template <class Value>
void use(Value value) {
    asm volatile("" : : "r"(value) : "memory");
}

// One repetition: short enough for most to fall between two timer interrupts, long enough to make
// the reading of the time vanish. In nanoseconds for one call.
template <class Call>
double repetition(Call call) {
    constexpr int calls = 1000;
    const auto start = real_time::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::nano> elapsed = real_time::now() - start;
    return elapsed.count() / calls;
}

// What no decision can do without.
void floor_step(atomic<word>& cell) {
    use(default_clock::now().count);
    word seen = cell.load_relaxed();
    while (!cell.try_exchange_relaxed(seen, seen + 1)) {
    }
}

struct subject {
    const char* name;
    const char* what;
    std::function<double()> repeat;
    double best = std::numeric_limits<double>::infinity();
};

void repeat_for(subject& s, real_time::duration slice) {
    const auto end = real_time::now() + slice;
    do {
        s.best = std::min(s.best, s.repeat());
    } while (real_time::now() < end);
}

}  // namespace

std::vector<cost> measure_costs(std::chrono::milliseconds duration) {
    alignas(cache_line) atomic<word> cell;
    // More units than can be asked for in the time, so that each call finds a busy cell that
    // admits.
    limiter<> admits(per_second(1'000).with_burst(4'000'000'000));
    limiter<> denies(per_hour(1));
    denies.drain();
    adjustable<> changes(per_second(1'000).with_burst(4'000'000'000));
    limiter<> leased(per_second(1'000).with_burst(4'000'000'000));
    lease mine(leased, 64);
    limiter<> other(per_second(1'000).with_burst(4'000'000'000));
    all_of both(leased, other);
    const auto given = default_clock::now();
    alignas(cache_line) bench::mutex_bucket_by<default_clock> bucket_admits(
        per_second(1'000).with_burst(4'000'000'000));

    std::vector<subject> subjects = {
        {"clock", "clock read", [] { return repetition([] { use(default_clock::now().count); }); }},
        {"floor", "floor: clock, load, CAS", [&] { return repetition([&] { floor_step(cell); }); }},
        {"admit", "try_acquire, admitted",
         [&] { return repetition([&] { use(admits.try_acquire().admitted()); }); }},
        {"admit_given_time", "admitted, given a time",
         [&] { return repetition([&] { use(admits.try_acquire(1, given).admitted()); }); }},
        {"deny", "try_acquire, denied",
         [&] { return repetition([&] { use(denies.try_acquire().admitted()); }); }},
        {"adjustable", "adjustable, admitted",
         [&] { return repetition([&] { use(changes.try_acquire().admitted()); }); }},
        {"all_of", "all_of two, admitted",
         [&] { return repetition([&] { use(both.try_acquire().admitted()); }); }},
        {"lease", "lease of 64, spent",
         [&] { return repetition([&] { use(mine.try_acquire()); }); }},
        {"mutex_bucket", "mutex bucket, admitted",
         [&] { return repetition([&] { use(bucket_admits.take(1)); }); }},
    };

    // glibc locks a mutex without an atomic instruction as long as the process has had one thread
    // only; where a limiter is needed it has had more.
    std::thread([] {}).join();

    // In turns, since the frequency of the core may change.
    constexpr int rounds = 10;
    const real_time::duration slice =
        real_time::duration(duration) / (rounds * static_cast<int>(subjects.size()));
    for (int i = 0; i < rounds; ++i) {
        for (subject& s : subjects) repeat_for(s, slice);
    }

    const double floor = subjects[1].best;
    std::vector<cost> costs;
    costs.reserve(subjects.size());
    for (const subject& s : subjects) costs.push_back({s.name, s.what, s.best, s.best / floor});
    return costs;
}

void add_pairs(std::vector<cost>& to, const std::vector<rival>& all) {
    if (all.empty() || all.front().slices == 0) return;
    for (const rival& r : all) {
        if (r.slices == 0) continue;
        to.push_back({r.name, r.what + ", two threads", r.nanoseconds,
                      r.nanoseconds / all.front().nanoseconds});
    }
}

table costs_table(const std::vector<cost>& costs) {
    table t({"what", "ns", "x floor"});
    for (const cost& c : costs) t.add({c.what, fixed(c.nanoseconds, 1), fixed(c.floors, 2)});
    return t;
}

void put(json& j, const cost& c) {
    j.begin_object()
        .member("name", std::string_view(c.name))
        .member("ns", c.nanoseconds)
        .member("floors", c.floors)
        .end_object();
}

}  // namespace weir::command
