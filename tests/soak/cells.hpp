// SPDX-License-Identifier: MIT
// Rounds of a limiter with one cell, for any cell of its kind: asked by a crowd at the times of a
// real clock, with what it promises to crowds checked over all spans, and what it promises to one
// thread afterwards.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <weir/base/wide.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/weir.hpp>

#include "asking.hpp"
#include "command/text.hpp"
#include "promises.hpp"
#include "round.hpp"

namespace weir::soak {

struct terms {
    quota asked;
    weir::options options;
    unsigned threads;
};

// No unit takes less than ten ticks, so that a burst of one is longer than a tick.
[[nodiscard]] terms any_terms(dice& d, std::uint64_t most_units,
                              std::uint64_t hertz = nanoseconds::per_second);

// The terms of a cell on a clock. In 32-bit words a decision is too late soon, so they have a guard
// that is not.
template <class Cell, clock Clock>
[[nodiscard]] terms any_terms_of(dice& d, std::uint64_t most_units) {
    constexpr bool by_ticks = turning<Clock>;
    terms t = any_terms(d, most_units, by_ticks ? Clock::highest_hertz : nanoseconds::per_second);
    if constexpr (sizeof(typename Cell::word_type) < sizeof(word)) {
        t.options.guard =
            nanoseconds(static_cast<std::int64_t>(d.magnitude(50'000'000, 4'000'000'000)));
    }
    return t;
}

// When the round begins. Its clock comes round two milliseconds later at most, if it is one that
// does.
template <clock Clock>
[[nodiscard]] instant<Clock> begin_of(round& r) {
    if constexpr (turning<Clock>) {
        const std::uint64_t lead = r.random().magnitude(1'000, 2'000'000);
        const auto begin = Clock::turn_in(
            static_cast<word>(to_ticks<Clock>(nanoseconds(static_cast<std::int64_t>(lead)))));
        r.counts_from(begin.count);
        return begin;
    } else {
        return Clock::now();
    }
}

[[nodiscard]] std::string exactly(const quota& q);
[[nodiscard]] std::string in_words(const terms& t);

// A limiter for terms that its cell can hold.
template <class Limiter, class Draw>
[[nodiscard]] Limiter any_limiter(round& r, terms& t, Draw draw) {
    for (;;) {
        t = draw();
        auto made = Limiter::make(t.asked, t.options);
        if (!made) continue;
        r.about(in_words(t));
        return *std::move(made);
    }
}

// One decision, of any kind.
template <class Limiter>
void ask_once(Limiter& limit, dice& d, asked& mine, word most, bool charges) {
    using clock = typename Limiter::clock_type;
    const auto now = clock::now();
    mine.tell(now);
    const word n = d.between(0, most);
    word got = 0;
    if (d.one_in(4)) {
        const auto g = limit.acquire_up_to(n, now);
        mine.count(g.after.verdict());
        got = g.units;
    } else {
        const bool charge = charges && d.one_in(8);
        const auto how = charge ? limit.charge(n, now) : limit.try_acquire(n, now);
        mine.count(how.verdict());
        got = how ? n : 0;
    }
    if (got != 0) mine.pass(now, got);
}

template <class Limiter>
asked ask_limiter(round& r, Limiter& limit, const terms& t, bool charges = false) {
    const auto burst = static_cast<word>(t.asked.burst());
    const word most = r.random().magnitude(1, std::min<word>(burst, 64));
    using clock = typename Limiter::clock_type;
    const word guard = t.options.guard == options::by_word
                           ? largest<word>
                           : static_cast<word>(to_ticks<clock>(t.options.guard));
    asked ends;  // what this thread does before and after the others
    ends.origin = r.origin();
    ends.guard = guard;
    const auto take_some = [&](instant<clock> now) {
        const auto g = limit.acquire_up_to(r.random().between(0, most), now);
        ends.tell(now);
        ends.count(g.after.verdict());
        if (g.units != 0) ends.pass(now, g.units);
    };
    if constexpr (turning<clock>) take_some(instant<clock>(r.origin()));
    asked all = ask_together(
        r, t.threads, [&](dice& d, asked& mine) { ask_once(limit, d, mine, most, charges); }, [] {},
        guard);
    if constexpr (turning<clock>) {
        clock::wait_for_the_turn();
        take_some(clock::now());
    }
    r.count(ends.admitted, ends.denied + ends.never);
    all.add(ends);
    r.promise(limit.observer().admitted() == all.admitted &&
                  limit.observer().denied() == all.denied && limit.observer().never() == all.never,
              "its counters differ from what its threads were told");
    return all;
}

// Where a decision at a time of its own conforms at that time, however late it comes.
inline void at_their_own_time(passages& all) {
    for (passage& p : all) p.to = p.from;
}

// How often there may be all that a limit has: a decision that came too late may bring it twice, as
// it forgets what it finds, and what it leaves is forgotten too.
[[nodiscard]] inline word begun_anew(const asked& all) { return 1 + 2 * all.too_late; }

// Started empty, and with a burst so large that it never was full, it has lost nothing and made
// nothing: what passed and what is there now is what came, to the unit.
template <class Limiter>
void promise_conservation(round& r, Limiter& limit, const terms& t,
                          instant<typename Limiter::clock_type> begin, const asked& all,
                          word rounding) {
    using rate = typename Limiter::rate;
    using cell_word = typename rate::word_type;
    const rate held = *rate::make(t.asked, Limiter::clock_type::hertz(), t.options);
    const auto end = all.end<typename Limiter::clock_type>();
    const wide time = wide{0, end.count - begin.count} << held.shift();
    if (time >= multiply(held.burst(), held.period())) return;
    // A cell that may have been idle for half a circle may have forgotten what came.
    if (!time.fits(largest<cell_word> / 2) || all.too_late != 0) return;
    const word came = divide(time, {0, held.period()}).quotient.low;
    word sum = limit.drain(end);
    for (const passage& p : all.passed) sum += p.units;
    r.promise(sum <= came && sum + rounding >= came, command::grouped(came) + " units came and " +
                                                         command::grouped(sum) +
                                                         " passed or are still there");
}

template <class Cell>
concept holds_portions = requires(const typename Cell::rate r) {
    r.portion();
};

// What time brings in a granule of a token bucket, rounded up to ticks: by so much its debt may be
// deeper, as it counts from a time that was rounded up.
template <class Rate>
[[nodiscard]] wide in_a_granule(const terms& t, const Rate& held, const price& p) {
    const std::uint64_t owing = t.options.whole_periods ? held.portion() - 1 : 0;
    const auto levels = std::bit_width(static_cast<std::uint64_t>(t.asked.burst()) + owing);
    return multiply(((word{1} << levels) >> held.shift()) + 1, p.per_tick);
}

// A meter: a burst and what its rate brings.
template <class Cell, clock Clock>
void soak_meter(round& r) {
    using limiter = weir::limiter<Cell, Clock, counters>;
    constexpr bool tokens = holds_portions<Cell>;
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<limiter>(r, t, [&] {
        terms one = any_terms_of<Cell, Clock>(r.random(), 1'000'000);
        one.options.whole_periods = tokens && r.random().one_in(3);
        return one;
    });
    const auto begin = begin_of<Clock>(r);
    (void)limit.peek(0, begin);  // so it begins now
    const bool charges = r.random().one_in(4);
    asked all = ask_limiter(r, limit, t, charges);
    all.tell(begin);

    if (t.options.start == 0 && !charges && !t.options.whole_periods) {
        promise_conservation(r, limit, t, begin, all, tokens ? 1 : 0);
    }
    if (!tokens) at_their_own_time(all.passed);
    const auto burst = static_cast<word>(t.asked.burst());
    const auto portion = static_cast<word>(t.asked.units());
    wide more;
    if constexpr (tokens) {
        const auto held = *Cell::rate::make(t.asked, Clock::hertz(), t.options);
        if (charges) more = in_a_granule(t, held, price_of<Clock>(t.asked));
    }
    promise_spans<Clock>(r, all.passed, t.asked,
                         (burst * (charges ? 2 : 1) + (t.options.whole_periods ? portion : 0)) *
                             begun_anew(all),
                         more);
    promise_answers(r, limit, all.end<Clock>(), burst);
}

// What windows promise beside that by their rule: nothing,
template <class Rate>
void promise_more(round& /*r*/, const passages& /*all*/, const Rate& /*rate*/) {}

// no more than the units of one in a window of the clock,
template <class Word>
void promise_more(round& r, const passages& all, const window_rate<Word, opens::with_clock>& rate) {
    const word most = most_in_window(all, rate.period());
    r.uses(static_cast<double>(most) / static_cast<double>(rate.burst()));
    r.promise(most <= rate.burst(),
              command::grouped(most) + " units passed in one window of the clock");
}

// Nor with the share of the window before that a period still covers.
template <class Word>
void promise_more(round& r, const passages& all, const sliding_window_rate<Word>& rate) {
    const double most = static_cast<double>(most_weighted(all, rate.period(), rate.coarseness())) /
                        static_cast<double>(rate.period());
    r.uses(most / static_cast<double>(rate.burst()));
    r.promise(most_weighted(all, rate.period(), rate.coarseness()) <= rate.burst() * rate.period(),
              command::fixed(most, 3) +
                  " units passed, as it estimates them itself, within one period");
}

// A window: twice the units in the worst interval of one period.
template <class Cell, clock Clock>
void soak_window(round& r) {
    using limiter = weir::limiter<Cell, Clock, counters>;
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<limiter>(r, t, [&] {
        terms one = any_terms_of<Cell, Clock>(r.random(), 10'000);
        one.asked = one.asked.with_burst(one.asked.units());
        one.options.start = options::whole_burst;
        return one;
    });
    (void)limit.peek(0, begin_of<Clock>(r));
    const asked all = ask_limiter(r, limit, t);

    const auto units = static_cast<word>(t.asked.units());
    promise_spans<Clock>(r, all.passed, t.asked, 2 * units * begun_anew(all));
    promise_more(r, all.passed, *Cell::rate::make(t.asked, Clock::hertz(), t.options));
    promise_answers(r, limit, all.end<Clock>(), units);
}

// A log: in no interval of one period more than its units.
template <class Log, clock Clock>
void soak_log(round& r, std::uint64_t most_units) {
    using limiter = weir::limiter<Log, Clock, counters>;
    terms t{per_second(1), {}, 0};
    auto limit = any_limiter<limiter>(r, t, [&] {
        terms one = any_terms_of<Log, Clock>(r.random(), most_units);
        one.asked = one.asked.with_burst(one.asked.units());
        one.options.start = options::whole_burst;
        return one;
    });
    (void)limit.peek(0, begin_of<Clock>(r));
    const asked all = ask_limiter(r, limit, t);

    const auto units = static_cast<word>(t.asked.units());
    const word most =
        most_in_interval(all.passed, static_cast<word>(to_ticks<Clock>(t.asked.period())));
    r.uses(static_cast<double>(most) / static_cast<double>(units));
    r.promise(most <= units * begun_anew(all),
              command::grouped(most) + " units passed within one period");
    promise_answers(r, limit, all.end<Clock>(), units);
}

// The rounds of any cell.
template <class Cell, clock Clock>
void soak_of_its_family(round& r, std::uint64_t places) {
    if constexpr (log_cell<Cell>) {
        soak_log<Cell, Clock>(r, places);
    } else if constexpr (period_cell<Cell>) {
        soak_window<Cell, Clock>(r);
    } else {
        soak_meter<Cell, Clock>(r);
    }
}

}  // namespace weir::soak
