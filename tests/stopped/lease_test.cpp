// SPDX-License-Identifier: MIT
// Leases that are stopped while they take units from their limit or give them back, and others who
// act then: all of them together get what there was, and what a lease did not spend comes back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/lease.hpp>

#include "lenders.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_leases, 1'024>;
using instant = weir::instant<clock>;

constexpr word unit = clock::hertz();
constexpr word begin = 1'000'000 * unit;
constexpr word burst = 8;

template <class Limit>
struct scene {
    scene() {
        (void)limit.try_acquire(1);
        // Of the first lease two are left.
        spend(one, 2);
    }

    void spend(weir::lease<Limit>& from, word n) { got += from.try_acquire(n) ? n : 0; }
    void take(word n) { got += limit.try_acquire(n) ? n : 0; }
    void take_all() {
        for (word i = 0; i < burst; ++i) take(1);
    }
    [[nodiscard]] word there() const { return limit.peek(0).remaining(); }

    struct at_begin {
        at_begin() { clock::set({begin}); }
    } time;
    Limit limit{quota{burst, seconds(static_cast<std::int64_t>(burst)), burst}};
    weir::lease<Limit> one{limit, 4, seconds(1)};
    weir::lease<Limit> another{limit, 3};
    word got = 1;
};

template <class Limit>
using deed = stopped::deed<scene<Limit>>;

// The first of them by the one who is stopped.
template <class Limit>
const std::vector<deed<Limit>>& deeds_of_one() {
    using s = scene<Limit>&;
    static const std::vector<deed<Limit>> all{
        {"spend what is left", [](s x) { x.spend(x.one, 2); }},
        {"restock", [](s x) { x.spend(x.one, 3); }},
        {"restock for more", [](s x) { x.spend(x.one, 7); }},
        {"give back", [](s x) { x.one.give_back(); }, true},
        {"give back at a time", [](s x) { x.one.give_back(clock::now()); }, true},
    };
    return all;
}
template <class Limit>
const std::vector<deed<Limit>>& deeds_of_others() {
    using s = scene<Limit>&;
    static const std::vector<deed<Limit>> all{
        {"take one", [](s x) { x.take(1); }},
        {"take two", [](s x) { x.take(2); }},
        {"take all", [](s x) { x.take_all(); }},
        {"take up to two", [](s x) { x.got += x.limit.acquire_up_to(2).units; }},
        {"lease", [](s x) { x.spend(x.another, 1); }},
        {"lease and give back", [](s x) { x.spend(x.another, 1), x.another.give_back(); }, true},
    };
    return all;
}

template <class Limit>
class stopped_lease : public testing::Test {};
using limits = stopped::lenders<clock, burst>;
TYPED_TEST_SUITE(stopped_lease, limits::as<testing::Types>);

TYPED_TEST(stopped_lease, and_all_others_get_what_there_was) {
    const auto check = [](auto& s, auto& one, auto& other, const std::string& what) {
        const word all = s.got + s.one.left() + s.another.left() + s.there();
        if (!weir::undoing<TypeParam> || (one.refunds && other.refunds)) {
            ASSERT_LE(all, burst) << what;
        } else {
            ASSERT_EQ(all, burst) << what;
        }
    };
    stopped::stop_each(deeds_of_one<TypeParam>(), deeds_of_others<TypeParam>(), check);
}

// Of five units that were taken, of which one goes by in a second, the last two are left.
TYPED_TEST(stopped_lease, gives_back_nothing_that_has_gone_by_while_it_was_stopped) {
    if (!weir::undoing<TypeParam>) return;
    constexpr word taken = 5;
    for (word later = 0; later < 2 * burst; ++later) {
        for (int when = 0;; ++when) {
            scene<TypeParam> s;
            word there = 0;
            const auto others = [&] {
                clock::set({begin + later * unit});
                there = s.there();
                s.take_all();
            };
            if (!stopped::stop(
                    when, [&] { s.one.give_back(); }, others))
                break;
            const word to_come = later < taken ? taken - later : 0;
            ASSERT_LE(there + s.there(), burst - to_come + (to_come < 2 ? to_come : 2))
                << later << " s later, stopped at " << when;
        }
    }
}

// What has grown old goes back at a time of the caller's, by which two seconds have passed.
TYPED_TEST(stopped_lease, that_gives_back_what_is_old_gets_no_more_for_it) {
    for (const auto& other : deeds_of_others<TypeParam>()) {
        for (int when = 0;; ++when) {
            scene<TypeParam> s;
            const auto act = [&] {
                s.got += s.one.try_acquire(1, instant{begin + 2 * unit}) ? 1U : 0U;
            };
            if (!stopped::stop(when, act, [&] { other.act(s); })) break;
            clock::set({begin + 2 * unit});
            ASSERT_LE(s.got + s.one.left() + s.another.left() + s.there(), burst + 2)
                << "before access " << when << " " << other.name;
        }
    }
}

}  // namespace
