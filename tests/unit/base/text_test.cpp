// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/text.hpp>
#include <weir/cell/quota_text.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

namespace {

using namespace std::chrono_literals;
using weir::nanoseconds;
using weir::quota;

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << value;
    EXPECT_EQ(out.str(), to_text(value).c_str());
    EXPECT_EQ(out.str().size(), to_text(value).size());
    return out.str();
}

template <class Tag>
using own_clock = weir::manual_clock<Tag>;

TEST(text, of_a_time_is_exact_and_in_the_largest_unit) {
    EXPECT_EQ(printed(nanoseconds(0)), "0 ns");
    EXPECT_EQ(printed(nanoseconds(999)), "999 ns");
    EXPECT_EQ(printed(nanoseconds(1'000)), "1 us");
    EXPECT_EQ(printed(nanoseconds(1'050)), "1.05 us");
    EXPECT_EQ(printed(nanoseconds(100'000'000)), "100 ms");
    EXPECT_EQ(printed(nanoseconds(1'500'000'000)), "1.5 s");
    EXPECT_EQ(printed(nanoseconds(1'000'000'001)), "1.000000001 s");
    EXPECT_EQ(printed(nanoseconds(-2'500)), "-2.5 us");
    EXPECT_EQ(printed(nanoseconds(INT64_MIN)), "-9223372036.854775808 s");
    EXPECT_EQ(printed(weir::seconds(86'400)), "86400 s");
    EXPECT_EQ(printed(nanoseconds::longest()), "for ever");
}

TEST(text, ends_where_it_is_full) {
    weir::text t;
    for (int i = 0; i < 500; ++i) t.add("0123456789");
    EXPECT_EQ(t.size(), 191U);
    EXPECT_EQ(std::string(t.c_str()).size(), 191U);
    EXPECT_EQ(std::string(t.c_str()).substr(180), "01234567890");
}

struct of_two_limits {
    weir::verdict what;
    [[nodiscard]] weir::verdict verdict() const { return what; }
    [[nodiscard]] bool admitted() const { return what == weir::verdict::admitted; }
    [[nodiscard]] weir::word retry_after() const { return 1; }
    [[nodiscard]] weir::word refused_by() const { return 2; }
};

TEST(text, of_a_decision_names_who_refuses_and_a_single_tick) {
    EXPECT_STREQ(to_text(weir::decision<weir::word>(weir::verdict::wait, 0, 1, 0, 1, 0)).c_str(),
                 "wait 1 tick");
    const auto told = [](weir::verdict v) {
        return std::string(weir::to_text(of_two_limits{v}).c_str());
    };
    EXPECT_EQ(told(weir::verdict::admitted), "admitted");
    EXPECT_EQ(told(weir::verdict::wait), "wait 1 tick, refused by limit 2");
    EXPECT_EQ(told(weir::verdict::never), "never, refused by limit 2");
}

TEST(text, of_a_decision_says_what_to_do) {
    weir::limiter<weir::gcra<>, own_clock<struct deciding>> api{quota{10, 1s, 3}};
    EXPECT_EQ(printed(api.try_acquire()), "admitted, 2 remaining");
    EXPECT_EQ(printed(api.try_acquire(3)), "wait 100 ms");
    EXPECT_EQ(printed(api.try_acquire(4)), "never");
    EXPECT_EQ(printed(api.try_acquire(3).ticks()), "wait 100000000 ticks");
    EXPECT_EQ(printed(api.try_acquire(3).verdict()), "wait");
    EXPECT_EQ(printed(api.acquire_up_to(5)), "2 units, 0 remaining");
    EXPECT_EQ(printed(api.acquire_up_to(5)), "0 units, wait 100 ms");
    EXPECT_EQ(printed(api.reserve(1)), "admitted, starts after 100 ms");
    EXPECT_EQ(printed(api.reserve(1, 100ms)), "wait 200 ms");
    EXPECT_EQ(printed(api.reserve(4)), "never");
    EXPECT_EQ(printed(weir::acquire_for(api, 1, 1ms)), "it would have taken too long: 200 ms");
    EXPECT_EQ(printed(weir::acquire_for(api, 4, 1ms)), "more units than the burst");
    weir::adjustable<own_clock<struct deciding>> other{quota{10, 1s, 3}};
    EXPECT_EQ(printed(other.try_acquire()), "admitted, 2 remaining");
    EXPECT_EQ(printed(weir::all_of{other, api}.try_acquire()), "wait 200 ms, refused by limit 1");
    weir::limiter<weir::sliding_log<3>, own_clock<struct deciding>> log{quota{3, 1s}};
    EXPECT_EQ(printed(log.try_acquire()), "admitted, 2 remaining");
}

TEST(text, of_a_quota_is_what_is_parsed) {
    EXPECT_EQ(printed(weir::per_second(100).with_burst(20)), "100/s, burst 20");
    EXPECT_EQ(printed(quota{20, 100ms}), "20/100ms");
    EXPECT_EQ(printed(quota{1, 90s, 3}), "1/90s, burst 3");
    for (const quota q : {quota{500, 1min}, quota{7, 1h, 1}, quota{1, 48h}, quota{9, 1us},
                          quota{INT64_MAX, nanoseconds(INT64_MAX - 1), INT64_MAX - 1}}) {
        const auto again = weir::parse_quota(to_text(q).c_str());
        ASSERT_TRUE(again) << to_text(q).c_str();
        EXPECT_EQ(*again, q);
    }
}

TEST(text, of_an_enumeration_is_different_for_each_value) {
    for (const auto& [value, words] : {std::pair{weir::ending::acquired, "acquired"},
                                       {weir::ending::too_late, "it would have taken too long"},
                                       {weir::ending::never, "more units than the burst"},
                                       {weir::ending::stopped, "a stop was requested"}}) {
        EXPECT_EQ(printed(value), words);
    }
    EXPECT_EQ(printed(weir::quota_error::units_not_positive),
              "a quota must allow at least one unit per period");
    EXPECT_EQ(printed(weir::verdict::never), "never");
    EXPECT_STREQ(describe(static_cast<weir::verdict>(9)), "unknown verdict");
}

// Whoever prints into columns.
TEST(text, keeps_the_width_of_a_stream) {
    std::ostringstream out;
    out << std::setw(8) << weir::milliseconds(5) << '|' << std::left << std::setw(6)
        << weir::verdict::wait << '|';
    EXPECT_EQ(out.str(), "    5 ms|wait  |");
}

// GoogleTest's messages are among those that take anything.
struct logger_of_anything {
    std::ostringstream out;
    template <class T>
    logger_of_anything& operator<<(const T& value) {
        out << value;
        return *this;
    }
};
struct logger_of_text {
    std::string all;
    logger_of_text& operator<<(const char* words) {
        all += words;
        return *this;
    }
};

TEST(text, goes_into_loggers_that_take_anything_and_into_those_that_take_text) {
    weir::limiter<weir::gcra<>, own_clock<struct logging>> api{quota{10, 1s, 3}};
    const auto decision = api.try_acquire();
    logger_of_anything anything;
    anything << decision << " and " << weir::verdict::wait;
    EXPECT_EQ(anything.out.str(), "admitted, 2 remaining and wait");
    logger_of_text words;
    words << decision << " and " << weir::verdict::wait;
    EXPECT_EQ(words.all, "admitted, 2 remaining and wait");
    EXPECT_TRUE(decision) << decision << weir::verdict::wait << weir::seconds(1);
    EXPECT_EQ(testing::PrintToString(weir::verdict::wait), "wait");
    EXPECT_TRUE((std::ostringstream{} << weir::milliseconds(5)).good());
}

TEST(text, leaves_out_what_does_not_fit) {
    weir::text t;
    for (int i = 0; i < 100; ++i) t.add("0123456789");
    EXPECT_EQ(t.size(), 191U);
    EXPECT_EQ(std::string(t.c_str()).size(), t.size());
}

static_assert(to_text(weir::seconds(2)).size() == 3, "also in a constant");

// What is not weir's is none of its business.
namespace others {
enum class colour { red };
[[maybe_unused]] constexpr const char* describe(colour) { return "red"; }
struct stream {};
}  // namespace others
template <class Stream, class T>
concept prints = requires(Stream& to, const T& value) {
    weir::operator<<(to, value);
};
static_assert(prints<std::ostream, weir::verdict>);
static_assert(prints<std::ostringstream, nanoseconds>);
static_assert(!prints<std::ostream, std::chrono::nanoseconds>);
static_assert(!prints<std::ostream, int>);
static_assert(!prints<others::stream, weir::verdict>);

}  // namespace
