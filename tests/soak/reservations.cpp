// SPDX-License-Identifier: MIT
// Threads reserve, and give back what they do not use, at once or later. What is used conforms when
// its permit starts, whatever the others gave back: in no span more than the rate brings and a
// burst.
#include <cstddef>
#include <utility>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

using shared = limiter<gcra<>, default_clock, counters>;

constexpr std::size_t most_held = 8;

// What a thread has reserved and not yet decided about.
using permits = std::vector<shared::permit_type>;

void use(shared& limit, shared::permit_type&& permit, word unused, asked& mine) {
    const word used = permit.units() - unused;
    const word start = permit.start().count;
    if (unused != 0) (void)limit.refund(std::move(permit), unused);
    // It starts in the middle of a tick and is told the end of it.
    if (used != 0) mine.passed.push_back({start - 1, start, used});
}

void use_any(shared& limit, permits& held, dice& d, asked& mine) {
    std::swap(held[d.between(0, held.size() - 1)], held.back());
    const word units = held.back().units();
    const word unused = d.one_in(2) ? 0 : d.between(1, units);
    use(limit, std::move(held.back()), unused, mine);
    held.pop_back();
}

}  // namespace

void soak_reservations(round& r) {
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<shared>(r, t, [&] { return any_terms(r.random(), 100'000); });
    const auto burst = static_cast<word>(t.asked.burst());
    const word most = r.random().magnitude(1, std::min<word>(burst, 64));
    const auto patience = static_cast<std::int64_t>(r.random().magnitude(1, 100'000'000));

    std::vector<permits> held(t.threads);
    std::vector<asked> each(t.threads);
    r.crowd(t.threads, [&](const stop_asked& stop, unsigned number, dice own) {
        asked& mine = each[number];
        const manner how(own);
        while (!stop.stop_requested() && mine.passed.size() < most_passages) {
            const auto now = default_clock::now();
            mine.tell(now);
            const word n = own.between(1, most);
            auto permit = limit.reserve(n, nanoseconds(own.one_in(2) ? 0 : patience), now);
            mine.count(permit.verdict());
            if (permit) held[number].push_back(std::move(permit));
            if (held[number].size() == most_held || (!held[number].empty() && own.one_in(3))) {
                use_any(limit, held[number], own, mine);
            }
            how.maybe_pause(own);
        }
    });
    asked all;
    for (unsigned i = 0; i < t.threads; ++i) {
        for (auto& permit : held[i]) use(limit, std::move(permit), 0, each[i]);
        all.add(each[i]);
    }
    r.count(all.admitted, all.denied + all.never);
    r.promise(limit.observer().admitted() == all.admitted &&
                  limit.observer().denied() == all.denied,
              "its counters differ from what its threads were told");
    promise_spans<default_clock>(r, all.passed, t.asked, burst);
    promise_answers(r, limit, all.end<default_clock>(), burst);
}

}  // namespace weir::soak
