// SPDX-License-Identifier: MIT
// Any limit of the library decides when items go.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class asking_test : public run {};

TEST_F(asking_test, takes_any_limit_of_the_library) {
    const auto pace = [&](auto& p, int items) {
        book_ = {};
        clock::set({1'000});
        auto mine = p.open();
        for (int i = 0; i < items; ++i) EXPECT_TRUE(mine.try_push(make("x")));
        EXPECT_EQ(poll_until(p, 1'000'000).what, polled::idle);
        EXPECT_EQ(book_.times.size(), static_cast<std::size_t>(items));
    };
    using many = lanes<1, 64>;
    {
        using limiter = weir::limiter<weir::gcra<>, clock>;
        limiter shared{quota{10, seconds(1), 3}};
        pacer<limiter&, many> p(shared, book_);
        pace(p, 30);
        EXPECT_TRUE(book_.times.keeps(10, 1'000, 4));
        EXPECT_EQ(clock::now(), instant{1'000 + 27 * 100});
        auto mine = p.open();
        EXPECT_FALSE(mine) << "one lane, which is not known to be free before the next poll";
    }
    {
        using log = weir::limiter<weir::sliding_log<10>, clock>;
        pacer<log, many> p(log{weir::per_second(10)}, book_);
        pace(p, 64);
        EXPECT_EQ(book_.times.most_within(1'000), 10U);
        EXPECT_EQ(clock::now(), instant{1'000 + 6 * 1'000});
    }
    {
        using fast = weir::limiter<weir::gcra<>, clock>;
        using log = weir::limiter<weir::sliding_log<20>, clock>;
        fast often{quota{10, seconds(1), 1}};
        log seldom{quota{20, seconds(60)}};
        weir::pacer<item, ledger&, weir::all_of<fast, log>, many> p(weir::all_of(often, seldom),
                                                                    book_);
        pace(p, 50);
        EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
        EXPECT_EQ(book_.times.most_within(60'000), 20U);
        EXPECT_EQ(clock::now(), instant{1'000 + 120'000 + 900});
    }
}

TEST_F(asking_test, changes_the_rate_of_an_adjustable_that_others_use_too) {
    using limiter = weir::adjustable<clock>;
    limiter shared{quota{10, seconds(1), 1}};
    pacer<limiter&> p(shared, book_);
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    EXPECT_EQ(p.poll().at, instant{1'100});
    clock::set({1'050});
    EXPECT_EQ(p.set_rate(quota{1, seconds(1), 1}), weir::quota_error::none);
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"x", 1'000}, {"x", 1'550}, {"x", 2'550}}));
}

TEST_F(asking_test, waits_not_a_tick_too_long_for_several_limits) {
    using slow_clock = weir::manual_clock<struct slow_ticks, 24'000'000>;
    using limiter = weir::limiter<weir::gcra<>, slow_clock>;
    limiter often{quota{1'000, seconds(1), 1}};
    limiter seldom{quota{7, seconds(1), 1}};
    auto to = weir::sink{[](int&&) {}, [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), weir::all_of<limiter, limiter>, lanes<1, 16>> p(
        weir::all_of(often, seldom), decltype(to)(to));
    auto mine = p.open();
    (void)mine.try_push(1);
    (void)mine.try_push(1);
    for (word now = 1'000; now < 2'000; ++now) {
        slow_clock::set({now});
        const auto next = p.poll();
        ASSERT_EQ(next.at.count,
                  now + seldom.peek(1, weir::instant<slow_clock>{now}).ticks().retry_after());
    }
}

}  // namespace
}  // namespace in_virtual_time
