// SPDX-License-Identifier: MIT
#include "command/demo/costs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "command/text.hpp"

namespace weir::command {
namespace {

using real_time = std::chrono::steady_clock;

// The compiler must compute it, and may not know what becomes of it.
template <class Value>
void use(Value value) {
    asm volatile("" : : "r"(value) : "memory");
}

// What people write who have no library: it is measured to be compared with. It reads the limiter's
// clock, so that only what it does with the time is compared.
class mutex_bucket {
public:
    mutex_bucket(double rate, double burst)
        : per_tick_(rate / static_cast<double>(default_clock::hertz())),
          burst_(burst),
          tokens_(burst) {}

    bool try_acquire() {
        const auto now = default_clock::now();
        const std::lock_guard lock(mutex_);
        if (earlier(last_, now)) {
            tokens_ = std::min(burst_,
                               tokens_ + static_cast<double>(now.count - last_.count) * per_tick_);
            last_ = now;
        }
        if (tokens_ < 1) return false;
        tokens_ -= 1;
        return true;
    }

private:
    double per_tick_;
    double burst_;
    double tokens_;
    instant<default_clock> last_ = default_clock::now();
    std::mutex mutex_;
};

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

// What this thread has used of a core.
std::chrono::nanoseconds used() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

// Two threads that call at once for that long. In nanoseconds for one call of one of them; nothing
// if other programs kept one of the two from running, for then they did not meet.
template <class Call>
std::optional<double> together(real_time::duration slice, Call call) {
    constexpr unsigned threads = 2;
    constexpr int calls = 100;  // between two looks at the time
    struct run {
        real_time::time_point start;
        real_time::time_point end;
        double calls = 0;
        bool kept_running = false;
    };
    std::atomic<unsigned> ready{0};
    std::array<run, threads> runs{};
    {
        std::vector<std::jthread> members;
        members.reserve(threads);
        for (run& mine : runs) {
            members.emplace_back([&] {
                ready.fetch_add(1);
                while (ready.load() != threads) std::this_thread::yield();
                run r;
                const auto used_before = used();
                r.start = r.end = real_time::now();
                for (; r.calls == 0 || r.end - r.start < slice; r.end = real_time::now()) {
                    for (int i = 0; i < calls; ++i) call();
                    r.calls += calls;
                }
                r.kept_running = 10 * (used() - used_before) > 9 * (r.end - r.start);
                mine = r;
            });
        }
    }
    const run& a = runs[0];
    const run& b = runs[1];
    const auto shared = std::min(a.end, b.end) - std::max(a.start, b.start);
    if (10 * shared < 9 * slice || !a.kept_running || !b.kept_running) return {};
    using ns = std::chrono::duration<double, std::nano>;
    return (ns(a.end - a.start).count() / a.calls + ns(b.end - b.start).count() / b.calls) / 2;
}

struct pair_of_threads {
    const char* name;
    const char* what;
    std::function<std::optional<double>(real_time::duration)> repeat;
    std::vector<double> found = {};

    [[nodiscard]] double median() {
        const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
        std::nth_element(found.begin(), middle, found.end());
        return *middle;
    }
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
    alignas(cache_line) mutex_bucket bucket_admits(1'000, 4e9);

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
         [&] { return repetition([&] { use(bucket_admits.try_acquire()); }); }},
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

    std::vector<pair_of_threads> pairs = {
        {"floor_two_threads", "floor, two threads",
         [&](real_time::duration time) { return together(time, [&] { floor_step(cell); }); }},
        {"admit_two_threads", "admitted, two threads",
         [&](real_time::duration time) {
             return together(time, [&] { use(admits.try_acquire().admitted()); });
         }},
        {"mutex_bucket_two_threads", "mutex bucket, two threads",
         [&](real_time::duration time) {
             return together(time, [&] { use(bucket_admits.try_acquire()); });
         }},
    };
    // So short that two threads that have begun together mostly run together to the end.
    constexpr std::chrono::milliseconds pair_slice(1);
    const auto pair_rounds = duration / (2 * pair_slice * static_cast<int>(pairs.size())) + 1;
    for (auto i = pair_rounds; i > 0; --i) {
        for (pair_of_threads& p : pairs) {
            if (const auto one = p.repeat(pair_slice)) p.found.push_back(*one);
        }
    }

    const double floor = subjects[1].best;
    const double floor_of_two = pairs[0].found.empty() ? 0 : pairs[0].median();
    std::vector<cost> costs;
    costs.reserve(subjects.size() + pairs.size());
    for (const subject& s : subjects) costs.push_back({s.name, s.what, s.best, s.best / floor});
    for (pair_of_threads& p : pairs) {
        if (p.found.empty()) break;
        const double median = p.median();
        costs.push_back({p.name, p.what, median, median / floor_of_two});
    }
    return costs;
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
