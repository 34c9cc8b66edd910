// SPDX-License-Identifier: MIT
// Threads that ask one limiter, each at the times that its clock shows, and remember what they got.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

#include "round.hpp"
#include "windows.hpp"

namespace weir::soak {

// So many a thread remembers; then its round is over. It bounds the memory of a round.
constexpr std::size_t most_passages = std::size_t{1} << 13;

struct asked {
    passages passed;
    std::uint64_t admitted = 0;  // decisions
    std::uint64_t denied = 0;
    std::uint64_t never = 0;
    word origin = 0;  // the time from which all others count, which may come round
    word latest = 0;  // the time that was given last

    // A decision that took longer came with a time that was too late: it may begin the limit anew.
    word guard = largest<word>;  // in ticks
    std::uint64_t too_late = 0;

    void count(verdict v) {
        switch (v) {
            case verdict::admitted: ++admitted; break;
            case verdict::wait: ++denied; break;
            case verdict::never: ++never; break;
        }
    }

    // At some instant between that one and now.
    template <class Clock>
    void pass(instant<Clock> from, word units) {
        order_clock();
        const auto now = Clock::now();
        const auto begin = static_cast<word>(from.count - origin);
        const auto end = earlier(now, from) ? begin : static_cast<word>(now.count - origin);
        passed.push_back({begin, end, units});
        if (end - begin > guard) ++too_late;
    }
    // A limit was told this time.
    template <class Clock>
    void tell(instant<Clock> now) {
        latest = std::max(latest, static_cast<word>(now.count - origin));
    }
    // The present time, or the latest that was told.
    template <class Clock>
    [[nodiscard]] instant<Clock> end() const {
        const auto now = static_cast<word>(Clock::now().count - origin);
        return instant<Clock>(std::max(latest, now) + origin);
    }

    void add(const asked& other) {
        passed.insert(passed.end(), other.passed.begin(), other.passed.end());
        admitted += other.admitted;
        denied += other.denied;
        never += other.never;
        too_late += other.too_late;
        latest = std::max(latest, other.latest);
    }
};

// A thread's manner: without a pause, or with some of up to two milliseconds, in which a limit
// fills and others go on.
class manner {
public:
    explicit manner(dice& d) : pauses_one_in_(d.one_in(2) ? 0 : d.magnitude(16, 4'096)) {}

    void maybe_pause(dice& d) const {
        if (pauses_one_in_ == 0 || !d.one_in(pauses_one_in_)) return;
        std::this_thread::sleep_for(std::chrono::microseconds(d.magnitude(1, 2'000)));
    }

private:
    std::uint64_t pauses_one_in_;
};

// Calls ask(dice, asked) in so many threads, again and again, until the round is over or one has
// nothing to remember by; all of it together.
template <class Ask, class Meanwhile>
asked ask_together(round& r, unsigned threads, Ask ask, Meanwhile meanwhile,
                   word guard = largest<word>) {
    std::vector<asked> each(threads);
    for (asked& one : each) {
        one.passed.reserve(most_passages);
        one.origin = r.origin();
        one.guard = guard;
    }
    r.crowd(
        threads,
        [&](const stop_asked& stop, unsigned number, dice own) {
            asked& mine = each[number];
            const manner how(own);
            while (!stop.stop_requested() && mine.passed.size() < most_passages) {
                ask(own, mine);
                how.maybe_pause(own);
            }
        },
        meanwhile);
    asked all;
    all.origin = r.origin();
    for (const asked& one : each) all.add(one);
    r.count(all.admitted, all.denied + all.never);
    return all;
}
template <class Ask>
asked ask_together(round& r, unsigned threads, Ask ask) {
    return ask_together(r, threads, std::move(ask), [] {});
}

}  // namespace weir::soak
