// SPDX-License-Identifier: MIT
// Threads wait for their units, with and without patience, and are stopped in the end. Nobody is
// early: in no span more than the rate brings and a burst. Who gives up is told a reason that
// holds.
#include <type_traits>

#include <weir/limiter/acquire.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

// Why the end of a wait is not what was promised; empty if it is. `waited` counts where there are
// no reservations: then one that is given up has been waited for.
std::string wrong_with(const acquisition& a, word n, word burst, nanoseconds patience,
                       nanoseconds waited, const std::stop_token& stop) {
    switch (a.how) {
        case ending::acquired: return n <= burst ? "" : "more than a burst was acquired";
        case ending::never: return n > burst ? "" : "who wanted a burst at most was told never";
        case ending::stopped: return stop.stop_requested() ? "" : "a wait was stopped by nobody";
        case ending::too_late: break;
    }
    const bool longer = a.wait.count() > patience.count() - waited.count();
    return longer ? "" : "who had the patience was told that it takes too long";
}

template <class Cell>
void soak_waiting_for(round& r, std::uint64_t most_units) {
    using shared = limiter<Cell, steady_clock, counters>;
    constexpr bool logs = !weir::reserving<shared>;
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<shared>(r, t, [&] {
        terms one = any_terms(r.random(), most_units);
        if (logs) one.options = {};
        one.asked = one.asked.with_burst(logs ? one.asked.units()
                                              : std::min<std::int64_t>(one.asked.burst(), 100));
        return one;
    });
    const auto burst = static_cast<word>(t.asked.burst());
    const word most = r.random().magnitude(1, burst);
    const auto patience = static_cast<std::int64_t>(r.random().magnitude(1, 100'000'000));

    std::vector<asked> each(t.threads);
    std::vector<std::string> wrong(t.threads);
    r.crowd(t.threads, [&](const stop_asked& stop, unsigned number, dice own) {
        asked& mine = each[number];
        while (!stop.stop_requested() && mine.passed.size() < most_passages) {
            const word n = own.one_in(100) ? burst + 1 : own.between(1, most);
            const nanoseconds long_enough =
                own.one_in(2) ? nanoseconds(patience) : nanoseconds::longest();
            const auto before = steady_clock::now();
            const acquisition a = acquire_for(limit, n, long_enough, stop.token());
            if (a) {
                ++mine.admitted;
                mine.pass(before, n);
            } else {
                ++mine.denied;
            }
            const auto after = steady_clock::now();
            const nanoseconds waited =
                logs ? to_time<steady_clock>(after.count - before.count) : nanoseconds{};
            if (!wrong[number].empty()) continue;
            wrong[number] = wrong_with(a, n, burst, long_enough, waited, stop.token());
        }
    });
    asked all;
    for (const asked& one : each) all.add(one);
    for (const std::string& text : wrong) r.promise(text.empty(), text);
    r.count(all.admitted, all.denied);
    promise_spans<steady_clock>(r, all.passed, t.asked, burst);
    promise_answers(r, limit, steady_clock::now(), burst);
}

}  // namespace

void soak_waiting(round& r) {
    constexpr std::size_t places = 64;
    if (r.random().one_in(3)) return soak_waiting_for<sliding_log<places>>(r, places);
    soak_waiting_for<gcra<>>(r, 100'000);
}

}  // namespace weir::soak
