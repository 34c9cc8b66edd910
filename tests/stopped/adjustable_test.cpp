// SPDX-License-Identifier: MIT
// A limit whose quota changes: whoever is stopped at whichever access, no time passes, so what all
// get together is what was there.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_quotas, 1'024>;
using instant = weir::instant<clock>;
using limiter = weir::adjustable<clock>;

constexpr instant begin{1'000'000};
constexpr quota few{1, seconds(1), 2};
constexpr quota many{4, seconds(1), 8};

// Some seconds after it began with two units in it, of which one was reserved. After one a small
// one is just full, after two it has been for a while, and a larger one holds no more for that;
// what was reserved has drained then.
struct scene {
    scene(const quota& q, word after)
        : now{begin.count + after * clock::hertz()},
          limit(q, {.start = 2}, begin),
          old(limit.reserve(1, {}, begin)) {
        there = limit.peek(0, now).remaining();
        drained = there == static_cast<word>(q.burst());
        if (!drained) ++there;
    }

    void change(const quota& q) { EXPECT_EQ(limit.set_quota(q, {}, now), weir::quota_error::none); }
    void take() { got += limit.try_acquire(1, now) ? 1U : 0U; }
    void take_all() {
        while (limit.try_acquire(1, now)) ++got;
    }
    void reserve_and_refund() {
        auto p = limit.reserve(1, {}, now);
        if (p && !limit.refund(std::move(p), 1, now)) ++got;
    }

    void refund_old() { (void)limit.refund(std::move(old), 1, now); }

    instant now;
    limiter limit;
    limiter::permit_type old;
    word there;
    bool drained;
    word got = 0;
};

struct deed {
    const char* name;
    std::function<void(scene&)> act;
};
const deed deeds[] = {
    {"take", [](scene& s) { s.take(); }},
    {"take all", [](scene& s) { s.take_all(); }},
    {"reserve and refund", [](scene& s) { s.reserve_and_refund(); }},
    {"refund", [](scene& s) { s.refund_old(); }},
    {"refund after more", [](scene& s) { s.change(many), s.refund_old(); }},
    {"more", [](scene& s) { s.change(many); }},
    {"less", [](scene& s) { s.change(few); }},
    {"less and more", [](scene& s) { s.change(few), s.change(many); }},
    {"more and less", [](scene& s) { s.change(many), s.change(few); }},
};

// Who changes the quota holds its mutex, so others do not change it then.
[[nodiscard]] bool changes(const deed& d) { return &d - deeds > 3; }

TEST(stopped_adjustable, lets_everybody_get_together_what_there_was) {
    int stops = 0;
    for (int start = 0; start < 6; ++start) {
        const quota& first = start < 3 ? few : many;
        for (const deed& one : deeds) {
            for (const deed& other : deeds) {
                if (changes(one) && changes(other)) continue;
                for (int when = 0, more = 1; more != 0; ++when, ++stops) {
                    scene s(first, static_cast<word>(start % 3));
                    const auto act = [&] { one.act(s); };
                    more = stopped::stop(when, act, [&] { other.act(s); }) ? 1 : 0;
                    s.take_all();
                    const std::string what = std::string(one.name) + ", and before its access " +
                                             std::to_string(when) + " " + other.name;
                    ASSERT_LE(s.got, s.there) << what;
                    // A small bucket that others make large and small again loses nothing.
                    if (start < 3 && s.drained) {
                        ASSERT_EQ(s.got, s.there) << what;
                    }
                }
            }
        }
    }
    EXPECT_GT(stops, 1'000);
}

// What was reserved has gone by when the one who gives it back is stopped, since others raised the
// rate and time passed; or none of it has, if they lowered it. Its clock is one of the places.
TEST(stopped_adjustable, gives_back_what_is_still_to_come_by_the_quota_of_that_time) {
    const quota fast{4, seconds(1), 8};
    const quota slow{1, seconds(1), 8};
    struct change {
        quota from;
        quota to;
        word later;  // seconds
        word come;   // units since, of the eight
    };
    for (const change& c : {change{slow, fast, 2, 8}, {slow, fast, 1, 4}, {fast, slow, 2, 2}}) {
        for (int when = 0;; ++when) {
            clock::set(begin);
            limiter limit(c.from, {}, begin);
            auto p = limit.reserve(8);
            const auto refund = [&] { (void)limit.refund(std::move(p)); };
            const auto others = [&] {
                EXPECT_EQ(limit.set_quota(c.to), weir::quota_error::none);
                clock::advance(seconds(static_cast<std::int64_t>(c.later)));
                // So that more of the past than there is could come back.
                EXPECT_TRUE(limit.try_acquire(c.come));
            };
            if (!stopped::stop(when, refund, others)) break;
            // Before the others or after them: of eight units these took some.
            const word there = limit.peek(0).remaining();
            EXPECT_LE(there, 8 - c.come)
                << "stopped at " << when << " of a quota that becomes " << c.to.units();
            EXPECT_GE(there, c.come == 8 ? 0 : 8 - c.come) << "stopped at " << when;
        }
    }
}

// Who raises the burst is stopped. Meanwhile somebody reserves, by a clock that is late or goes on,
// and gives back when it is over. Together no more pass than were there and have come since.
TEST(stopped_adjustable, gives_back_no_more_than_there_would_be_without_who_reserved) {
    const quota larger{1, seconds(1), 8};
    const auto after = [](word seconds) { return instant{begin.count + seconds * clock::hertz()}; };
    int stops = 0;
    for (word changed = 0; changed < 4; ++changed) {
        for (word reserved = 0; reserved < 6; ++reserved) {
            for (word returned = reserved; returned < 8; ++returned) {
                for (int when = 0;; ++when, ++stops) {
                    limiter limit(few, {.start = 2}, begin);
                    limiter::permit_type p;
                    const bool more = stopped::stop(
                        when,
                        [&] {
                            EXPECT_EQ(limit.set_quota(larger, {}, after(changed)),
                                      weir::quota_error::none);
                        },
                        [&] { p = limit.reserve(1, seconds(9), after(reserved)); });
                    if (!more) break;
                    const auto back = limit.refund(std::move(p), 1, after(returned));
                    word got = back ? 0 : 1;
                    while (limit.try_acquire(1, after(returned))) ++got;
                    const word come = returned > changed ? returned - changed : 0;
                    ASSERT_LE(got, (back ? 2 : 3) + come)
                        << "changed " << changed << ", reserved " << reserved << ", returned "
                        << returned << ", stopped " << when;
                }
            }
        }
    }
    EXPECT_GT(stops, 100);
}

}  // namespace
