// SPDX-License-Identifier: MIT
// Planted bugs: what the checks must find, and in which words.
#include "../oracle/mistakes.hpp"

#include "kinds.hpp"

namespace {

using model::charge;
using model::check;
using model::every_schedule;
using model::preempted;
using model::race;
using model::relacy_atomic;
using model::script;
using model::searches;
using model::start;
using model::take;
using model::word;

const searches all{every_schedule};

template <class T>
using in_two_steps = oracle::in_two_steps<T, relacy_atomic>;

// Tries for ever to exchange what is no longer there.
class looks_only_once : public weir::gcra<word, relacy_atomic> {
public:
    auto try_acquire(weir::tick now, word n, const rate& r) noexcept {
        const word state = load();
        const auto s = r.take(state, now, n);
        weir::lost_races lost;
        word seen = state;
        while (s.verdict == weir::verdict::admitted && n != 0 && !try_replace(seen, s.next, lost)) {
            seen = state;
        }
        return r.answer(s, now);
    }
};

class writes_when_it_denies : public weir::gcra<word, relacy_atomic> {
public:
    auto try_acquire(weir::tick now, word n, const rate& r) noexcept {
        const auto d = gcra::try_acquire(now, n, r);
        if (!d && !restore(now, state(now, r), r)) return d;
        return d;
    }
};

// Looks once, decides, and writes what it has decided on whatever is there by then.
class fills_when_it_starts : public weir::gcra<word, relacy_atomic> {
public:
    void start(weir::tick now, word n, const rate& r) noexcept {
        if (load() == 0) fill(now, n, r);
    }
};

template <class Cell>
[[nodiscard]] model::maker racing(const script& s) {
    return model::racing<Cell, weir::gcra<>>(s);
}

constexpr script ones{.limit = {1, weir::seconds(1), 2},
                      .there = 2,
                      .asked = {{{take(1)}, {take(1)}, {take(1)}}},
                      .least = 2,
                      .most = 2};
constexpr script debts{.limit = {1, weir::seconds(1), 2},
                       .options = {.debt = 3},
                       .there = 2,
                       .asked = {{{charge(2)}, {take(1)}, {charge(2)}}},
                       .least = 4,
                       .most = 2 + 3};
constexpr script empty{.limit = {1, weir::seconds(1), 2},
                       .there = 0,
                       .asked = {{{take(1)}, {take(1)}, {take(2)}}},
                       .least = 0,
                       .most = 0};
constexpr script fresh{.limit = {1, weir::seconds(1), 2},
                       .used = false,
                       .asked = {{{start(2), take(1)}, {start(2), take(1)}, {start(2), take(1)}}},
                       .least = 2,
                       .most = 2};

const check more("finds_more_by_a_compare_exchange_in_two_steps", all,
                 racing<weir::gcra<word, in_two_steps>>(ones), "they got more than promised");

const check lost("finds_a_charge_lost_by_a_compare_exchange_in_two_steps", all,
                 racing<weir::gcra<word, in_two_steps>>(debts),
                 "one thread is not told this in any order");

const check stuck("finds_a_loop_that_does_not_look_again", all, racing<looks_only_once>(ones),
                  "LIVELOCK");

const check denial("finds_a_denial_that_writes", all, racing<writes_when_it_denies>(empty),
                   "who got nothing has written");

const check restart("finds_a_start_that_undoes_what_was_taken", all,
                    racing<fills_when_it_starts>(fresh), "they got more than promised");

const check little("finds_a_search_that_sees_too_little", {preempted(0)},
                   racing<weir::gcra<word, relacy_atomic>>(
                       {.limit = {1, weir::seconds(1), 3},
                        .there = 3,
                        .asked = {{{take(1), take(1)}, {take(2), take(1)}, {take(1)}}},
                        .least = 3,
                        .most = 3}),
                   "never seen: [1-9]");

}  // namespace
