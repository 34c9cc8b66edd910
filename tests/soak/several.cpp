// SPDX-License-Identifier: MIT
// Two limits at once, asked by a crowd, of which one thread asks one of the two alone: what passed
// both keeps to each, with what passed the one alone.
#include <weir/limiter/all_of.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {

void soak_all_of(round& r) {
    constexpr std::size_t places = 128;
    using first_type = limiter<gcra<>, steady_clock>;
    using second_type = limiter<sliding_log<places>, steady_clock>;
    terms a{per_second(1), {}, 0};
    terms b = a;
    auto first = any_limiter<first_type>(r, a, [&] { return any_terms(r.random(), 10'000); });
    const std::string about = r.about();
    auto second = any_limiter<second_type>(r, b, [&] {
        terms one = any_terms(r.random(), places);
        one.asked = one.asked.with_burst(one.asked.units());
        one.options = {};
        return one;
    });
    r.about(about + " and " + exactly(b.asked));
    all_of both{first, second};
    const word most = static_cast<word>(std::min(a.asked.burst(), b.asked.burst()));
    const word usual = r.random().magnitude(1, most);

    std::vector<asked> each(a.threads);
    r.crowd(a.threads, [&](const stop_asked& stop, unsigned number, dice own) {
        asked& mine = each[number];
        const manner how(own);
        while (!stop.stop_requested() && mine.passed.size() < most_passages) {
            const word n = own.between(1, usual);
            const auto before = steady_clock::now();
            const bool passed =
                number == 0 ? first.try_acquire(n).admitted() : both.try_acquire(n).admitted();
            mine.count(passed ? verdict::admitted : verdict::wait);
            if (passed) mine.pass(before, n);
            how.maybe_pause(own);
        }
    });
    asked of_both;
    for (unsigned i = 1; i < a.threads; ++i) of_both.add(each[i]);
    asked of_first = of_both;
    of_first.add(each[0]);
    r.count(of_first.admitted, of_first.denied);
    promise_spans<steady_clock>(r, of_first.passed, a.asked, static_cast<word>(a.asked.burst()));
    promise_spans<steady_clock>(r, of_both.passed, b.asked, static_cast<word>(b.asked.burst()));

    const auto now = steady_clock::now();
    for (word n = most; n > 0; --n) {
        while (both.try_acquire(n, now)) {
        }
    }
    const auto refused = both.try_acquire(most, now);
    r.promise(refused.verdict() == verdict::wait, "limits from which all was taken let more pass");
    const auto then = now + static_cast<word>(to_ticks<steady_clock>(refused.retry_after()));
    r.promise(both.try_acquire(most, then).admitted(),
              "who waited for both as long as was said did not get his units");
}

}  // namespace weir::soak
