// SPDX-License-Identifier: MIT
// A limit is told what a server says is left while others decide, reserve and give back: one of
// them is stopped at each access to an atomic and to the clock. Together they get no more than one
// after the other, and never more than the server said.
#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_words, 1'024>;

constexpr word units = 8;
constexpr word begin = 1'000'000 * clock::hertz();

// Of a used limit two units are reserved by two each, where the cell reserves, and two are taken.
template <class Limit>
struct scene {
    static constexpr bool reserves = requires(Limit l) { l.reserve(1U); };

    scene() {
        clock::set({begin});
        (void)limit.try_acquire(2);
        if constexpr (reserves) {
            old[0] = limit.reserve(2);
            old[1] = limit.reserve(2);
        } else {
            (void)limit.try_acquire(4);
        }
    }

    void take(word n) { got += limit.try_acquire(n) ? n : 0; }
    void take_up_to(word n) { got += limit.acquire_up_to(n).units; }
    void give_back(int which) {
        if constexpr (reserves) (void)limit.refund(std::move(old[which]));
    }

    // All that passes from now on, until and after the reset.
    [[nodiscard]] word passes(word until) {
        word all = 0;
        for (word t = 0; t < until; t += clock::hertz() / 8) {
            clock::set({begin + t});
            all += limit.acquire_up_to(2 * units).units;
        }
        return all;
    }

    struct at_begin {
        at_begin() { clock::set({begin}); }
    } time;
    Limit limit{quota{units, seconds(8)}};
    std::conditional_t<reserves, typename Limit::permit_type, int> old[2]{};
    word got = 0;
};

template <class Limit>
struct deed {
    const char* name;
    void (*act)(scene<Limit>&);
};
constexpr word told = 1;  // fewer than there are
constexpr auto until = seconds(6);

template <class Limit>
constexpr deed<Limit> tellings[] = {
    {"lower", [](scene<Limit>& s) { (void)s.limit.lower_remaining(told, until); }},
    {"set", [](scene<Limit>& s) { (void)s.limit.set_remaining(told, until); }},
};
template <class Limit>
constexpr deed<Limit> others[] = {
    {"take one", [](scene<Limit>& s) { s.take(1); }},
    {"take two", [](scene<Limit>& s) { s.take(2); }},
    {"take up to three", [](scene<Limit>& s) { s.take_up_to(3); }},
    {"give back the first", [](scene<Limit>& s) { s.give_back(0); }},
    {"give back the last", [](scene<Limit>& s) { s.give_back(1); }},
    {"give both back", [](scene<Limit>& s) { s.give_back(1), s.give_back(0); }},
    {"lower to none", [](scene<Limit>& s) { (void)s.limit.lower_remaining(0, until); }},
};

struct outcome {
    word got;     // meanwhile
    word before;  // then, until the reset
    word later;   // until two periods after it
};
template <class Limit>
[[nodiscard]] outcome outcome_of(scene<Limit>& s) {
    outcome o{s.got, s.passes(6 * clock::hertz()), 0};
    o.later = s.passes(24 * clock::hertz());
    return o;
}

template <class Cell>
class stopped_word : public testing::Test {};
using cells = weir::only<weir::are_told, weir::every_cell<units, word>>;
TYPED_TEST_SUITE(stopped_word, cells::as<testing::Types>);

TYPED_TEST(stopped_word, is_obeyed_whoever_is_stopped) {
    using limit = weir::limiter<TypeParam, clock>;
    const auto& set = tellings<limit>[1];
    for (const auto& telling : tellings<limit>) {
        for (const auto& other : others<limit>) {
            outcome in_turn[2]{};
            for (const bool first : {false, true}) {
                scene<limit> s;
                (first ? telling : other).act(s);
                (first ? other : telling).act(s);
                in_turn[first ? 1 : 0] = outcome_of(s);
                ASSERT_LE(in_turn[first ? 1 : 0].before, told);
            }
            for (const bool tells : {false, true}) {  // who is stopped
                for (int when = 0;; ++when) {
                    scene<limit> s;
                    const auto act = [&] { (tells ? telling : other).act(s); };
                    const auto meanwhile = [&] { (tells ? other : telling).act(s); };
                    if (!stopped::stop(when, act, meanwhile)) break;
                    const outcome is = outcome_of(s);
                    ASSERT_LE(is.before, told)
                        << telling.name << ", " << other.name << ", " << tells << ", at " << when;
                    // A log that is set lets pass what there was, or less, until its last write.
                    const bool may_deny = weir::log_cell<TypeParam> && &telling == &set;
                    ASSERT_TRUE(std::any_of(in_turn, in_turn + 2,
                                            [&](const outcome& o) {
                                                return (is.got == o.got ||
                                                        (may_deny && is.got < o.got)) &&
                                                       is.before <= o.before && is.later <= o.later;
                                            }))
                        << telling.name << ", " << other.name << ", " << tells << ", at " << when
                        << ": " << is.got << " " << is.before << " " << is.later;
                }
            }
        }
    }
}

// Also where the limit is as strict without it, and so writes no other state.
TEST(stopped_refund, gives_nothing_back_once_the_server_has_spoken) {
    for (int when = 0;; ++when) {
        clock::set({begin});
        weir::limiter<weir::gcra<>, clock> api{quota{8, seconds(8)}};
        (void)api.try_acquire(6);
        auto mine = api.reserve(2);
        const auto refund = [&] { (void)api.refund(std::move(mine)); };
        const auto meanwhile = [&] { (void)api.lower_remaining(0); };
        if (!stopped::stop(when, refund, meanwhile)) break;
        ASSERT_EQ(api.peek(0).remaining(), 0U) << "stopped at " << when;
    }
}

// Whose place has not been recorded yet seems to have come with the last one. It came before, so it
// passes again before the reset, and has to be counted.
TEST(stopped_log_that_is_told, counts_who_has_not_recorded_its_time_yet) {
    using limit = weir::limiter<weir::sliding_log<3>, clock>;
    for (int when = 0;; ++when) {
        clock::set({begin});
        limit api{quota{3, seconds(8)}};
        (void)api.peek();
        const auto claim = [&] { EXPECT_TRUE(api.try_acquire()); };
        const auto meanwhile = [&] {
            clock::set({begin + 3 * clock::hertz()});
            EXPECT_TRUE(api.try_acquire());
            (void)api.lower_remaining(1, seconds(6));
        };
        if (!stopped::stop(when, claim, meanwhile)) break;
        word all = 0;
        for (word t = begin + 3 * clock::hertz(); t < begin + 9 * clock::hertz(); t += 64) {
            clock::set({t});
            all += api.acquire_up_to(3).units;
        }
        // Unless it is who was stopped that took the unit.
        ASSERT_LE(all, 1U) << "stopped at " << when;
    }
}

}  // namespace
