// SPDX-License-Identifier: MIT
// Threads that lease from one limit, and come and go: together never more than the limit brings, in
// any span, but for what each may have had in its hands.
#include <optional>

#include <weir/limiter/lease.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {

void soak_lease(round& r) {
    using shared = limiter<gcra<>, steady_clock>;
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<shared>(r, t, [&] { return any_terms(r.random(), 100'000); });
    const auto burst = static_cast<word>(t.asked.burst());
    const word units = r.random().magnitude(1, std::min<word>(burst, 1'000));
    const word most = r.random().magnitude(1, std::min<word>(burst, 8));
    const std::uint64_t renewed_one_in = r.random().magnitude(2, 1'000);
    const nanoseconds life(static_cast<std::int64_t>(r.random().magnitude(1'000, 100'000'000)));

    std::vector<asked> each(t.threads);
    r.crowd(t.threads, [&](const stop_asked& stop, unsigned number, dice own) {
        asked& mine = each[number];
        const manner how(own);
        std::optional<lease<shared>> leased;
        while (!stop.stop_requested() && mine.passed.size() < most_passages) {
            if (!leased || own.one_in(renewed_one_in)) leased.emplace(limit, units, life);
            const word n = own.between(1, most);
            const auto before = steady_clock::now();
            if (own.one_in(2) ? leased->try_acquire(n) : leased->try_acquire(n, before)) {
                ++mine.admitted;
                mine.pass(before, n);
            } else {
                ++mine.denied;
            }
            how.maybe_pause(own);
        }
    });
    asked all;
    for (const asked& one : each) all.add(one);
    r.count(all.admitted, all.denied);
    promise_spans<steady_clock>(r, all.passed, t.asked, burst + t.threads * (units + most));
    promise_answers(r, limit, steady_clock::now(), burst);
}

}  // namespace weir::soak
