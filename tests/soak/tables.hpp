// SPDX-License-Identifier: MIT
// Rounds of tables: what passed, by the index or the key that it was for. And the rounds of an
// array and of stripes, of any cell.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/cell/quota.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/table/array.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "asking.hpp"
#include "cells.hpp"
#include "promises.hpp"
#include "round.hpp"
#include "turning.hpp"

namespace weir::soak {

// What a thread got of many limits, and of which of them.
struct asked_many {
    asked all;
    std::vector<std::uint32_t> whose;  // of each passage

    // What was asked since was asked of this one.
    void was_of(std::size_t index) {
        whose.resize(all.passed.size(), static_cast<std::uint32_t>(index));
    }
};

// Calls ask(dice, asked_many) in so many threads, as `ask_together`. What passed is added to that
// of its limit in `by_limit`.
template <class Ask>
asked ask_many_together(round& r, unsigned threads, word guard, std::vector<passages>& by_limit,
                        Ask ask) {
    std::vector<asked_many> each(threads);
    for (asked_many& one : each) {
        one.all.passed.reserve(most_passages);
        one.all.origin = r.origin();
        one.all.guard = guard;
    }
    r.crowd(threads, [&](const stop_asked& stop, unsigned number, dice own) {
        asked_many& mine = each[number];
        const manner how(own);
        while (!stop.stop_requested() && mine.all.passed.size() < most_passages) {
            ask(own, mine);
            how.maybe_pause(own);
        }
    });
    asked all;
    all.origin = r.origin();
    for (const asked_many& one : each) {
        all.add(one.all);
        for (std::size_t i = 0; i < one.whose.size(); ++i) {
            by_limit[one.whose[i]].push_back(one.all.passed[i]);
        }
    }
    r.count(all.admitted, all.denied + all.never);
    return all;
}

// Entries by index, of which some begin anew meanwhile, as for another player. None of them has
// more than its quota, and the last one, which nobody asks, has all of it.
template <class Cell>
void soak_array_of(round& r) {
    using clock = turning_clock<>;
    using table = limiter_array<any_size, Cell, clock, array_layout{}, counters>;
    dice& d = r.random();
    terms t{per_second(1), {}, 0};
    do t = any_terms(d, 1'000'000);
    while (table::refusal(t.asked, t.options) != quota_error::none);
    const auto entries = static_cast<std::size_t>(d.magnitude(1, 64));
    r.about(in_words(t) + ", " + std::to_string(entries) + " entries");

    const auto begin = begin_of<clock>(r);
    table all(entries + 1, t.asked, t.options);
    (void)all[0].peek(0, begin);
    const auto burst = static_cast<word>(t.asked.burst());
    const word most = d.magnitude(1, std::min<word>(burst, 64));
    std::vector<passages> by_entry(entries + 1);
    std::vector<std::atomic<word>> resets(entries + 1);
    const asked sum =
        ask_many_together(r, t.threads, largest<word>, by_entry, [&](dice& own, asked_many& mine) {
            const std::size_t i = own.index(entries);
            if (own.one_in(4'096)) {
                resets[i].fetch_add(1, std::memory_order_relaxed);
                all[i].reset();
            }
            auto entry = all[i];
            ask_once(entry, own, mine.all, most, false);
            mine.was_of(i);
        });
    clock::wait_for_the_turn();
    r.promise(all.observer().admitted() == sum.admitted && all.observer().denied() == sum.denied,
              "its counters differ from what its threads were told");
    for (std::size_t i = 0; i < entries; ++i) {
        at_their_own_time(by_entry[i]);
        promise_spans<clock>(r, by_entry[i], t.asked,
                             burst * (1 + resets[i].load(std::memory_order_relaxed)));
    }
    auto unused = all[entries];
    r.promise(t.options.start == 0 || unused.try_acquire(burst, sum.end<clock>()).admitted(),
              "an entry that nobody asked did not have its burst");
    auto last = all[entries - 1];
    promise_answers(r, last, sum.end<clock>(), burst);
}

// Stripes in front of a limit that is made for a part of the quota: all that passes keeps the whole
// one.
template <class Policy, bool SharesAll = false>
void soak_striped_of(round& r) {
    using clock = turning_clock<>;
    using shared_type = limiter<gcra<>, clock>;
    using stripes = striped<shared_type, 4, Policy>;
    dice& d = r.random();
    terms t{per_second(1), {}, 0};
    quota whole = t.asked;
    auto shared = any_limiter<shared_type>(r, t, [&] {
        terms one = any_terms(d, 1'000'000);
        whole = one.asked;
        one.asked = SharesAll ? whole : stripes::shared_quota(whole);
        return one;
    });
    r.about(in_words(t) + " for " + exactly(whole));
    const auto begin = begin_of<clock>(r);
    (void)shared.peek(0, begin);
    stripes all(shared);
    const word most = d.magnitude(1, std::min<word>(static_cast<word>(t.asked.burst()), 16));
    const asked sum = ask_together(r, t.threads, [&](dice& own, asked& mine) {
        const word n = own.between(1, most);
        const auto before = clock::now();
        mine.tell(before);
        const bool passed =
            own.one_in(2) ? all.try_acquire(n).admitted() : all.try_acquire(n, before).admitted();
        mine.count(passed ? verdict::admitted : verdict::wait);
        if (passed) mine.pass(before, n);
        if (own.one_in(4'096)) all.give_back();
    });
    clock::wait_for_the_turn();
    promise_spans<clock>(r, sum.passed, whole, static_cast<word>(whole.burst()));
    all.give_back();
    r.promise(all.approx_left() == 0, "something was left in the stripes when all was given back");
    promise_answers(r, shared, clock::now(), static_cast<word>(t.asked.burst()));
}

}  // namespace weir::soak
