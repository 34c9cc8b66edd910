// SPDX-License-Identifier: MIT
// Refunds: whatever the schedule, they give back together no more than they would one after the
// other in some order. (That the rule itself is right, one at a time, is the oracle's to show.)
#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <memory>
#include <set>

#include <weir/cell/gcra.hpp>
#include <weir/cell/refund_ledger.hpp>

#include "check.hpp"

namespace {

using model::check;
using model::drawn;
using model::preempted;
using model::relacy_atomic;
using model::require;
using model::searches;
using weir::word;

constexpr word begin = 1'000'000;
constexpr word second = 1'000;
using rate = weir::gcra<>::rate;

enum class act { nothing, refund, undo, take, reset, take_and_refund, take_and_undo };
struct action {
    act what = act::nothing;
    word units = 0;
    word at = 0;  // if not when the others act
};
struct script {
    word there;                               // units when the permits are taken
    std::array<word, model::threads> booked;  // by each thread, one after the other
    word at;                                  // when the threads act, at the latest
    std::array<std::array<action, 2>, model::threads> asked;
};

template <template <class> class Atomic>
struct limit {
    weir::gcra<word, Atomic> cell;
    weir::refund_ledger<word, Atomic> ledger;
};

struct permit {
    word landed = 0;
    word generation = 0;
    word until = 0;
    word units = 0;
};

template <class Limit>
[[nodiscard]] permit reserve(Limit& l, word n, word now, const rate& r) {
    const auto mark = l.ledger.now();
    const auto s = l.cell.reserve({now}, n, 100 * second, r);
    return {mark.landed, mark.generation, s.next, n};
}

template <class Limit>
void give_back(Limit& l, const permit& p, word now, const rate& r) {
    const auto clock = [=]() noexcept { return weir::tick{now}; };
    l.ledger.give_back(l.cell, {p.landed, p.generation}, p.until, r.cost(p.units), true, clock, r);
}

template <class Limit>
void undo(Limit& l, const permit& p, const rate& r) {
    l.ledger.undo(l.cell, {p.landed, p.generation}, p.until, r.cost(p.units), r);
}

// The units that were taken for good.
template <class Limit>
word perform(Limit& l, const action& a, const permit& mine, word now, const rate& r) {
    switch (a.what) {
        case act::nothing: break;
        case act::refund: give_back(l, mine, now, r); break;
        case act::undo: undo(l, mine, r); break;
        case act::take: return l.cell.try_acquire({now}, a.units, r) ? a.units : 0;
        case act::take_and_refund: give_back(l, reserve(l, a.units, now, r), now, r); break;
        case act::take_and_undo: undo(l, reserve(l, a.units, now, r), r); break;
        case act::reset:
            l.ledger.begin_reset();
            l.cell.fill({now}, a.units, r);
            l.ledger.end_reset();
            break;
    }
    return 0;
}

struct outcome {
    word taken;
    word backlog;  // in ticks
    friend constexpr auto operator<=>(const outcome&, const outcome&) = default;
};

template <template <class> class Atomic>
class giving_back final : public model::scenario {
public:
    explicit giving_back(const script& s)
        : script_(s), rate_(rate::make({1, weir::seconds(1), 5}, second, {.debt = 0}).value()) {
        std::array<std::size_t, 6> turns{0, 0, 1, 1, 2, 2};
        do {
            limit<weir::atomic> l;
            std::array<permit, model::threads> permits = taken(l);
            std::array<std::size_t, model::threads> done{};
            word units = 0;
            for (const std::size_t t : turns) {
                const action& a = script_.asked[t][done[t]];
                units += perform(l, a, permits[t], now(a), rate_);
                ++done[t];
            }
            alone_.insert({units, backlog(l)});
        } while (std::next_permutation(turns.begin(), turns.end()));
    }

    void before() override {
        limit_.begin();
        permits_ = taken(*limit_);
        units_ = {};
    }
    void thread(std::size_t index) override {
        for (const action& a : script_.asked[index]) {
            units_[index] += perform(*limit_, a, permits_[index], now(a), rate_);
        }
    }
    void after() override {
        const outcome got{units_[0] + units_[1] + units_[2], backlog(*limit_)};
        // Who got less may have left more behind.
        const bool no_more = std::any_of(alone_.begin(), alone_.end(), [&](const outcome& o) {
            return got.taken <= o.taken &&
                   got.backlog + (o.taken - got.taken) * second >= o.backlog;
        });
        require(no_more, "they gave back more than one after the other");
        saw_all_given_back_ = saw_all_given_back_ || alone_.contains(got);
        limit_.end();
    }
    [[nodiscard]] bool saw_enough() const override { return saw_all_given_back_; }

private:
    [[nodiscard]] word now(const action& a = {}) const {
        return begin + (a.at == 0 ? script_.at : a.at);
    }

    template <class Limit>
    [[nodiscard]] std::array<permit, model::threads> taken(Limit& l) const {
        l.cell.fill({begin}, script_.there, rate_);
        std::array<permit, model::threads> permits;
        for (std::size_t i = 0; i < model::threads; ++i) {
            if (script_.booked[i] != 0) permits[i] = reserve(l, script_.booked[i], begin, rate_);
        }
        return permits;
    }
    template <class Limit>
    [[nodiscard]] word backlog(const Limit& l) const {
        return l.cell.peek({now()}, 0, rate_).reset_after();
    }

    script script_;
    rate rate_;
    std::set<outcome> alone_;
    model::shared<limit<Atomic>> limit_;
    std::array<permit, model::threads> permits_;
    std::array<word, model::threads> units_{};
    bool saw_all_given_back_ = false;
};

template <template <class> class Atomic = relacy_atomic>
[[nodiscard]] model::maker refunding(const script& s) {
    return [=] { return std::make_unique<giving_back<Atomic>>(s); };
}

constexpr action refund{act::refund};
constexpr action undone{act::undo};
constexpr action take{act::take, 1};
const searches some{preempted(2), drawn(200'000)};

constexpr script all_three{5, {2, 2, 1}, 1'500, {{{refund}, {refund}, {refund}}}};
const check three("refunds_of_three_give_back_no_more_than_has_not_drained", some,
                  refunding(all_three));
const check taking("refunds_give_nobody_more_than_the_burst", some,
                   refunding({5, {2, 2, 0}, 2'500, {{{refund}, {refund}, {take, take}}}}));
const check
    reset("refunds_of_before_a_reset_give_nothing_back", some,
          refunding({5, {2, 2, 0}, 1'000, {{{refund}, {refund, take}, {action{act::reset, 3}}}}}));
const check anew(
    "refunds_of_new_permits_meet_those_of_old_ones", some,
    refunding({5, {2, 2, 0}, 3'500, {{{refund}, {refund}, {action{act::take_and_refund, 2}}}}}));
// The second span has come nearer by the time that it is given back, and half of it has gone by.
constexpr script drained{5, {2, 2, 1}, 2'500, {{{action{act::refund, 0, 1'000}}, {refund}, {}}}};
const check moved("refunds_of_spans_that_have_moved_give_back_what_has_not_drained", some,
                  refunding(drained));
const check waiting("refunds_of_those_who_wait_move_nobody_else", some,
                    refunding({0, {2, 1, 1}, 500, {{{refund}, {refund}, {refund, take}}}}));
const check undoing("what_is_undone_is_the_last_that_was_taken", some,
                    refunding({5, {2, 2, 0}, 1'500, {{{undone}, {undone}, {take, take}}}}));
const check in_vain(
    "what_is_taken_and_undone_meets_refunds_and_resets", some,
    refunding({5,
               {2, 0, 0},
               500,
               {{{refund}, {action{act::take_and_undo, 2}}, {action{act::reset, 3}, take}}}}));
const check both("what_is_taken_and_undone_by_two_meets_a_refund", some,
                 refunding({5,
                            {2, 0, 0},
                            500,
                            {{{refund},
                              {action{act::take_and_undo, 2}},
                              {action{act::take_and_undo, 1}, take}}}}));

// Planted: refunds that nobody is told of, and a cell that exchanges in two steps.
template <class T>
class tells_nobody : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    T fetch_add_relaxed(T) noexcept { return this->load_relaxed(); }
};
template <class T>
class in_two_steps : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        const T seen = this->load_acquire();
        const bool same = seen == expected;
        if (same) this->store_release(desired);
        expected = seen;
        return same;
    }
};
const char* const too_much = "they gave back more than one after the other";
const check untold("finds_refunds_that_are_not_announced", some, refunding<tells_nobody>(drained),
                   too_much);
const check steps("finds_refunds_that_exchange_in_two_steps", some,
                  refunding<in_two_steps>({5, {2, 2, 0}, 0, {{{refund}, {refund}, {take, take}}}}),
                  too_much);

}  // namespace
