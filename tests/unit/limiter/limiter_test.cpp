// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"

namespace {

using weir::milliseconds;
using weir::nanoseconds;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::verdict;
using namespace std::chrono_literals;

// A clock for each test, so that they do not move each other's time.
template <class Tag>
using own_clock = weir::manual_clock<Tag>;

template <class Cell, class Clock>
using limit = weir::limiter<Cell, Clock, weir::counters>;

TEST(limiter, answers_in_time_and_units) {
    using clock = own_clock<struct answers>;
    limit<weir::gcra<>, clock> api{quota{10, 1s, 3}};
    EXPECT_EQ(api.try_acquire().remaining(), 2U);
    EXPECT_EQ(api.try_acquire(2).reset_after(), milliseconds(300));
    const auto denied = api.try_acquire();
    EXPECT_EQ(denied.verdict(), verdict::wait);
    EXPECT_EQ(denied.retry_after(), milliseconds(100));
    EXPECT_EQ(denied.ticks().retry_after(), 100'000'000U);
    const std::chrono::nanoseconds wait = denied.retry_after();
    EXPECT_EQ(wait, 100ms);
    clock::advance(99'999'999ns);
    EXPECT_FALSE(api.try_acquire());
    clock::advance(1ns);
    EXPECT_TRUE(api.peek());
    EXPECT_TRUE(api.try_acquire());
    EXPECT_EQ(api.try_acquire(4).verdict(), verdict::never);
    EXPECT_EQ(api.try_acquire(4).retry_after(), nanoseconds::longest());
    EXPECT_EQ(api.quota().burst(), 3);
}

template <class Cell>
class decision_of : public testing::Test {};
using all_cells = weir::every_cell<40, weir::word>;
TYPED_TEST_SUITE(decision_of, all_cells::as<testing::Types>);

// Such as the last one of a connection, which is logged when the connection is gone.
TYPED_TEST(decision_of, a_limiter_outlives_it_and_tells_the_same) {
    using limiter = weir::limiter<TypeParam, own_clock<TypeParam>>;
    std::optional<limiter> limit;
    limit.emplace(quota{10, 1s});
    const auto first = limit->try_acquire(3);
    const auto grant = limit->acquire_up_to(4);
    const auto denied = limit->try_acquire(4);
    limit.emplace(quota{40, 1s});  // in its place
    (void)limit->try_acquire(39);
    EXPECT_EQ(first.remaining(), 7U);
    EXPECT_EQ(grant.after.remaining(), 3U);
    EXPECT_EQ(denied.remaining(), 3U);
    EXPECT_GT(denied.retry_after(), nanoseconds{});
    EXPECT_EQ(limiter(quota{10, 1s}).try_acquire(2).remaining(), 8U);
}

TEST(limiter, takes_a_given_now) {
    limit<weir::gcra<>, own_clock<struct given>> api{quota{1, 1s, 1}};
    EXPECT_TRUE(api.try_acquire(1, at(api, 5'000'000'000)));
    EXPECT_FALSE(api.try_acquire(1, at(api, 5'999'999'999)));
    EXPECT_TRUE(api.try_acquire(1, at(api, 6'000'000'000)));
}

TEST(limiter, counts_what_it_is_asked_to_count) {
    limit<weir::gcra<>, own_clock<struct counting>> api{quota{1, 1s, 3}};
    (void)api.try_acquire();
    (void)api.acquire_up_to(5);
    (void)api.try_acquire();
    (void)api.try_acquire(4);
    (void)api.peek();
    EXPECT_EQ(api.observer().admitted(), 2U);
    EXPECT_EQ(api.observer().denied(), 1U);
    EXPECT_EQ(api.observer().never(), 1U);
    EXPECT_EQ(api.observer().retries(), 0U);
}

TEST(limiter, drains_and_resets) {
    using clock = own_clock<struct draining>;
    limit<weir::token_bucket<>, clock> api{quota{10, 1s, 8}, {.start = 5}};
    EXPECT_EQ(api.peek(0).remaining(), 5U);
    EXPECT_EQ(api.drain(), 5U);
    EXPECT_EQ(api.drain(), 0U);
    clock::advance(1s);
    EXPECT_EQ(api.peek(0).remaining(), 8U);
    api.reset();
    EXPECT_EQ(api.peek(0).remaining(), 5U);
}

TEST(limiter, charges_what_is_known_only_afterwards) {
    using clock = own_clock<struct charging>;
    limit<weir::gcra<>, clock> api{quota{10, 1s, 5}};
    EXPECT_TRUE(api.charge(9));
    EXPECT_EQ(api.try_acquire().retry_after(), milliseconds(500));
    EXPECT_EQ(api.charge(11).verdict(), verdict::never);
    EXPECT_EQ(api.charge(2).verdict(), verdict::wait);
    clock::advance(milliseconds(100));
    EXPECT_TRUE(api.charge(2));
}

// A granule of 16 ticks is seven nanoseconds, one of 8 is four.
template <class Cell>
void carries_its_state(const weir::options& o, std::int64_t latest = 5) {
    using clock = weir::manual_clock<Cell, 2'596'132'310>;
    const quota q{7, 1s, 5};
    weir::limiter<Cell, clock> first{q, o};
    clock::set({123'456'789});
    first.reset();
    for (int i = 0; i < 6; ++i) {
        weir::limiter<Cell, clock> second{q, o};
        ASSERT_TRUE(second.restore(first.save()));
        EXPECT_EQ(second.peek(0).remaining(), first.peek(0).remaining());
        const auto late =
            second.peek(5).retry_after().count() - first.peek(5).retry_after().count();
        EXPECT_GE(late, 0) << "a state that is carried over admits no earlier";
        EXPECT_LE(late, latest) << "a tick, a nanosecond, a tick and a granule";
        (void)first.drain(weir::instant<clock>{123'456'789});
        clock::advance(milliseconds(37));
        (void)first.try_acquire(static_cast<weir::word>(i));
        (void)first.reserve(static_cast<weir::word>(i), 2s);
    }
    EXPECT_FALSE(first.restore({0, seconds(7'200)})) << "longer than anybody can wait";
    EXPECT_FALSE(first.restore({0, nanoseconds(-1)}));
    EXPECT_FALSE(first.restore({-1, nanoseconds(0)}));
    EXPECT_FALSE(first.restore({INT64_MAX, nanoseconds(0)}));
    EXPECT_FALSE(first.restore({0, nanoseconds::longest()}));
}

TEST(limiter, counts_a_debt_until_its_last_part_is_paid) {
    weir::limiter<weir::gcra<>, weir::manual_clock<struct owes, 1'000>> limit{quota{1, 1s, 5},
                                                                              {.debt = 10}};
    EXPECT_EQ(limit.debt(), 0U);
    ASSERT_TRUE(limit.charge(7));
    EXPECT_EQ(limit.debt(), 2U);
    EXPECT_EQ(limit.debt(at(limit, 999)), 2U);
    EXPECT_EQ(limit.debt(at(limit, 1'000)), 1U);
    EXPECT_EQ(limit.debt(at(limit, 1'999)), 1U);
    EXPECT_EQ(limit.debt(at(limit, 2'000)), 0U);
    ASSERT_TRUE(limit.reserve(1));
    EXPECT_EQ(limit.debt(), 3U) << "who waits has taken, too";
}

TEST(limiter, owes_units_of_a_portion) {
    weir::limiter<weir::token_bucket<>, weir::manual_clock<struct owes, 1'000>> limit{
        quota{10, 1s}, {.debt = 30, .whole_periods = true}};
    ASSERT_TRUE(limit.charge(10, at(limit, 7)));
    EXPECT_EQ(limit.debt(at(limit, 7)), 0U);
    ASSERT_TRUE(limit.charge(3, at(limit, 7)));
    EXPECT_EQ(limit.debt(at(limit, 7)), 3U);
    ASSERT_TRUE(limit.charge(20, at(limit, 7)));
    EXPECT_EQ(limit.debt(at(limit, 7)), 23U);
    EXPECT_EQ(limit.debt(at(limit, 1'100)), 13U);
    EXPECT_EQ(limit.debt(at(limit, 2'100)), 3U);
    EXPECT_EQ(limit.debt(at(limit, 3'100)), 0U);
}

TEST(limiter, carries_its_state_over_a_restart) {
    weir::only<weir::are_meters, all_cells>::for_each([]<class Cell>() {
        constexpr bool has_portions = requires(const typename Cell::rate r) { r.portion(); };
        carries_its_state<Cell>({});
        carries_its_state<Cell>({.debt = 0});
        if (has_portions) carries_its_state<Cell>({.debt = 0, .whole_periods = true}, 8);
    });
}

TEST(limiter, of_a_thousand_units_a_second_lets_a_thousand_waiters_share_a_portion) {
    using clock = own_clock<struct portions>;
    limit<weir::token_bucket<>, clock> api{weir::per_second(1'000),
                                           {.start = 0, .whole_periods = true}};
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(api.reserve(1).wait(), seconds(1)) << i;
    EXPECT_EQ(api.reserve(1).wait(), seconds(2));
}

TEST(limiter, reports_an_invalid_quota_as_value_or_exception) {
    using limiter = weir::limiter<weir::gcra<>, own_clock<struct invalid>>;
    const quota absurd{1, 1h, std::int64_t{1} << 40};
    EXPECT_EQ(limiter::make(absurd).error(), weir::quota_error::burst_too_long);
    EXPECT_THROW(limiter{absurd}, weir::refused);
    auto made = limiter::make({5, 1s});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->acquire_up_to(0).units, 0U);
    limiter api = *std::move(made);
    EXPECT_EQ(api.drain(), 5U);
}

TEST(limiter, moves_with_its_state) {
    limit<weir::gcra<>, own_clock<struct moving>> api{quota{1, 1s, 3}};
    (void)api.try_acquire(2);
    auto moved = std::move(api);
    EXPECT_EQ(moved.peek(0).remaining(), 1U);
    EXPECT_EQ(moved.observer().admitted(), 1U);
}

TYPED_TEST(decision_of, a_limiter_goes_on_in_one_that_it_is_assigned_to) {
    using clock = own_clock<decision_of<TypeParam>>;
    using limiter = limit<TypeParam, clock>;
    limiter api{quota{1, 1s, 1}};
    limiter other{quota{3, 1s, 3}, {.start = 2}};
    (void)api.try_acquire();
    EXPECT_TRUE(other.try_acquire());
    api = std::move(other);
    EXPECT_EQ(api.peek(0).remaining(), 1U);
    EXPECT_EQ(api.observer().admitted(), 1U);
    EXPECT_EQ(api.quota(), (quota{3, 1s, 3}));
    api.reset();
    EXPECT_EQ(api.peek(0).remaining(), 2U);
    api = limiter{quota{2, 1s, 2}};  // which nobody has asked yet
    EXPECT_EQ(api.drain(), 2U);
    EXPECT_EQ(api.try_acquire().verdict(), verdict::wait);
    clock::advance(2s);  // a sliding window forgets after two periods
    EXPECT_EQ(api.drain(), 2U);
}

// The element of a vector that another one takes the place of.
TEST(limiter, that_was_assigned_to_takes_back_no_permit_from_before) {
    using clock = own_clock<struct assigned>;
    limit<weir::gcra<>, clock> api{quota{1, 1s, 3}};
    auto place = api.reserve(3);
    ASSERT_TRUE(place);
    limit<weir::gcra<>, clock> other{quota{1, 1s, 3}};
    (void)other.drain();
    api = std::move(other);
    EXPECT_FALSE(api.refund(std::move(place)));
    EXPECT_EQ(api.peek(0).remaining(), 0U);
}

// The compiler makes it anew for each thread, in the same place.
thread_local constinit limit<weir::gcra<>, own_clock<struct of_a_thread>> of_this_thread{
    quota{1, 1s, 3}};

TEST(limiter, of_another_thread_takes_back_no_permit) {
    using limiter = decltype(of_this_thread);
    own_clock<struct of_a_thread>::set(weir::tick{1'000'000'000'000});
    const limiter* first = nullptr;
    limiter::permit_type place;
    std::thread([&] {
        first = &of_this_thread;
        place = of_this_thread.reserve(3);
    }).join();
    std::thread([&] {
        if (first != &of_this_thread) return;
        (void)of_this_thread.drain();
        EXPECT_FALSE(of_this_thread.refund(std::move(place)));
    }).join();
}

TEST(limiter, more_units_than_the_word_can_count_never_pass) {
    weir::limiter<weir::gcra<std::uint32_t>, weir::manual_clock<struct narrow, 1'000>> api{
        quota{10, 1s, 5}};
    EXPECT_EQ(api.try_acquire((weir::word{1} << 32) + 1).verdict(), verdict::never);
    EXPECT_EQ(api.acquire_up_to((weir::word{1} << 32) + 1).units, 5U);
}

TEST(limiter, tells_the_level_of_a_leaky_bucket) {
    weir::limiter<weir::leaky_bucket<>, own_clock<struct levels>> bucket{quota{1, 1s, 5}};
    (void)bucket.try_acquire(3);
    EXPECT_EQ(bucket.level(), 3U);
}

// One that is read and one that is written.
TEST(limiter, lies_on_two_cache_lines) {
#ifdef __x86_64__
    // Unless the rate, beside which lie the options, is a token bucket's or as large, or its
    // windows have an anchor.
    weir::only<weir::are_one_word, all_cells>::for_each([]<class Cell>() {
        using rate = typename Cell::rate;
        constexpr bool is_large =
            sizeof(rate) >= sizeof(weir::token_bucket<>::rate) || weir::anchored_rate<rate>;
        static_assert(sizeof(weir::limiter<Cell>) == (is_large ? 3 : 2) * weir::cache_line);
    });
    static_assert(sizeof(weir::limiter<>) == 2 * weir::cache_line);
    static_assert(sizeof(weir::limiter<weir::token_bucket<>>) == 3 * weir::cache_line);
    static_assert(alignof(weir::limiter<>) == weir::cache_line);
#endif
}

// A cell of one's own, with a rate of any size.
template <std::size_t More>
struct larger_rate : weir::backlog_rate<weir::word> {
    std::array<weir::word, More> more{};

    [[nodiscard]] static constexpr weir::result<larger_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = backlog_rate::make(q, hertz, o);
        if (!made) return made.error();
        larger_rate larger;
        static_cast<backlog_rate&>(larger) = *made;
        return larger;
    }
};
template <std::size_t More>
using larger_cell = weir::one_word<larger_rate<More>, weir::atomic>;

template <class Limiter>
std::array<unsigned char, sizeof(Limiter)> bytes_of(const Limiter& l) {
    std::array<unsigned char, sizeof(Limiter)> all;
    std::memcpy(all.data(), static_cast<const void*>(&l), all.size());
    return all;
}

template <class Cell>
class limiter_of : public testing::Test {};
using larger_cells = weir::cell_list<larger_cell<1>, larger_cell<2>, larger_cell<3>, larger_cell<4>,
                                     larger_cell<10>>;
using one_word_cells = weir::joined<weir::only<weir::are_one_word, all_cells>, larger_cells>;
TYPED_TEST_SUITE(limiter_of, one_word_cells::as<testing::Types>);

// Whatever lay there before.
TYPED_TEST(limiter_of, one_word_begins_fresh_in_any_memory) {
    using limiter = weir::limiter<TypeParam, own_clock<limiter_of<TypeParam>>>;
    alignas(limiter) std::array<unsigned char, sizeof(limiter)> place;
    for (int was = 0; was < 256; ++was) {
        volatile unsigned char* const byte = place.data();
        for (std::size_t i = 0; i < place.size(); ++i) byte[i] = static_cast<unsigned char>(was);
        auto* const api = new (place.data()) limiter{quota{10, 1s}};
        EXPECT_EQ(api->drain(), 10U) << was;
        api->~limiter();
    }
}

// Decisions read the rate, which lies first, and what tells that it is there.
TYPED_TEST(limiter_of, one_word_is_written_on_no_line_that_decisions_read) {
    using limiter = weir::limiter<TypeParam, own_clock<limiter_of<TypeParam>>>;
    limiter api{quota{10, 1s}};
    (void)api.try_acquire();  // it is ready
    const auto before = bytes_of(api);
    (void)api.try_acquire();
    (void)api.charge(1);
    if constexpr (requires { api.reserve(1); }) {
        auto place = api.reserve(1);
        (void)api.refund(std::move(place));
    }
    api.reset();
    (void)api.drain();
    const auto after = bytes_of(api);
    const auto first = std::mismatch(before.begin(), before.end(), after.begin()).first;
    ASSERT_NE(first, before.end());
    const auto written = static_cast<std::size_t>(first - before.begin()) / weir::cache_line;
    EXPECT_GT(written, sizeof(typename limiter::rate) / weir::cache_line);
}

TEST(limiter, keeps_its_options_for_its_first_decision) {
    using clock = own_clock<struct kept>;
    weir::limiter<weir::gcra<>, clock> made{quota{1, 1s, 2}, {.start = 1, .debt = 3, .queue = 4}};
    auto api = std::move(made);
    EXPECT_FALSE(api.charge(5));
    EXPECT_TRUE(api.charge(4));
    EXPECT_EQ(api.debt(), 3U);
    EXPECT_TRUE(api.reserve(1));
    EXPECT_FALSE(api.reserve(1));
}

#ifdef __x86_64__
// They begin where the rate ends, and other threads may still have to read them.
TEST(limiter, leaves_its_options_as_they_are_when_it_becomes_ready) {
    using limiter = weir::limiter<weir::gcra<>, own_clock<struct beside>>;
    constexpr std::ptrdiff_t first = 42;
    constexpr std::ptrdiff_t last =
        sizeof(limiter) - sizeof(weir::gcra<>) - sizeof(weir::refund_ledger<weir::word>);
    for (const std::int64_t guard : {0x1234'5678, 0x7FFF'FFFF}) {
        limiter api{quota{1, 1s, 2}, {.guard = nanoseconds(guard)}};
        const auto before = bytes_of(api);
        (void)api.try_acquire();
        const auto after = bytes_of(api);
        EXPECT_TRUE(
            std::equal(before.begin() + first, before.begin() + last, after.begin() + first));
        EXPECT_NE(before[first - 1], after[first - 1]);
    }
}
#endif

// A limiter keeps its guard in fewer bits.
TEST(limiter, keeps_a_guard_that_is_no_shorter) {
    const auto kept = [](std::int64_t count) {
        return weir::detail::short_guard(nanoseconds(count)).time().count();
    };
    for (const std::int64_t exact : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 31) - 1,
                                     std::int64_t{3'600'000'000'000}, INT64_MAX}) {
        EXPECT_EQ(kept(exact), exact);
    }
    for (std::int64_t count = INT64_MAX; count > 1; count -= count / 7 + 1) {
        EXPECT_GE(kept(count), count);
        EXPECT_LE(kept(count) - count, count >> 30) << count;
    }
    EXPECT_EQ(weir::detail::short_guard(weir::options::by_word).time(), weir::options::by_word);
}

TEST(limiter, denies_who_is_late_by_the_guard) {
    using clock = own_clock<struct late>;
    constexpr weir::word guard = 5'000'000'001;
    constexpr weir::word now = 100'000'000'000;
    weir::limiter<weir::gcra<>, clock> api{quota{1, 1s, 1},
                                           {.debt = 0, .queue = 0, .guard = 5'000'000'001ns}};
    EXPECT_TRUE(api.try_acquire(1, at(api, now)));
    EXPECT_FALSE(api.try_acquire(1, at(api, now - guard)));
    EXPECT_TRUE(api.try_acquire(1, at(api, now - guard - 1'000)));
}

// The shorter form of the longest guard that a rate holds is too long.
TEST(limiter, is_refused_and_does_not_end_the_program_later) {
    using limiter = weir::limiter<weir::gcra<>, own_clock<struct longest_guard>>;
    const quota q{1, 1s, 1};
    const auto fits = [&](std::int64_t guard) {
        return bool{limiter::rate::make(q, nanoseconds::per_second, {.guard = nanoseconds(guard)})};
    };
    std::int64_t longest = 0;
    for (std::int64_t step = std::int64_t{1} << 62; step != 0; step /= 2) {
        if (fits(longest + step)) longest += step;
    }
    ASSERT_FALSE(fits(longest + 1));
    EXPECT_EQ(limiter::make(q, {.guard = nanoseconds(longest)}).error(),
              quota_error::burst_too_long);
    auto shorter = limiter::make(q, {.guard = nanoseconds(longest - (longest >> 30))});
    ASSERT_TRUE(shorter);
    EXPECT_TRUE(shorter->try_acquire());
}

// Constructed by the compiler, ready with the first decision.
constinit weir::limiter<> global{weir::per_hour(10).with_burst(7)};
constinit weir::limiter<weir::token_bucket<>> global_bucket{weir::per_hour(10), {.start = 3}};

TEST(limiter, works_as_a_constinit_global) {
    EXPECT_EQ(global.peek(0).remaining(), 7U);
    EXPECT_TRUE(global.try_acquire(7));
    EXPECT_FALSE(global.try_acquire(7));
    EXPECT_EQ(global_bucket.acquire_up_to(50).units, 3U);
}

// The instants at which an untouched word of 0 would look busy: just before the circle closes.
TEST(limiter, is_fresh_at_its_first_use_at_whatever_time_that_is) {
    using clock = own_clock<struct any_time>;
    for (const weir::word now : {weir::word{0}, weir::word{1}, weir::largest<weir::word>,
                                 weir::largest<weir::word> - 1'000'000'000,
                                 (weir::word{1} << 54) - 1'000'000, weir::word{1} << 63}) {
        clock::set({now});
        weir::limiter<weir::gcra<>, clock> made{quota{1'000'000, 1s, 100}};
        EXPECT_EQ(made.drain(), 100U) << now;
    }
    static constinit weir::limiter<weir::gcra<>, clock> fresh{quota{1'000'000, 1s, 100}};
    clock::set({weir::largest<weir::word> - 1'000'000});
    EXPECT_EQ(fresh.drain(), 100U);
}

// A time that is given may count from anywhere, whatever the limiter's own clock says.
TEST(limiter, starts_at_the_first_time_that_it_is_given) {
    using clock = own_clock<struct elsewhere>;
    clock::set({600'000'000'000});
    weir::limiter<weir::gcra<>, clock> api{quota{100, 1s, 1}};
    for (weir::word second = 0; second < 900; ++second) {
        EXPECT_TRUE(api.try_acquire(1, at(api, second * 1'000'000'000))) << second;
    }
}

// A clock whose frequency is known only on the machine, between bounds.
template <std::uint64_t Hertz>
struct found_clock {
    static constexpr std::uint64_t lowest_hertz = 1'000'000;
    static constexpr std::uint64_t highest_hertz = 1'000'000'000;
    static weir::instant<found_clock> now() noexcept { return weir::instant<found_clock>(0); }
    static std::uint64_t hertz() noexcept { return Hertz; }
    static weir::clock_facts facts() noexcept { return {"found", Hertz, {}, true}; }
};

TEST(limiter, turns_ticks_into_time_by_the_frequency_found_and_not_by_its_bound) {
    weir::limiter<weir::gcra<>, found_clock<24'000'000>> api{quota{1, 1s, 1}};
    EXPECT_TRUE(api.try_acquire());
    EXPECT_EQ(api.peek().retry_after(), seconds(1));
    EXPECT_EQ(api.save().time, seconds(1));
}

TEST(limiter, checks_a_quota_by_the_frequency_found) {
    using fast = weir::limiter<weir::gcra<std::uint32_t>, found_clock<1'000'000'000>>;
    using slow = weir::limiter<weir::gcra<std::uint32_t>, found_clock<1'000'000>>;
    EXPECT_EQ(fast::make({1, 1s, 2}).error(), weir::quota_error::burst_too_long);
    EXPECT_TRUE(slow::make({1, 1s, 2}));
}

// Three microseconds are three of the slowest ticks, but no whole number of those between.
template <std::int64_t Period>
concept can_be_constant = requires {
    typename std::bool_constant<(
        weir::limiter<weir::aligned_window<>, found_clock<19'200'000>>{
            quota{3, std::chrono::microseconds(Period)}},
        true)>;
};
static_assert(!can_be_constant<3>);
static_assert(can_be_constant<3'000>);

// A burst that lasts longer than the cell's word.
template <std::int64_t Burst>
concept can_have_as_constant = requires {
    typename std::bool_constant<(weir::limiter<>{quota{1, 1h, Burst}}, true)>;
};
static_assert(can_have_as_constant<10>);
static_assert(!can_have_as_constant<std::int64_t{1} << 32>);

// By a clock of 2596 MHz this bucket cannot hold the rate, though it can at both ends of the
// bounds. With a smaller burst it can at each frequency.
struct found_on_x86 : found_clock<2'596'000'000> {
    static weir::instant<found_on_x86> now() noexcept { return weir::instant<found_on_x86>(); }
    static constexpr std::uint64_t highest_hertz = 10'000'000'000;
};
using large_bucket = weir::limiter<weir::token_bucket<>, found_on_x86>;
template <std::int64_t Burst>
concept is_large_bucket = requires {
    typename std::bool_constant<(large_bucket{quota{250'000'000, 1s, Burst}}, true)>;
};
static_assert(!is_large_bucket<250'000'000>);
static_assert(is_large_bucket<1'000'000>);
static constinit large_bucket all_compiled{quota{250'000'000, 1s, 1'000'000}};

TEST(limiter, that_compiles_admits_by_the_frequency_found) {
    EXPECT_EQ(large_bucket::make(weir::per_second(250'000'000)).error(),
              weir::quota_error::rate_too_fine);
    EXPECT_EQ(all_compiled.drain(), 1'000'000U);
}

// Far above its bound: what was checked for the bound does not hold for it.
static constinit weir::limiter<weir::gcra<std::uint32_t>, found_clock<8'000'000'000>> unheard_of{
    weir::quota{1, 1s, 1}, {.debt = 0}};

TEST(limiter_death, is_what_a_clock_outside_its_own_bounds_leads_to) {
    EXPECT_DEATH((void)unheard_of.try_acquire(),
                 "weir: a limiter cannot count in the frequency that its clock has: burst, debt");
}

// Somebody reads the clock, others are admitted, and only then does he save.
TEST(limiter, can_restore_what_was_saved_with_a_late_now) {
    using clock = own_clock<struct late_save>;
    using instant = weir::instant<clock>;
    for (const std::int64_t debt : {0, 3}) {
        weir::limiter<weir::gcra<>, clock> meter{quota{1'000, 1s, 10}, {.debt = debt}};
        weir::limiter<weir::token_bucket<>, clock> bucket{quota{1'000, 1s, 10}, {.debt = debt}};
        EXPECT_TRUE(meter.charge(10 + static_cast<weir::word>(debt), instant(1'000'000)));
        EXPECT_TRUE(bucket.charge(10 + static_cast<weir::word>(debt), instant(1'000'000)));
        EXPECT_TRUE(meter.restore(meter.save(instant(999'000)), instant(1'000'000)));
        EXPECT_TRUE(bucket.restore(bucket.save(instant(999'000)), instant(1'000'000)));
        EXPECT_EQ(meter.peek(0, instant(1'000'000)).remaining(), 0U);
        EXPECT_EQ(bucket.peek(0, instant(1'000'000)).remaining(), 0U);
    }
}

}  // namespace
