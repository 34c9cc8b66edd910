// SPDX-License-Identifier: MIT
// Times as headers tell them: each form, its edges, what is refused, and random dates against the
// calendar of the standard library.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <weir/adapter/http_date.hpp>
#include <weir/adapter/http_time.hpp>

#include "../../oracle/dice.hpp"

namespace {

using weir::nanoseconds;
using weir::seconds;
using weir::http::http_error;
using weir::http::detail::date_text;
using weir::http::detail::parse_time;

// A constant, too: nothing in it allocates or asks a locale.
static_assert(parse_time("6m0s")->time == seconds(360));

struct line {
    std::string_view text;
    nanoseconds expected;
};

TEST(http_time, is_from_now_on) {
    const line lines[] = {
        {"0", seconds(0)},
        {"30", seconds(30)},
        {" 30\t", seconds(30)},
        {"0030", seconds(30)},
        {"2.5", nanoseconds(2'500'000'000)},
        {"0.001", nanoseconds(1'000'000)},
        {"64.57", nanoseconds(64'570'000'000)},
        {"0.0000000001", nanoseconds(1)},  // rounded up
        {"0.9999999999", seconds(1)},
        {"999999999", seconds(999'999'999)},
        {"1s", seconds(1)},
        {"6m0s", seconds(360)},
        {"20ms", nanoseconds(20'000'000)},
        {"1h2m3s", seconds(3'723)},
        {"2m59.56s", nanoseconds(179'560'000'000)},
        {"1d", seconds(86'400)},
        {"7us", nanoseconds(7'000)},
        {"7\xC2\xB5s", nanoseconds(7'000)},
        {"7ns", nanoseconds(7)},
        {"0.5ns", nanoseconds(1)},
        {"1M", seconds(60)},
        {"9999999999h", nanoseconds::longest()},
        {"99999999999999999999999999s", nanoseconds::longest()},
        {"200000h9000000000s", nanoseconds::longest()},
    };
    for (const line& l : lines) {
        const auto time = parse_time(l.text);
        ASSERT_TRUE(time) << l.text;
        EXPECT_EQ(time->time, l.expected) << l.text;
        EXPECT_FALSE(time->is_since_1970) << l.text;
    }
}

TEST(http_time, is_since_1970) {
    const nanoseconds then = seconds(1'000'000'000);
    const line lines[] = {
        {"1000000000", then},
        {"1470173023.123", nanoseconds(1'470'173'023'123'000'000)},
        {"9223372036", seconds(9'223'372'036)},
        {"9223372037", nanoseconds::longest()},
        {"99999999999", nanoseconds::longest()},
        {"1000000000000", then},
        {"1000000000000.5", nanoseconds(1'000'000'000'000'500'000)},
        {"1000000000000000", then},
        {"1000000000000000000", then},
        {"18446744073709551615", nanoseconds::longest()},
        {"Sun, 06 Nov 1994 08:49:37 GMT", seconds(784'111'777)},
        {"Sunday, 06-Nov-94 08:49:37 GMT", seconds(784'111'777)},
        {"Sun Nov  6 08:49:37 1994", seconds(784'111'777)},
        {"1994-11-06T08:49:37Z", seconds(784'111'777)},
        {"1994-11-06t08:49:37z", seconds(784'111'777)},
        {"1994-11-06 08:49:37Z", seconds(784'111'777)},
        {"1994-11-06T08:49:37.25Z", nanoseconds(784'111'777'250'000'000)},
        {"1994-11-06T10:49:37+02:00", seconds(784'111'777)},
        {"1994-11-06T03:19:37-05:30", seconds(784'111'777)},
        {"1994-11-06T08:49:37-00:00", seconds(784'111'777)},
        {"Sun, 06 nov 1994 08:49:37 gmt", seconds(784'111'777)},
        {"Thu, 01 Jan 1970 00:00:00 GMT", seconds(0)},
        {"Wed, 31 Dec 1969 23:59:59 GMT", seconds(0)},
        {"0000-01-01T00:00:00Z", seconds(0)},
        {"1970-01-01T00:00:00+01:00", seconds(0)},
        {"Thursday, 01-Jan-70 00:00:00 GMT", seconds(0)},
        {"Tuesday, 31-Dec-69 23:59:59 GMT", seconds(3'155'759'999)},  // 2069
        {"Tue, 29 Feb 2000 00:00:00 GMT", seconds(951'782'400)},
        {"Sat, 31 Dec 2016 23:59:60 GMT", seconds(1'483'228'800)},  // a leap second
        {"2262-04-11T23:47:16Z", seconds(9'223'372'036)},
        {"2262-04-11T23:47:17Z", nanoseconds::longest()},
        {"9999-12-31T23:59:60Z", nanoseconds::longest()},
    };
    for (const line& l : lines) {
        const auto time = parse_time(l.text);
        ASSERT_TRUE(time) << l.text;
        EXPECT_EQ(time->time, l.expected) << l.text;
        EXPECT_TRUE(time->is_since_1970) << l.text;
    }
}

TEST(http_time, is_refused) {
    const std::string_view lines[] = {
        "",
        " ",
        "soon",
        "-1",
        "+1",
        "1,5",
        "1.",
        ".5",
        "1e3",
        "0x10",
        "1 2",
        "1 s",
        "1s ago",
        "1x",
        "m",
        "1m2",
        "1.5.5s",
        "1sm",
        "1_000",
        "1'000",
        "\xB2",
        "\xFF\xFE",
        "99999999999999999999",
        // between seconds, milliseconds, microseconds and nanoseconds
        "100000000000",
        "999999999999",
        "100000000000000",
        "999999999999999",
        "100000000000000000",
        "99999999999999999999999999999999",
        // dates
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sonntag, 06-Nov-94 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 1900 00:00:00 GMT",
        "Thu, 29 Feb 2001 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994  08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov 06 08:49:37 94",
        "Sun Nov  6 08:49:37 1994 GMT",
        "1994-11-06T08:49:37",
        "1994-11-06",
        "1994-11-06T08:49Z",
        "1994-13-06T08:49:37Z",
        "1994-00-06T08:49:37Z",
        "1994-11-06T08:49:37.Z",
        "1994-11-06T08:49:37+24:00",
        "1994-11-06T08:49:37+02",
        "1994-11-06T08:49:37+0200",
        "1994-11-06T08:49:37+01:60",
        "94-11-06T08:49:37Z",
        "1994-11-06X08:49:37Z",
        "1994/11/06T08:49:37Z",
    };
    for (const std::string_view l : lines) {
        EXPECT_EQ(parse_time(l).error(), http_error::not_a_time) << l;
        // nor what is written behind a time
        if (!l.empty() && l != " ") {
            EXPECT_EQ(parse_time("1994-11-06T08:49:37Z" + std::string(l)).error(),
                      http_error::not_a_time)
                << l;
        }
    }
}

TEST(http_time, agrees_with_the_calendar_of_the_standard_library) {
    namespace chrono = std::chrono;
    constexpr const char* days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                    "Thursday", "Friday", "Saturday"};
    constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    oracle::dice dice(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto then = static_cast<std::int64_t>(dice.roll(9'223'372'037));
        const chrono::sys_days date{chrono::days(then / 86'400)};
        const chrono::year_month_day ymd(date);
        const auto year = static_cast<int>(ymd.year());
        const auto month = static_cast<unsigned>(ymd.month());
        const auto day = static_cast<unsigned>(ymd.day());
        const char* const weekday = days[chrono::weekday(date).c_encoding()];
        const char* const name = months[month - 1];
        const auto rest = static_cast<int>(then % 86'400);
        char time[32] = {};
        std::snprintf(time, sizeof time, "%02d:%02d:%02d", rest / 3'600, rest / 60 % 60, rest % 60);
        char forms[4][64] = {};
        std::snprintf(forms[0], 64, "%.3s, %02u %s %04d %s GMT", weekday, day, name, year, time);
        std::snprintf(forms[1], 64, "%.3s %s %2u %s %04d", weekday, name, day, time, year);
        std::snprintf(forms[2], 64, "%04d-%02u-%02uT%sZ", year, month, day, time);
        std::snprintf(forms[3], 64, "%s, %02u-%s-%02d %s GMT", weekday, day, name, year % 100,
                      time);
        for (const char* const form : forms) {
            if (form == forms[3] && year >= 2070) continue;
            const auto read = date_text(form).read();
            ASSERT_TRUE(read) << form;
            ASSERT_EQ(*read, seconds(then)) << form;
        }
    }
}

// Every date that is cut short is refused, and so is one with a character too many or another one.
TEST(http_time, is_no_date_if_a_character_is_missing) {
    const std::string_view dates[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                                      "1994-11-06T08:49:37+00:00"};
    for (const std::string_view whole : dates) {
        ASSERT_TRUE(parse_time(whole));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            EXPECT_FALSE(date_text(whole.substr(0, i)).read()) << whole.substr(0, i);
            std::string less(whole);
            less.erase(i, 1);
            EXPECT_FALSE(date_text(less).read()) << less;
            std::string other(whole);
            other[i] = '\0';
            EXPECT_FALSE(date_text(other).read()) << i;
        }
    }
}

}  // namespace
