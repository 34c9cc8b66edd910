// SPDX-License-Identifier: MIT
// A quota that changes while threads acquire: in no span more than the rates that were valid in it
// bring, the burst that was valid at its beginning, and a grain for each change. A span that begins
// while a change is under way counts from the beginning of the change: if the thread that changes
// is held up, what the new rate brings meanwhile comes at once.
#include <algorithm>
#include <chrono>
#include <iterator>

#include <weir/limiter/adjustable.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

using shared = adjustable<steady_clock, counters>;

constexpr word largest_burst = 10'000;

quota any_quota(dice& d) {
    return per_second(static_cast<std::int64_t>(d.magnitude(1, 1'000'000)))
        .with_burst(static_cast<std::int64_t>(d.magnitude(1, largest_burst)));
}

// The highest rate and the largest burst that may be valid at each time: while a quota changes,
// those of either.
class highest {
public:
    highest(instant<steady_clock> now, const quota& q)
        : rate_(per_tick(q)), burst_(burst_of(q)), brought_(now.count, rate_, less()) {}

    void begins(instant<steady_clock> now, const quota& next) {
        if (changing_ && until_ < now.count) brought_.change(until_, rate_ = last_, less());
        changing_ = false;
        rate_ = std::max(rate_, per_tick(next));
        burst_ = std::max(burst_, burst_of(next));
        brought_.change(now.count, rate_, less());
    }
    void has_begun(instant<steady_clock> now, const quota& next, nanoseconds over) {
        changing_ = true;
        until_ = now.count + static_cast<word>(over.count());
        last_ = per_tick(next);
        burst_ = burst_of(next);
        brought_.change(now.count, rate_, less());
    }

    [[nodiscard]] const income& brought() const { return brought_; }

private:
    [[nodiscard]] static word per_tick(const quota& q) {
        return price_of<steady_clock>(q).per_tick;
    }
    [[nodiscard]] static word burst_of(const quota& q) { return static_cast<word>(q.burst()); }
    [[nodiscard]] word less() const { return largest_burst - burst_; }

    word rate_;
    word burst_;
    income brought_;
    bool changing_ = false;
    word until_ = 0;
    word last_ = 0;
};

}  // namespace

void soak_adjustable(round& r) {
    dice& d = r.random();
    quota present = any_quota(d);
    const unsigned threads = r.threads();
    r.about(exactly(present) + " at first, " + std::to_string(threads) + " threads");
    const auto begin = steady_clock::now();
    shared limit{present};
    highest bound(begin, present);
    word changes = 0;

    passages beginnings;  // just before each change
    passages during;      // from before a change until it was made
    asked all = ask_together(
        r, threads, [&](dice& own, asked& mine) { ask_once(limit, own, mine, 16, false); },
        [&] {
            for (auto times = d.magnitude(1, 16) - 1; times > 0; --times) {
                present = any_quota(d);
                const nanoseconds over(
                    d.one_in(3) ? static_cast<std::int64_t>(d.magnitude(1, 20'000'000)) : 0);
                const auto before = steady_clock::now();
                beginnings.push_back({before.count - 1, before.count - 1, 0});
                bound.begins(before, present);
                const quota_error refused = limit.set_quota(present, over);
                const auto after = steady_clock::now();
                bound.has_begun(after, present, over);
                during.push_back({before.count, after.count, 0});
                r.promise(refused == quota_error::none,
                          std::string("a quota was refused: ") + describe(refused));
                ++changes;
            }
        });
    r.promise(limit.observer().admitted() == all.admitted,
              "its counters differ from what its threads were told");
    r.promise(limit.quota() == present, "it does not know the quota that it was told last");

    for (passage& p : all.passed) {
        const auto next = std::upper_bound(during.begin(), during.end(), p.from,
                                           [](word at, const passage& c) { return at < c.from; });
        if (next == during.begin()) continue;
        const passage& change = *std::prev(next);
        if (p.from <= change.to) p.from = change.from;
    }
    all.passed.insert(all.passed.end(), beginnings.begin(), beginnings.end());
    const word unit = price_of<steady_clock>(present).per_unit;
    const wide most = multiply(largest_burst, unit) + multiply(changes + 2, unit >> grain_bits);
    const busiest worst = busiest_span(all.passed, bound.brought(), unit);
    r.promise(worst.excess <= most,
              in_words(worst, steady_clock::hertz()) +
                  ", more than its rates brought and the burst at the beginning, after " +
                  std::to_string(changes) + " changes");
    promise_answers(r, limit, steady_clock::now(), static_cast<word>(present.burst()));
}

}  // namespace weir::soak
