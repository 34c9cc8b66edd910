// SPDX-License-Identifier: MIT
#include "command/demo/contention.hpp"

#include <atomic>
#include <stop_token>
#include <thread>

#include <weir/weir.hpp>

namespace weir::command {
namespace {

using shared_limiter = limiter<>;
using clock_type = shared_limiter::clock_type;

struct alignas(cache_line) tally {
    std::uint64_t admitted = 0;
    std::uint64_t denied = 0;
    instant<clock_type> last;  // the time of the last decision
};

// Lets all threads begin at once, and go home if one of them cannot be started.
class starting_gun {
public:
    // False if there is no race.
    bool wait(const std::stop_token& cancelled) {
        ready_.fetch_add(1, std::memory_order_relaxed);
        // Pairs with the store in `fire`.
        while (!fired_.load(std::memory_order_acquire)) {
            if (cancelled.stop_requested()) return false;
            std::this_thread::yield();
        }
        return true;
    }

    void wait_for(unsigned threads) const {
        while (ready_.load(std::memory_order_relaxed) != threads) std::this_thread::yield();
    }

    // Pairs with the load in `wait`: who sees it sees all that was prepared.
    void fire() { fired_.store(true, std::memory_order_release); }

private:
    std::atomic<unsigned> ready_{0};
    std::atomic<bool> fired_{false};
};

// try_acquire(1, now) with the time that it would have read itself: so the last one is known.
void hammer(shared_limiter& limit, instant<clock_type> end, tally& result) {
    tally t;
    // Once at least, however late this thread is; else never after the end, when others are silent.
    auto now = clock_type::now();
    do {
        if (limit.try_acquire(1, now)) {
            ++t.admitted;
        } else {
            ++t.denied;
        }
        t.last = now;
        now = clock_type::now();
    } while (earlier(now, end));
    result = t;
}

// Rounded down to whole units; exact to the nanosecond, for a double would not hold it.
std::uint64_t refilled(const quota& q, std::uint64_t ticks) {
    const division time =
        divide(multiply(ticks, nanoseconds::per_second), {0, clock_type::hertz()});
    const std::uint64_t nanoseconds = time.quotient.low + (time.remainder == wide{} ? 0U : 1U);
    return divide(multiply(nanoseconds, static_cast<std::uint64_t>(q.units())),
                  {0, static_cast<std::uint64_t>(q.period().count())})
        .quotient.low;
}

}  // namespace

std::vector<quota> contended_quotas() {
    return {per_second(100).with_burst(40), per_second(10'000'000).with_burst(4'000'000)};
}

contention contend(const quota& q, unsigned threads, std::chrono::milliseconds duration) {
    // Half full: a full one would lose what is refilled before the first thread has woken up.
    const options half{.start = q.burst() / 2 + q.burst() % 2};
    shared_limiter limit(q, half);
    std::vector<tally> tallies(threads);
    starting_gun gun;
    instant<clock_type> start;
    instant<clock_type> end;
    {
        std::vector<std::jthread> workers;
        workers.reserve(threads);
        for (tally& t : tallies) {
            workers.emplace_back([&](const std::stop_token& cancelled) {
                if (gun.wait(cancelled)) hammer(limit, end, t);
            });
        }
        gun.wait_for(threads);
        start = clock_type::now();
        end = start + static_cast<word>(to_ticks<clock_type>(duration));
        limit.reset(start);
        gun.fire();
    }

    std::uint64_t admitted = 0;
    std::uint64_t denied = 0;
    auto last = start;
    for (const tally& t : tallies) {
        admitted += t.admitted;
        denied += t.denied;
        if (earlier(last, t.last)) last = t.last;
    }
    const auto span = static_cast<word>(last.count - start.count);
    const double seconds = static_cast<double>(span) / static_cast<double>(clock_type::hertz());
    const auto started_with = static_cast<std::uint64_t>(half.start);
    return {q,
            threads,
            seconds,
            started_with,
            started_with + refilled(q, span),
            admitted,
            denied,
            seconds * 1e9 * threads / static_cast<double>(admitted + denied)};
}

}  // namespace weir::command
