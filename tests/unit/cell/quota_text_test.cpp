// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <weir/cell/quota_text.hpp>

namespace {

using weir::parse_quota;
using weir::quota;
using weir::quota_error;
using namespace std::chrono_literals;

// A constant is a quota or does not compile.
static_assert(parse_quota("1.5M/s").value() == weir::per_second(1'500'000));

TEST(quota_text, reads_as_it_is_written) {
    struct line {
        const char* text;
        quota expected;
    };
    const line lines[] = {
        {"10/s", weir::per_second(10)},
        {"500/min", weir::per_minute(500)},
        {"1.5M/s", weir::per_second(1'500'000)},
        {"20/100ms, burst 5", {20, 100ms, 5}},
        {"1000/h", weir::per_hour(1'000)},
        {"100k/d", {100'000, 24h}},
        {"3/20us", {3, 20us}},
        {"1/40ns", {1, 40ns}},
        {"2G/s,burst1.5k", weir::per_second(2'000'000'000).with_burst(1'500)},
        {" 10 k / 1.5 min ,\tburst 7 ", {10'000, 90s, 7}},
        {"007.000/0.5s", {7, 500ms}},
        {"4Ki/s", weir::per_second(4'096)},
        {"1.5Mi/min, burst 2 Gi", weir::per_minute(1'572'864).with_burst(2'147'483'648)},
        {"10.0000000000000000000000000000/s", weir::per_second(10)},
        {"10.0000000000000000000000000000000000000000000000000000000000000000000000/s",
         weir::per_second(10)},
        {"10/s\n", weir::per_second(10)},
        {"10/s \r\n", weir::per_second(10)},
        {"20/100ms, burst 5\t\r", {20, 100ms, 5}},
    };
    for (const line& l : lines) {
        const auto q = parse_quota(l.text);
        ASSERT_TRUE(q) << l.text << ": " << weir::describe(q.error());
        EXPECT_EQ(*q, l.expected) << l.text;
    }
}

TEST(quota_text, is_refused_with_its_first_mistake) {
    struct line {
        const char* text;
        quota_error expected;
    };
    const line lines[] = {
        {"", quota_error::not_a_quota},
        {"ten/s", quota_error::not_a_quota},
        {"-10/s", quota_error::not_a_quota},
        {"10", quota_error::not_a_quota},
        {"10 per s", quota_error::not_a_quota},
        {"10/s burst 5", quota_error::not_a_quota},
        {"10/s, 5", quota_error::not_a_quota},
        {"10/s, burst", quota_error::not_a_quota},
        {"10/s, burst 5/s", quota_error::not_a_quota},
        {"10/s;", quota_error::not_a_quota},
        {"10/s@", quota_error::not_a_quota},  // beside A, Z, a and z
        {"10/s[", quota_error::not_a_quota},
        {"10/s`", quota_error::not_a_quota},
        {"10/s{", quota_error::not_a_quota},
        {"10/sA", quota_error::period_unit_unknown},
        {"10/sZ", quota_error::period_unit_unknown},
        {"10/sa", quota_error::period_unit_unknown},
        {"10/sz", quota_error::period_unit_unknown},
        {"\r\n", quota_error::not_a_quota},
        {"10/s\n, burst 5", quota_error::not_a_quota},
        {"\n10/s", quota_error::not_a_quota},
        {"1e6/s", quota_error::not_a_quota},
        {"1,000/s", quota_error::not_a_quota},
        {"1./s", quota_error::not_a_quota},
        {".5k/s", quota_error::not_a_quota},
        {"10K/s", quota_error::not_a_quota},
        {"10m/s", quota_error::not_a_quota},
        {"10ki/s", quota_error::not_a_quota},
        {"10i/s", quota_error::not_a_quota},
        {"10Ti/s", quota_error::not_a_quota},
        {"10MiB/s", quota_error::not_a_quota},
        {"0.3Ki/s", quota_error::units_not_whole},
        {"8589934592Gi/s", quota_error::units_too_many},
        {"10/", quota_error::period_unit_unknown},
        {"10/sec", quota_error::period_unit_unknown},
        {"10/m", quota_error::period_unit_unknown},
        {"10/Min", quota_error::period_unit_unknown},
        {"0.5/s", quota_error::units_not_whole},
        {"10/s, burst 0.5", quota_error::units_not_whole},
        {"10.00000000000000000001/s", quota_error::units_not_whole},
        {"10.0000000000000000000010/s", quota_error::units_not_whole},
        {"10.0000000000000000000000000000000000000001/s", quota_error::units_not_whole},
        {"9223372036854775808/s", quota_error::units_too_many},
        {"10/s, burst 10000000000G", quota_error::units_too_many},
        {"10/0.5ns", quota_error::period_not_whole},
        {"10/300000d", quota_error::period_too_long},
        {"10/9223372036854775807ns", quota_error::period_too_long},
        {"10/0s", quota_error::period_not_positive},
        {"0/s", quota_error::units_not_positive},
        {"10/s, burst 0", quota_error::burst_not_positive},
    };
    for (const line& l : lines) {
        const auto q = parse_quota(l.text);
        EXPECT_FALSE(q) << l.text;
        EXPECT_EQ(q.error(), l.expected) << l.text << ": " << weir::describe(q.error());
    }
}

TEST(quota_text, may_be_any_text) {
    const std::string text = "10/s, burst 50";
    EXPECT_EQ(*parse_quota(text), weir::per_second(10).with_burst(50));
    EXPECT_EQ(*parse_quota(std::string_view(text).substr(0, 4)), weir::per_second(10));
    EXPECT_EQ(parse_quota(std::string("10/s\0", 5)).error(), quota_error::not_a_quota);
    EXPECT_EQ(parse_quota(std::string_view()).error(), quota_error::not_a_quota);
    const char* const not_set = nullptr;  // as getenv returns it
    EXPECT_EQ(parse_quota(not_set).error(), quota_error::not_a_quota);
}

TEST(quota_text, throws_its_mistake_if_asked_for_the_value) {
    try {
        (void)parse_quota("10/sec").value();
        FAIL() << "was accepted";
    } catch (const weir::refused& e) {
        EXPECT_STREQ(e.what(), "a quota's period is in ns, us, ms, s, min, h or d, as in 500/min");
    }
}

}  // namespace
