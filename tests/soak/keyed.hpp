// SPDX-License-Identifier: MIT
// Rounds of a table of keys that come and go: far more of them than places. Where the table denies,
// no key has more than its quota. Where it forgives, all together have no more beyond their quotas
// than was forgiven.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/base/wide.hpp>
#include <weir/table/keyed.hpp>

#include "tables.hpp"

namespace weir::soak {

// A unit may come so much of its time too early, as a table counts in as many parts of it.
[[nodiscard]] inline wide too_early(const price& p) { return {0, p.per_unit / 8192 + 1}; }

struct keyed_terms {
    terms of_each;
    keyed_options options;
    std::size_t places;
    std::size_t keys;
    bool forgives;
};
[[nodiscard]] keyed_terms any_keyed_terms(dice& d);
[[nodiscard]] std::string in_words(const keyed_terms& t);

// Beyond the quotas, in all keys together.
[[nodiscard]] wide beyond(const std::vector<passages>& by_key, const price& p, word burst);

// Whether it denies or forgives is drawn; a test has it do something else in place of either.
template <keyed_layout Layout>
void soak_keyed_by(round& r, when_full denying = when_full::deny,
                   when_full forgiving = when_full::forgive_least) {
    using clock = turning_clock<>;
    using table = keyed_limits<any_size, clock, Layout, counters>;
    dice& d = r.random();
    keyed_terms t = any_keyed_terms(d);
    while (table::refusal(t.of_each.asked, t.options) != quota_error::none) t = any_keyed_terms(d);
    r.about(in_words(t));

    const auto begin = begin_of<clock>(r);
    const quota& q = t.of_each.asked;
    table all(t.places, q, t.forgives ? forgiving : denying, seed(d.next()), t.options);
    (void)all[0].peek(0, begin);
    const auto burst = static_cast<word>(q.burst());
    const word most = d.magnitude(1, std::min<word>(burst, 64));
    const std::uint64_t few = d.magnitude(1, t.keys);  // who ask most often
    std::vector<passages> by_key(t.keys);
    const asked sum =
        ask_many_together(r, t.of_each.threads, static_cast<word>(to_ticks<clock>(t.options.guard)),
                          by_key, [&](dice& own, asked_many& mine) {
                              const std::size_t key = own.index(own.one_in(2) ? few : t.keys);
                              auto limit = all[key];
                              ask_once(limit, own, mine.all, most, false);
                              mine.was_of(key);
                          });
    clock::wait_for_the_turn();
    r.promise(all.observer().admitted() == sum.admitted && all.observer().denied() == sum.denied,
              "its counters differ from what its threads were told");

    const price p = price_of<clock>(q);
    const auto now = sum.end<clock>();
    const keyed_statistics seen = all.statistics(now);
    if (t.forgives) {
        const auto forgiven = static_cast<word>(to_ticks<clock>(seen.forgiven));
        r.promise(beyond(by_key, p, burst * begun_anew(sum)) <= multiply(forgiven, p.per_tick),
                  "all keys together had more beyond their quotas than was forgiven");
    } else {
        for (const passages& of_key : by_key) {
            promise_spans<clock>(r, of_key, q, burst * begun_anew(sum), too_early(p));
        }
    }
    nanoseconds longest{};
    all.for_each([&](const kept_key& k) { longest = std::max(longest, k.idle_after); }, now);
    const auto later_on = later(now, longest + t.options.guard + milliseconds(1));
    r.promise(all.statistics(later_on).occupied == 0,
              "places were occupied longer than their keys were said to be busy");
    auto first = all[0];
    promise_answers(r, first, later_on, burst);
}

}  // namespace weir::soak
