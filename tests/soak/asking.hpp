// SPDX-License-Identifier: MIT
// Threads that ask one limiter, each at the times that its clock shows, and remember what they got.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
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
    word latest = 0;  // the time that was given last

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
        passed.push_back({from.count, std::max(from.count, Clock::now().count), units});
    }

    void add(const asked& other) {
        passed.insert(passed.end(), other.passed.begin(), other.passed.end());
        admitted += other.admitted;
        denied += other.denied;
        never += other.never;
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
asked ask_together(round& r, unsigned threads, Ask ask, Meanwhile meanwhile) {
    std::vector<asked> each(threads);
    for (asked& one : each) one.passed.reserve(most_passages);
    r.crowd(
        threads,
        [&](const std::stop_token& stop, unsigned number, dice own) {
            asked& mine = each[number];
            const manner how(own);
            while (!stop.stop_requested() && mine.passed.size() < most_passages) {
                ask(own, mine);
                how.maybe_pause(own);
            }
        },
        meanwhile);
    asked all;
    for (const asked& one : each) all.add(one);
    r.count(all.admitted, all.denied + all.never);
    return all;
}
template <class Ask>
asked ask_together(round& r, unsigned threads, Ask ask) {
    return ask_together(r, threads, std::move(ask), [] {});
}

}  // namespace weir::soak
