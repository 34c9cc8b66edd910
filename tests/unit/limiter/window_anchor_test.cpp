// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>

namespace {

using weir::aligned_window;
using weir::hours;
using weir::nanoseconds;
using weir::quota;
using weir::quota_error;
using weir::seconds;

using clock = weir::manual_clock<struct of_anchors, 1'000>;  // so 1 tick is 1 ms
using time = weir::instant<clock>;
using windows = weir::limiter<aligned_window<>, clock>;

constexpr time at(std::int64_t seconds_since) { return time(seconds_since * 1'000); }

TEST(window_anchor, of_the_options_begins_the_days_of_an_exchange) {
    constinit static windows day{quota{2, hours(24)}, {.anchor = hours(22)}};
    constexpr std::int64_t hour = 3'600;
    EXPECT_TRUE(day.try_acquire(2, at(21 * hour)));
    const auto full = day.try_acquire(1, at(22 * hour - 1));
    EXPECT_EQ(full.retry_after(), seconds(1));
    EXPECT_TRUE(day.try_acquire(2, at(22 * hour)));
    EXPECT_EQ(day.try_acquire(1, at(24 * hour)).retry_after(), hours(22));
    EXPECT_FALSE(day.try_acquire(1, at(46 * hour - 1)));
    EXPECT_TRUE(day.try_acquire(2, at(46 * hour)));
}

TEST(window_anchor, may_be_before_the_clock_began) {
    for (const std::int64_t seconds_before : {3, 63, 603}) {
        windows minute{quota{1, seconds(60)}, {.anchor = seconds(-seconds_before)}};
        EXPECT_TRUE(minute.try_acquire(1, at(0)));
        EXPECT_EQ(minute.try_acquire(1, at(0)).retry_after(), seconds(57)) << seconds_before;
        EXPECT_FALSE(minute.try_acquire(1, at(56)));
        EXPECT_TRUE(minute.try_acquire(1, at(57)));
    }
    windows longest{quota{1, seconds(60)}, {.anchor = nanoseconds(INT64_MIN)}};
    EXPECT_TRUE(longest.try_acquire(1, at(0)));
}

TEST(window_anchor, counts_the_units_that_it_starts_with_in_its_own_windows) {
    windows minute{quota{5, seconds(60)}, {.start = 0, .anchor = seconds(30)}};
    EXPECT_EQ(minute.try_acquire(1, at(20)).retry_after(), seconds(10));
    EXPECT_TRUE(minute.try_acquire(5, at(30)));
    minute.reset(at(40));
    EXPECT_EQ(minute.try_acquire(1, at(40)).retry_after(), seconds(50));
}

TEST(window_anchor, that_is_set_keeps_what_was_used_of_the_window_under_way) {
    windows minute{quota{5, seconds(60)}};
    EXPECT_TRUE(minute.try_acquire(3, at(10)));
    minute.set_anchor(at(20), at(12));  // it ends 20 s later
    EXPECT_EQ(minute.peek(0, at(12)).remaining(), 2U);
    EXPECT_EQ(minute.try_acquire(3, at(59)).retry_after(), seconds(21));
    EXPECT_TRUE(minute.try_acquire(5, at(80)));
    minute.set_anchor(at(3'600 - 5), at(81));  // 25 s earlier
    EXPECT_EQ(minute.try_acquire(1, at(81)).retry_after(), seconds(34));
    EXPECT_TRUE(minute.try_acquire(5, at(115)));
}

TEST(window_anchor, that_goes_back_and_forth_around_a_seam_opens_one_window) {
    windows minute{quota{5, seconds(60)}};
    EXPECT_TRUE(minute.try_acquire(5, at(59)));
    minute.set_anchor(at(59), at(59));  // the next window begins now
    EXPECT_TRUE(minute.try_acquire(5, at(59)));
    minute.set_anchor(at(61), at(60));
    EXPECT_FALSE(minute.try_acquire(1, at(60)));
    EXPECT_EQ(minute.try_acquire(1, at(61)).retry_after(), seconds(60));
    EXPECT_TRUE(minute.try_acquire(5, at(121)));
}

TEST(window_anchor, that_changes_often_brings_one_window_more_at_most) {
    windows minute{quota{5, seconds(60)}, {.guard = weir::milliseconds(1)}};
    EXPECT_TRUE(minute.try_acquire(5, at(600)));
    std::uint64_t more = 0;
    for (int i = 0; i < 100; ++i) {
        minute.set_anchor(at(i % 2 == 0 ? 30 : 0), at(600));
        more += minute.acquire_up_to(5, at(600)).units;
    }
    EXPECT_LE(more, 5U);
    std::uint64_t in_an_hour = 0;
    for (int i = 0; i < 120; ++i) {
        minute.set_anchor(at(i % 2 == 0 ? 30 : 0), at(660 + 30 * i));
        in_an_hour += minute.acquire_up_to(5, at(660 + 30 * i)).units;
    }
    EXPECT_GE(in_an_hour, 59 * 5U);
    EXPECT_LE(in_an_hour, 61 * 5U);
}

TEST(window_anchor, is_set_as_the_option_is_written) {
    windows day{quota{2, hours(24)}, {.anchor = hours(22)}};
    EXPECT_TRUE(day.try_acquire(2, at(0)));
    day.set_anchor(hours(23));  // the end of summer time
    EXPECT_EQ(day.try_acquire(1, at(3'600)).retry_after(), hours(22));
    day.set_anchor(hours(-1));  // the same
    EXPECT_EQ(day.try_acquire(1, at(3'600)).retry_after(), hours(22));
}

TEST(window_anchor, goes_along_when_a_limit_is_moved_and_when_it_is_restored) {
    windows minute{quota{5, seconds(60)}, {.anchor = seconds(10)}};
    EXPECT_TRUE(minute.try_acquire(4, at(10)));
    minute.set_anchor(at(20), at(11));
    const auto saved = minute.save(at(12));
    windows other{std::move(minute)};
    EXPECT_EQ(other.try_acquire(2, at(12)).retry_after(), seconds(68));
    windows next{quota{5, seconds(60)}, {.anchor = seconds(20)}};
    EXPECT_TRUE(next.restore(saved, at(85)));
    EXPECT_EQ(next.try_acquire(2, at(85)).retry_after(), seconds(55));
    next = windows{quota{5, seconds(60)}};
    EXPECT_TRUE(next.try_acquire(5, at(85)));
    EXPECT_EQ(next.try_acquire(1, at(85)).retry_after(), seconds(35));
}

TEST(window_anchor, of_an_array_is_that_of_all_entries) {
    weir::limiter_array<3, aligned_window<>, clock> accounts{quota{1, seconds(60)},
                                                             {.start = 0, .anchor = seconds(10)}};
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        EXPECT_EQ(accounts[i].try_acquire(1, at(8)).retry_after(), seconds(2)) << i;
        EXPECT_TRUE(accounts[i].try_acquire(1, at(10))) << i;
    }
    accounts.set_anchor(at(5), at(11));
    for (std::size_t i = 0; i < accounts.size(); ++i)
        EXPECT_EQ(accounts[i].try_acquire(1, at(11)).retry_after(), seconds(54)) << i;
    weir::limiter_array<weir::any_size, aligned_window<>, clock> none(0, quota{1, seconds(60)});
    none.set_anchor(at(5), at(11));
}

TEST(window_anchor, of_any_other_cell_is_refused_with_a_sentence) {
    weir::for_each_kind([](auto kind) {
        using cell = typename decltype(kind)::template cell<8>;
        const auto made = weir::limiter<cell, clock>::make(quota{8, seconds(1)},
                                                           {.debt = 0, .anchor = seconds(1)});
        const bool is_aligned = std::is_same_v<cell, aligned_window<>>;
        EXPECT_EQ(made.error(), is_aligned ? quota_error::none : quota_error::anchor_unknown)
            << kind.name;
    });
    EXPECT_STREQ(describe(quota_error::anchor_unknown),
                 "only an aligned window that no other process shares has an anchor");
}

// Windows as a list of their ends would have them: no offset, no words, no wrap.
class model {
public:
    model(std::int64_t units, std::int64_t period, std::int64_t anchor, std::int64_t now)
        : units_(units), period_(period), first_(anchor), begin_(anchor), last_(window_of(now)) {}

    void set_anchor(std::int64_t anchor) {
        std::int64_t later = (anchor - first_) % period_;
        if (later < 0) later += period_;
        begin_ = first_ + (later <= period_ / 2 ? later : later - period_);
    }
    bool try_acquire(std::int64_t n, std::int64_t now) {
        const std::int64_t window = window_of(now);
        const bool is_new = window > last_;
        const std::int64_t used = is_new ? 0 : used_;
        if (used + n > units_) return false;
        if (is_new) last_ = window;
        used_ = used + n;
        return true;
    }

private:
    [[nodiscard]] std::int64_t window_of(std::int64_t now) const {
        const std::int64_t since = now - begin_;
        return since / period_ - (since % period_ < 0 ? 1 : 0);
    }

    std::int64_t units_;
    std::int64_t period_;
    std::int64_t first_;
    std::int64_t begin_;
    std::int64_t last_;
    std::int64_t used_ = 0;
};

TEST(window_anchor, in_random_histories_admits_what_a_list_of_windows_would) {
    std::mt19937_64 dice(1);
    const auto up_to = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most)(dice);
    };
    for (int history = 0; history < 2'000; ++history) {
        const std::int64_t units = 1 + up_to(6);
        const std::int64_t period = 1 + up_to(50);
        const std::int64_t anchor = up_to(300) - 150;
        windows real{quota{units, weir::milliseconds(period)},
                     {.debt = 0, .anchor = weir::milliseconds(anchor)}};
        std::int64_t now = up_to(100);
        model exact(units, period, anchor, now);
        EXPECT_TRUE(real.peek(0, time(now)));
        for (int step = 0; step < 60; ++step) {
            now += up_to(3) == 0 ? up_to(2 * period) : up_to(period / 8);
            if (up_to(4) == 0) {
                const std::int64_t next = now + up_to(4 * period) - 2 * period;
                if (next < 0) continue;
                real.set_anchor(time(next), time(now));
                exact.set_anchor(next);
            }
            const std::int64_t n = 1 + up_to(2);
            const auto d = real.try_acquire(static_cast<unsigned>(n), time(now));
            if (n > units) {
                ASSERT_EQ(d.verdict(), weir::verdict::never);
                continue;
            }
            model before = exact;
            ASSERT_EQ(d.admitted(), exact.try_acquire(n, now)) << history << ", step " << step;
            if (d) continue;
            // The wait is the true one: not a tick less.
            const auto wait = static_cast<std::int64_t>(d.ticks().retry_after());
            ASSERT_TRUE(model(before).try_acquire(n, now + wait)) << history << ", step " << step;
            ASSERT_FALSE(model(before).try_acquire(n, now + wait - 1));
        }
    }
}

}  // namespace
