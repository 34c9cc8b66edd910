// SPDX-License-Identifier: MIT
// Calls in flight, stopped at any access while others begin, end, wait, give up and change the cap.
// Who is stopped holds up nobody, and a place that it has counts as in use; nothing is lost, and
// whoever waits is told of each place that becomes free.
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/place_queue.hpp>

namespace {

using weir::call_token;
using weir::in_flight;
using weir::word;
using weir::detail::place_waiter;

// All is one thread here, so there is nobody to lock out. Whoever is stopped with the mutex would
// hold up others who want it; so nobody is stopped within.
struct one_thread {
    struct guard {
        guard() : others(std::exchange(stopped::others, nullptr)) {}
        ~guard() { stopped::others = std::move(others); }
        guard(const guard&) = delete;
        guard& operator=(const guard&) = delete;

        std::function<void()> others;
    };
    static guard lock(const in_flight&) { return {}; }
};
using queue = weir::detail::place_queue<one_thread>;

// Stands in the queue and counts what it is told.
struct listener : place_waiter {
    explicit listener(bool acts = true) : place_waiter(&tell, acts) {}
    static void tell(place_waiter& who) noexcept { ++static_cast<listener&>(who).told; }
    int told = 0;
};

// What others do meanwhile, with tokens of their own.
struct deed {
    int ends;    // of calls that they have from before
    int begins;  // calls that they try to begin, and keep
    int passes;  // calls that begin and end
};
const deed deeds[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 0, 3}, {1, 0, 0},
                      {1, 1, 0}, {1, 2, 0}, {2, 0, 0}, {2, 1, 1}, {2, 3, 2}};

struct others {
    others(in_flight& all, word before) : calls(all) {
        for (word i = 0; i < before; ++i) held.push_back(calls.try_begin());
    }
    void act(const deed& d) {
        for (int i = 0; i < d.ends && !held.empty(); ++i) held.pop_back();
        for (int i = 0; i < d.begins; ++i) {
            auto call = calls.try_begin();
            if (call) held.push_back(std::move(call));
        }
        for (int i = 0; i < d.passes; ++i) const auto passing = calls.try_begin();
    }

    in_flight& calls;
    std::vector<call_token> held;
};

TEST(stopped_in_flight, begins_and_ends_as_if_at_one_instant) {
    for (const word most : {word{1}, word{2}, word{3}}) {
        for (word before = 0; before <= most; ++before) {
            for (const deed& d : deeds) {
                for (int when = 0;; ++when) {
                    in_flight calls{most};
                    others they(calls, before);
                    bool begun = false;
                    std::size_t seen = 0;
                    const bool was_stopped = stopped::stop(
                        when,
                        [&] {
                            const auto call = calls.try_begin();
                            begun = static_cast<bool>(call);
                        },
                        [&] {
                            they.act(d);
                            seen = they.held.size();
                        });
                    EXPECT_LE(seen, most);
                    if (before < most && d.begins + d.passes == 0) {
                        EXPECT_TRUE(begun);
                    }
                    if (before == most && d.ends == 0) {
                        EXPECT_FALSE(begun);
                    }
                    ASSERT_EQ(calls.approx_in_use(), they.held.size());
                    they.held.clear();
                    ASSERT_EQ(calls.approx_in_use(), 0U) << "stopped at " << when;
                    if (!was_stopped) break;
                }
            }
        }
    }
}

// Somebody waits, and a call ends, by one who is stopped at each access. Others end calls too. All
// places are told of in the end, and as many as others free while one is stopped are told by them.
TEST(stopped_in_flight, tells_who_waits_of_each_place_that_becomes_free) {
    for (const bool one_acts : {true, false}) {
        for (int when = 0;; ++when) {
            in_flight calls{2};
            others they(calls, 2);
            listener first(one_acts);
            listener second;
            queue::join(calls, first, false);
            queue::join(calls, second, false);
            int told_meanwhile = 0;
            auto mine = std::move(they.held.back());
            they.held.pop_back();
            const bool was_stopped = stopped::stop(
                when, [&] { mine.end(); },
                [&] {
                    they.held.clear();
                    told_meanwhile = first.told + second.told;
                });
            if (was_stopped) {
                EXPECT_GE(told_meanwhile, 1) << "stopped at " << when;
            }
            they.held.clear();
            EXPECT_EQ(first.told + second.told, 2) << "stopped at " << when;
            EXPECT_EQ(calls.approx_in_use(), 0U);
            if (!was_stopped) break;
        }
    }
}

// Who joins is stopped at each access while a call ends: it is told, or sees the free place.
TEST(stopped_in_flight, misses_no_end_while_it_joins) {
    for (int when = 0;; ++when) {
        in_flight calls{1};
        auto held = calls.try_begin();
        listener me;
        bool begun = false;
        const bool was_stopped = stopped::stop(
            when,
            [&] {
                auto call = calls.try_begin();
                if (!call) {
                    queue::join(calls, me, false);
                    call = calls.try_begin();
                }
                begun = static_cast<bool>(call);
                if (begun && !queue::leave(calls, me) && me.told != 0) queue::tell(calls, 1);
            },
            [&] { held.end(); });
        EXPECT_TRUE(begun || me.told == 1 || !was_stopped) << "stopped at " << when;
        if (!was_stopped) {
            held.end();
            EXPECT_EQ(me.told, 1);
            break;
        }
        EXPECT_EQ(calls.approx_in_use(), 0U);
    }
}

TEST(stopped_in_flight, may_change_its_cap_at_any_instant) {
    for (const word wanted : {word{1}, word{2}, word{3}}) {
        for (const deed& d : deeds) {
            for (int when = 0;; ++when) {
                in_flight calls{2};
                others they(calls, 2);
                listener waits;
                queue::join(calls, waits, false);
                const bool was_stopped = stopped::stop(
                    when, [&] { (void)calls.set_most(wanted); }, [&] { they.act(d); });
                EXPECT_EQ(calls.most(), wanted);
                EXPECT_EQ(calls.approx_in_use(), they.held.size());
                if (wanted == 3 && d.begins + d.passes + d.ends == 0) {
                    EXPECT_EQ(waits.told, 1);
                }
                they.held.clear();
                EXPECT_EQ(waits.told, 1) << "stopped at " << when;
                EXPECT_EQ(calls.approx_in_use(), 0U);
                if (!was_stopped) break;
            }
        }
    }
}

// With a quota beside it: whoever is stopped between the place and the units has the place, and the
// others have all the rest. What is refused has neither in the end.
TEST(stopped_in_flight, takes_units_and_a_place_or_neither) {
    using clock = weir::manual_clock<struct stopped_calls, 1'024>;
    using limiter = weir::limiter<weir::gcra<>, clock>;
    for (const word there : {word{1}, word{2}, word{3}}) {
        for (const word most : {word{1}, word{2}}) {
            for (int when = 0;; ++when) {
                limiter rate{weir::quota{1, weir::seconds(1), 3}};
                (void)rate.try_acquire(3 - there);
                in_flight calls{most};
                weir::all_of both{rate, calls};
                word got = 0;
                std::vector<call_token> tokens;
                const auto take = [&] {
                    auto d = both.try_acquire();
                    if (!d) return;
                    ++got;
                    tokens.push_back(d.take_token());
                };
                const bool was_stopped = stopped::stop(when, take, [&] {
                    take();
                    take();
                });
                EXPECT_EQ(calls.approx_in_use(), tokens.size());
                EXPECT_EQ(rate.peek(0).remaining(), there - got) << "stopped at " << when;
                EXPECT_LE(got, most);
                EXPECT_GE(got, was_stopped && most == 1 ? 0U : 1U);
                tokens.clear();
                EXPECT_EQ(calls.approx_in_use(), 0U);
                if (!was_stopped) break;
            }
        }
    }
}

}  // namespace
