// SPDX-License-Identifier: MIT
// What servers tell: each dialect, several budgets at once, and every way to tell it wrongly.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/http_told.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/utc.hpp>

namespace {

using weir::nanoseconds;
using weir::seconds;
using weir::http::budget;
using weir::http::http_error;
using weir::http::left_units;
using weir::http::told;
using weir::http::utc_time;

using headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::int64_t today = 1'700'000'000;  // Tue, 14 Nov 2023 22:13:20 GMT
constexpr auto now = utc_time::since_1970(seconds(today));
// More than any server tells, so it changes nothing but a reset that is not told.
constexpr weir::quota own = weir::per_hour(1'000'000'000);
const std::string date = "Tue, 14 Nov 2023 22:13:20 GMT";

told reading(const headers& all) {
    told t(now);
    for (const auto& [name, value] : all) {
        EXPECT_EQ(t.read(name, value), http_error::none) << name << ": " << value;
    }
    return t;
}

std::string in_words(const std::optional<left_units>& left) {
    if (!left) return "nothing";
    return std::to_string(left->units) + " for " + to_text(left->reset_after).c_str();
}
std::string in_words(const budget& b) {
    std::string all(b.name);
    const auto add = [&](const char* what, const std::optional<std::uint64_t>& value) {
        if (value) all.append(what).append(std::to_string(*value));
    };
    const auto add_time = [&](const char* what, const std::optional<nanoseconds>& value) {
        if (value) all.append(what).append(to_text(*value).c_str());
    };
    all.append(" of ").append(b.unit);
    if (!b.partition.empty()) all.append(" of ").append(b.partition);
    add(" limit ", b.limit);
    add(" burst ", b.burst);
    add(" used ", b.used);
    add(" remaining ", b.remaining);
    add_time(" window ", b.window);
    add_time(" reset ", b.reset_after);
    return all;
}
std::vector<std::string> in_words(const told& t) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < t.size(); ++i) all.push_back(in_words(t[i]));
    return all;
}

using words = std::vector<std::string>;

// --- dialects

const headers github = {{"Date", date},
                        {"X-RateLimit-Limit", "5000"},
                        {"X-RateLimit-Remaining", "4982"},
                        {"X-RateLimit-Used", "18"},
                        {"X-RateLimit-Reset", std::to_string(today + 1'800)},
                        {"X-RateLimit-Resource", "core"}};

TEST(http_told, by_github) {
    const told t = reading(github);
    EXPECT_EQ(in_words(t),
              words{"core of requests limit 5000 used 18 remaining 4982 reset 1800 s"});
    EXPECT_EQ(in_words(t.left(own)), "4982 for 1800 s");
    EXPECT_EQ(in_words(t.left(own, "core")), "4982 for 1800 s");
    // What the server tells does not depend on how the program paces itself.
    EXPECT_EQ(in_words(t.left(weir::per_second(10))), "4982 for 1800 s");
    EXPECT_EQ(in_words(t.left(own, "search")), "nothing");
    EXPECT_EQ(t.retry_after(seconds(60)), seconds(60));
    // Its page: Retry-After if it is there, else until the reset if nothing remains.
    EXPECT_EQ(
        reading({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", std::to_string(today + 90)}})
            .retry_after(seconds(60)),
        seconds(90));
    EXPECT_EQ(reading({{"Retry-After", "30"},
                       {"x-ratelimit-remaining", "0"},
                       {"x-ratelimit-reset", std::to_string(today + 90)}})
                  .retry_after(seconds(60)),
              seconds(30));
}

TEST(http_told, by_discord) {
    const told t = reading({{"X-RateLimit-Limit", "5"},
                            {"X-RateLimit-Remaining", "0"},
                            {"X-RateLimit-Reset", "1700000003.456"},
                            {"X-RateLimit-Reset-After", "3.25"},
                            {"X-RateLimit-Bucket", "0123456789abcdef0123456789abcdef"},
                            {"X-RateLimit-Scope", "user"},
                            {"Retry-After", "4"}});
    // What is told from now on needs no clock, so it counts.
    EXPECT_EQ(
        in_words(t),
        words{"0123456789abcdef0123456789abcdef of requests limit 5 remaining 0 reset 3.25 s"});
    EXPECT_EQ(in_words(t.left(own, "0123456789abcdef0123456789abcdef")), "0 for 3.25 s");
    EXPECT_EQ(t.scope(), "user");
    EXPECT_EQ(t.retry_after(), seconds(4));
    EXPECT_EQ(reading({{"X-RateLimit-Global", "true"}}).scope(), "global");
    EXPECT_EQ(reading({{"X-RateLimit-Global", "True"}, {"X-RateLimit-Scope", "user"}}).scope(),
              "global");
    EXPECT_EQ(reading({{"X-RateLimit-Global", "false"}}).scope(), "");
    told wrong(now);
    EXPECT_EQ(wrong.read("X-RateLimit-Scope", std::string(48, 'w')), http_error::word_too_long);
    EXPECT_EQ(wrong.read("X-RateLimit-Scope", "a\nb"), http_error::word_not_printable);
    EXPECT_EQ(wrong.read("X-RateLimit-Bucket", "a\tb"), http_error::word_not_printable);
    EXPECT_EQ(
        in_words(reading({{"x-ratelimit-remaining", "1"}, {"x-ratelimit-reset", "1700000003.456"}})
                     .left(own)),
        "1 for 3.456 s");
}

TEST(http_told, by_binance) {
    const told t = reading({{"X-MBX-USED-WEIGHT", "70"},
                            {"X-MBX-USED-WEIGHT-1M", "70"},
                            {"x-mbx-order-count-10s", "49"},
                            {"x-mbx-order-count-1d", "1200"},
                            {"x-sapi-used-ip-weight-1m", "12"},
                            {"Date", date}});
    // The intervals begin with the server's clock: it is 22:13:20.
    EXPECT_EQ(in_words(t),
              (words{"used-weight of  used 70", "used-weight-1m of  used 70 window 60 s reset 40 s",
                     "order-count-10s of  used 49 window 10 s reset 10 s",
                     "order-count-1d of  used 1200 window 86400 s reset 6400 s",
                     "used-ip-weight-1m of  used 12 window 60 s reset 40 s"}));
    EXPECT_EQ(in_words(t.left(weir::per_minute(6'000), "used-weight-1m")), "5930 for 40 s");
    EXPECT_EQ(in_words(t.left(weir::per_minute(6'000), "USED-WEIGHT-1M")), "5930 for 40 s");
    EXPECT_EQ(in_words(t.left({50, seconds(10)}, "order-count-10s")), "1 for 10 s");
    EXPECT_EQ(in_words(t.left({40, seconds(10)}, "order-count-10s")), "0 for 10 s");
    // No interval is told of, so it is the quota's.
    EXPECT_EQ(in_words(t.left(weir::per_minute(6'000), "used-weight")), "5930 for 60 s");
    // What is used of weight is no request.
    EXPECT_EQ(in_words(t.left(own)), "nothing");
    EXPECT_EQ(t.retry_after(seconds(7)), seconds(7));
    // Without the server's clock it is the whole interval.
    EXPECT_EQ(in_words(reading({{"X-MBX-USED-WEIGHT-3H", "1"}})),
              words{"used-weight-3h of  used 1 window 10800 s reset 10800 s"});
    EXPECT_EQ(in_words(reading({{"X-MBX-USED-WEIGHT-1Y", "1"}})),
              words{"used-weight-1y of  used 1"});
}

TEST(http_told, by_providers_of_models) {
    const told t = reading({{"x-ratelimit-limit-requests", "60"},
                            {"x-ratelimit-limit-tokens", "150000"},
                            {"x-ratelimit-remaining-requests", "59"},
                            {"x-ratelimit-remaining-tokens", "149984"},
                            {"x-ratelimit-reset-requests", "1s"},
                            {"x-ratelimit-reset-tokens", "6m0s"},
                            {"x-ratelimit-remaining-tokens_usage_based", "7"},
                            {"retry-after-ms", "250.5"}});
    EXPECT_EQ(in_words(t.left(own)), "59 for 1 s");
    EXPECT_EQ(in_words(t.left(own, "requests")), "59 for 1 s");
    EXPECT_EQ(in_words(t.left(own, "tokens")), "149984 for 360 s");
    EXPECT_EQ(in_words(t.left(weir::per_minute(9), "tokens_usage_based")), "7 for 60 s");
    EXPECT_EQ(t.retry_after(), nanoseconds(250'500'000));

    const told a = reading({{"anthropic-ratelimit-requests-limit", "1000"},
                            {"anthropic-ratelimit-requests-remaining", "999"},
                            {"anthropic-ratelimit-requests-reset", "2023-11-14T22:13:22Z"},
                            {"anthropic-ratelimit-input-tokens-limit", "80000"},
                            {"anthropic-ratelimit-input-tokens-remaining", "71000"},
                            {"anthropic-ratelimit-input-tokens-reset", "2023-11-14T22:13:59Z"},
                            {"anthropic-ratelimit-output-tokens-remaining", "16000"},
                            {"anthropic-ratelimit-output-tokens-reset", "2023-11-14T22:13:00Z"},
                            {"anthropic-ratelimit-unified-status", "allowed"},
                            {"anthropic-ratelimit-unified-5h-reset", "1700000100"},
                            {"date", date}});
    EXPECT_EQ(in_words(a.left(own)), "999 for 2 s");
    EXPECT_EQ(in_words(a.left(own, "input-tokens")), "71000 for 39 s");
    EXPECT_EQ(in_words(a.left(own, "output-tokens")), "16000 for 0 ns");  // in the past
    EXPECT_EQ(in_words(a.left(own, "tokens")), "nothing");
    EXPECT_EQ(in_words(a[3]), "unified-5h of unified-5h reset 100 s");
}

TEST(http_told, by_providers_that_name_intervals) {
    const told t = reading({{"x-ratelimit-limit-requests-day", "14400"},
                            {"x-ratelimit-remaining-requests-day", "13693"},
                            {"x-ratelimit-reset-requests-day", "11726.5"},
                            {"x-ratelimit-remaining-requests-minute", "20"},
                            {"X-RateLimit-Limit-Tokens-Minute", "60000"},
                            {"X-RateLimit-Remaining-Tokens-Minute", "50000"},
                            {"X-RateLimit-Remaining-Tokens-Hour", "40000"},
                            {"x-ratelimit-remaining-today", "1"},
                            {"x-ratelimit-remaining--day", "1"}});
    EXPECT_EQ(in_words(t),
              (words{"requests-day of requests limit 14400 remaining 13693 window 86400 s reset "
                     "11726.5 s",
                     "requests-minute of requests remaining 20 window 60 s",
                     "tokens-minute of tokens limit 60000 remaining 50000 window 60 s",
                     "tokens-hour of tokens remaining 40000 window 3600 s",
                     "today of today remaining 1", "-day of -day remaining 1"}));
    EXPECT_EQ(in_words(t.left(own)), "20 for 60 s");
    EXPECT_EQ(in_words(t.left(own, "requests-day")), "13693 for 11726.5 s");
    EXPECT_EQ(in_words(t.left(own, "tokens")), "40000 for 3600 s");
    EXPECT_EQ(in_words(t.left(own, "tokens-minute")), "50000 for 60 s");
}

TEST(http_told, by_the_drafts_items) {
    const told t = reading({{"RateLimit-Policy", "\"burst\";q=100;w=60,\"daily\";q=1000;w=86400"},
                            {"RateLimit", "\"burst\";r=50;t=30, \"daily\";r=20;t=4000"}});
    EXPECT_EQ(in_words(t),
              (words{"burst of requests limit 100 remaining 50 window 60 s reset 30 s",
                     "daily of requests limit 1000 remaining 20 window 86400 s reset 4000 s"}));
    EXPECT_EQ(in_words(t.left(own)), "20 for 4000 s");
    EXPECT_EQ(in_words(t.left(own, "burst")), "50 for 30 s");
    EXPECT_EQ(in_words(t.left(own, "daily")), "20 for 4000 s");

    // In other lines, in another order, with what is a comment to us.
    const told other = reading({{"RATELIMIT", "\"daily\";r=20;t=4000;acme=?1"},
                                {"ratelimit", "\"burst\"; r=50;t=30;x=-1.5;y=@17;z=%\"a\";v"},
                                {"ratelimit-policy", "\"daily\";w=86400;q=1000;acme-x=tok/en:a"},
                                {"RateLimit-Policy", "\"burst\";q=100;w=60;note=\"a \\\"b\\\\\""}});
    EXPECT_EQ(in_words(other), (words{in_words(t[1]), in_words(t[0])}));

    // A unit, and whose budget it is.
    const told u = reading(
        {{"RateLimit-Policy", "\"peruser\";q=65535;qu=\"content-bytes\";w=10;pk=:sdfjLJUOUH==:"},
         {"RateLimit", "\"peruser\";r=300;t=6;pk=:sdfjLJUOUH==:"}});
    EXPECT_EQ(in_words(u),
              words{"peruser of content-bytes of sdfjLJUOUH== limit 65535 remaining 300 "
                    "window 10 s reset 6 s"});
    EXPECT_EQ(in_words(u.left(own)), "nothing");
    EXPECT_EQ(in_words(u.left(own, "content-bytes")), "300 for 6 s");
    EXPECT_EQ(in_words(u.left(own, "peruser")), "300 for 6 s");
    EXPECT_EQ(in_words(reading({{"RateLimit-Policy", "a;q=1;qu=request;w=1"}})),
              words{"a of requests limit 1 window 1 s"});

    // A policy for all partitions is that of each.
    const told p = reading({{"RateLimit", "\"a\";r=5;t=6;pk=:eA==:, \"a\";r=3;t=2;pk=:eQ==:"},
                            {"RateLimit-Policy", "\"a\";q=9;w=10;qu=\"tokens\""}});
    EXPECT_EQ(in_words(p), (words{"a of tokens of eA== limit 9 remaining 5 window 10 s reset 6 s",
                                  "a of tokens of eQ== limit 9 remaining 3 window 10 s reset 2 s",
                                  "a of tokens limit 9 window 10 s"}));
    EXPECT_EQ(in_words(p.left(own, "tokens")), "3 for 2 s");

    // Without a time it is the window's, or that of one's own quota.
    EXPECT_EQ(in_words(reading({{"RateLimit", "\"a\";r=5"}, {"RateLimit-Policy", "\"a\";q=9;w=10"}})
                           .left(own)),
              "5 for 10 s");
    EXPECT_EQ(in_words(reading({{"RateLimit", "\"a\";r=5"}}).left(weir::per_hour(9), "a")),
              "5 for 3600 s");
    // The last parameter of a name counts, as the standard says.
    EXPECT_EQ(in_words(reading({{"RateLimit", "\"a\";r=5;t=1;t=2"}}).left(own)), "5 for 2 s");
    EXPECT_EQ(in_words(reading({{"RateLimit", "a;r=5;t=999999999999999"}}).left(own)),
              "5 for for ever");
    EXPECT_EQ(in_words(reading({{"RateLimit", "\"q\\\"\\\\\";r=5;t=1"}}).left(own, "q\"\\")),
              "5 for 1 s");
}

TEST(http_told, by_older_drafts) {
    EXPECT_EQ(in_words(reading({{"RateLimit-Limit", "100"},
                                {"RateLimit-Remaining", "50"},
                                {"RateLimit-Reset", "30"}})),
              words{" of requests limit 100 remaining 50 reset 30 s"});
    EXPECT_EQ(in_words(reading({{"RateLimit-Limit", "100, 100;w=60;name=\"a\", 5000;w=3600"},
                                {"RateLimit-Remaining", "50"},
                                {"RateLimit-Reset", "30"}})),
              words{" of requests limit 100 remaining 50 window 60 s reset 30 s"});
    EXPECT_EQ(in_words(reading({{"X-RateLimit-Limit", "100, 100;window=60, 10000;window=86400"}})),
              words{" of requests limit 100 window 60 s"});
    // A policy of fewer units is another budget, and does not lower this one.
    EXPECT_EQ(in_words(reading({{"RateLimit-Limit", "5000, 100;w=60, 5000;w=3600"}})),
              words{" of requests limit 5000 window 3600 s"});
    // What remains has no policies: this is one header that came twice.
    EXPECT_EQ(in_words(reading({{"RateLimit-Remaining", "50, 40;w=60"}})),
              words{" of requests remaining 40"});
    // Draft 6: policies without names.
    const told six = reading({{"RateLimit-Policy", "100;w=60, 5000;w=3600"},
                              {"RateLimit-Limit", "100"},
                              {"RateLimit-Remaining", "50"},
                              {"RateLimit-Reset", "30"}});
    EXPECT_EQ(in_words(six),
              (words{" of requests limit 100 window 60 s", " of requests limit 5000 window 3600 s",
                     " of requests limit 100 remaining 50 window 60 s reset 30 s"}));
    EXPECT_EQ(in_words(six.left(own)), "50 for 30 s");
    // Draft 7: one header.
    const told seven = reading({{"RateLimit", "limit=100, remaining=50, reset=30, a=b;c"}});
    EXPECT_EQ(in_words(seven), words{" of requests limit 100 remaining 50 reset 30 s"});
    // Sent twice, and joined.
    EXPECT_EQ(
        in_words(reading({{"RateLimit", "limit=9, remaining=5, reset=3, limit=8, remaining=6, "
                                        "reset=2"}})),
        words{" of requests limit 8 remaining 5 reset 3 s"});
}

TEST(http_told, by_kong_and_envoy) {
    const told kong = reading({{"X-RateLimit-Limit-Second", "5"},
                               {"X-RateLimit-Remaining-Second", "4"},
                               {"X-RateLimit-Limit-Hour", "10"},
                               {"X-RateLimit-Remaining-Hour", "9"}});
    EXPECT_EQ(in_words(kong), (words{"second of requests limit 5 remaining 4 window 1 s",
                                     "hour of requests limit 10 remaining 9 window 3600 s"}));
    EXPECT_EQ(in_words(kong.left(own)), "4 for 1 s");
    EXPECT_EQ(in_words(kong.left(own, "hour")), "9 for 3600 s");
    EXPECT_EQ(in_words(reading({{"x-ratelimit-limit", "10, 10;w=1;name=\"per-ip\", 1000;w=3600"},
                                {"x-ratelimit-remaining", "3"},
                                {"x-ratelimit-reset", "1"}})),
              words{" of requests limit 10 remaining 3 window 1 s reset 1 s"});
    EXPECT_EQ(
        in_words(reading({{"x-rate-limit-remaining", "3"}, {"x-rate-limit-reset", "1700000001"}})),
        words{" of requests remaining 3 reset 1 s"});
    EXPECT_EQ(in_words(reading(
                  {{"X-RateLimit-Tokens-Remaining", "3"}, {"X-RateLimit-Reset-Tokens", "4"}})),
              words{"tokens of tokens remaining 3 reset 4 s"});
    EXPECT_EQ(reading({{"X-RateLimit-Retry-After", "8"}}).retry_after(), seconds(8));
}

// --- rules

TEST(http_told, in_any_order_and_case_and_twice) {
    headers all = {{"Date", date},
                   {"X-RateLimit-Remaining", "4982"},
                   {"X-RateLimit-Reset", std::to_string(today + 1'800)},
                   {"X-RateLimit-Resource", "core"},
                   {"Retry-After", "3"},
                   {"RateLimit", "\"a\";r=5;t=6, \"b\";r=7;t=8"}};
    std::sort(all.begin(), all.end());
    auto expected = in_words(reading(all));
    std::sort(expected.begin(), expected.end());
    do {
        told t(now);
        for (auto [name, value] : all) {
            for (char& c : name) c = static_cast<char>(std::toupper(c));
            EXPECT_EQ(t.read(name, value), http_error::none);
            for (char& c : name) c = static_cast<char>(std::tolower(c));
            EXPECT_EQ(t.read(name, " " + value + "\t"), http_error::none);
        }
        auto found = in_words(t);
        std::sort(found.begin(), found.end());
        ASSERT_EQ(found, expected);
        ASSERT_EQ(t.retry_after(), seconds(3));
    } while (std::next_permutation(all.begin(), all.end()));
}

TEST(http_told, keeps_the_stricter_of_two_values) {
    const told t = reading({{"X-RateLimit-Limit", "50"},
                            {"X-RateLimit-Limit", "40"},
                            {"X-RateLimit-Limit", "60"},
                            {"X-RateLimit-Remaining", "7, 9"},
                            {"X-RateLimit-Remaining", "8"},
                            {"X-RateLimit-Used", "3, 4"},
                            {"X-RateLimit-Used", "2"},
                            {"X-RateLimit-Reset", "30, 31"},
                            {"X-RateLimit-Reset", "29"},
                            {"Retry-After", "5"},
                            {"Retry-After", "6, 4"},
                            {"Retry-After", date},
                            {"RateLimit", "a;r=5;t=6"},
                            {"RateLimit", "a;r=6;t=5, a;r=4;t=1"},
                            {"RateLimit-Policy", "a;q=9;w=1"},
                            {"RateLimit-Policy", "a;q=8;w=2"}});
    EXPECT_EQ(in_words(t), (words{" of requests limit 40 used 4 remaining 7 reset 31 s",
                                  "a of requests limit 8 remaining 4 window 2 s reset 6 s"}));
    EXPECT_EQ(t.retry_after(), seconds(6));
}

// A proxy may add its headers to those of the server: two budgets, of which the fewest counts.
TEST(http_told, tells_families_apart) {
    const told t = reading({{"RateLimit-Remaining", "9"},
                            {"RateLimit-Reset", "1"},
                            {"X-RateLimit-Remaining", "4"},
                            {"X-RateLimit-Reset", "2"},
                            {"RateLimit", "\"default\";r=9;t=3"}});
    EXPECT_EQ(t.size(), 3U);
    EXPECT_EQ(in_words(t.left(own)), "4 for 2 s");
    // Of as few of both the later reset counts.
    EXPECT_EQ(in_words(reading({{"RateLimit", "a;r=4;t=1, b;r=4;t=3, c;r=4;t=2"}}).left(own)),
              "4 for 3 s");
}

TEST(http_told, goes_by_the_servers_clock) {
    told t(utc_time::since_1970(seconds(today + 500)));
    t.read("X-RateLimit-Remaining", "5");
    t.read("X-RateLimit-Reset", std::to_string(today + 30));
    t.read("Retry-After", "Tue, 14 Nov 2023 22:13:30 GMT");
    EXPECT_EQ(in_words(t.left(own)), "5 for 0 ns");
    EXPECT_EQ(t.retry_after(seconds(9)), seconds(0));
    t.read("Date", date);
    EXPECT_EQ(in_words(t.left(own)), "5 for 30 s");
    EXPECT_EQ(t.retry_after(), seconds(10));
    t.read("Date", "Tue, 14 Nov 2023 22:13:21 GMT");  // the earlier one is the stricter one
    EXPECT_EQ(t.retry_after(), seconds(10));
    EXPECT_EQ(reading({{"Retry-After", "9999-01-01T00:00:00Z"}}).retry_after(),
              nanoseconds::longest());
}

template <class Now>
nanoseconds wait_from(Now at) {
    told t(at);
    t.read("Retry-After", std::to_string(today + 5));
    return t.retry_after();
}
template <class Clock>
void expect_a_wait_from(std::int64_t time) {
    // A word of 32 bits holds no time since 1970, and then it does not compile.
    if constexpr (sizeof(weir::instant<Clock>) == 8) {
        EXPECT_EQ(wait_from(weir::instant<Clock>(time)), seconds(5));
    }
}

TEST(http_told, takes_the_time_from_whoever_has_it) {
    namespace chrono = std::chrono;
    EXPECT_EQ(wait_from(chrono::system_clock::time_point(chrono::seconds(today))), seconds(5));
    EXPECT_EQ(wait_from(chrono::sys_seconds(chrono::seconds(today))), seconds(5));
    expect_a_wait_from<weir::utc_clock>(today * 1'000'000'000);
    EXPECT_EQ(utc_time::since_1970(seconds(-1)).since_1970(), seconds(0));
}

TEST(http_told, believes_no_cache) {
    for (const auto& [age, is_cached] :
         {std::pair{"0", false}, {"1", true}, {"99999999999999999999", true}}) {
        headers all = github;
        all.insert(all.end(), {{"Age", age}, {"X-RateLimit-Remaining", "0"}});
        told t = reading(all);
        EXPECT_EQ(t.is_from_cache(), is_cached);
        EXPECT_EQ(t.left(own).has_value(), !is_cached);
        EXPECT_EQ(t.left(weir::per_hour(5'000), "core").has_value(), !is_cached);
        EXPECT_EQ(t.retry_after(seconds(9)), is_cached ? seconds(9) : seconds(1'800));
        t.read("Retry-After", "3");
        EXPECT_EQ(t.retry_after(), seconds(3));
    }
}

TEST(http_told, waits_for_all_that_have_nothing_left) {
    const told t = reading({{"RateLimit", "a;r=0;t=4, b;r=1;t=9, c;r=0;t=6, d;r=0"},
                            {"x-ratelimit-limit", "5"},
                            {"x-ratelimit-used", "6"},
                            {"x-ratelimit-reset", "7"}});
    EXPECT_EQ(t.retry_after(seconds(1)), seconds(7));
    EXPECT_EQ(reading({{"RateLimit", "d;r=0"}}).retry_after(seconds(2)), seconds(2));
    // Who is refused although it resets now, or has long been reset, would ask in a loop.
    EXPECT_EQ(reading({{"RateLimit", "d;r=0;t=0"}}).retry_after(seconds(2)), seconds(2));
    EXPECT_EQ(reading({{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1600000000"}})
                  .retry_after(seconds(2)),
              seconds(2));
    EXPECT_EQ(reading({{"Retry-After", "0"}}).retry_after(seconds(2)), seconds(0));  // it says so
    EXPECT_EQ(reading({}).retry_after(), seconds(0));
}

TEST(http_told, saturates_where_that_is_stricter) {
    const told t = reading({{"X-RateLimit-Remaining", "99999999999999999999999"},
                            {"X-RateLimit-Limit", "18446744073709551616"},
                            {"X-RateLimit-Reset", "99999999999999999999h"},
                            {"X-MBX-USED-WEIGHT-1M", "99999999999999999999999"}});
    EXPECT_EQ(t[0].remaining, UINT64_MAX);
    EXPECT_EQ(t[0].limit, UINT64_MAX);
    EXPECT_EQ(t[0].reset_after, nanoseconds::longest());
    EXPECT_EQ(in_words(t.left(weir::per_minute(6'000), "used-weight-1m")), "0 for 60 s");
}

TEST(http_told, what_is_no_rate_limits_is_ignored) {
    const headers others = {{"Content-Type", "text/plain"},
                            {"", ""},
                            {"RateLimit-", "5"},
                            {"RateLimit-Limits", "a"},
                            {"X-RateLimit", "a"},
                            {"X-RateLimit-Limit-", "a"},
                            {"X-RateLimit--Limit", "a"},
                            {"X-RateLimit-Limit-Reset", "a"},
                            {"X-RateLimit-Policy", "a"},
                            {"Y-RateLimit-Limit", "a"},
                            {"anthropic-ratelimit-unified-5h-utilization", "0.4"},
                            {"X-MBX-UUID", "a"},
                            {"X-MBX-", "a"},
                            {"Retry-Afterwards", "a"},
                            {"X-RateLimit-Limitation", "a"}};
    const told t = reading(others);
    EXPECT_EQ(t.size(), 0U);
    EXPECT_EQ(t.error(), http_error::none);
}

// --- mistakes

TEST(http_told, refuses_what_it_does_not_understand_and_keeps_what_it_knows) {
    struct line {
        const char* name;
        std::string value;
        http_error expected;
    };
    using e = http_error;
    const std::string long_word(48, 'w');
    const line lines[] = {
        {"X-RateLimit-Remaining", "", e::not_a_count},
        {"X-RateLimit-Remaining", "-1", e::not_a_count},
        {"X-RateLimit-Remaining", "+1", e::not_a_count},
        {"X-RateLimit-Remaining", "1.5", e::not_a_count},
        {"X-RateLimit-Remaining", "5k", e::not_a_count},
        {"X-RateLimit-Remaining", "0x5", e::not_a_count},
        {"X-RateLimit-Remaining", "5 6", e::not_a_count},
        {"X-RateLimit-Remaining", "5,", e::not_a_count},
        {"X-RateLimit-Remaining", ",5", e::not_a_count},
        {"X-RateLimit-Remaining", "5,,6", e::not_a_count},
        {"X-RateLimit-Remaining", "1, unlimited", e::not_a_count},
        {"X-RateLimit-Remaining", std::string("1\0", 2), e::not_a_count},
        {"X-RateLimit-Limit", "5;", e::not_a_list},
        {"X-RateLimit-Limit", "5;W=6", e::not_a_list},
        {"X-RateLimit-Limit", "5, 5;w=", e::not_a_list},
        {"X-RateLimit-Limit", "5, 5;w=0", e::parameter_of_another_kind},
        {"X-RateLimit-Used", "many", e::not_a_count},
        {"X-RateLimit-Reset", "tomorrow", e::not_a_time},
        {"X-RateLimit-Reset", "30, soon", e::not_a_time},
        {"X-RateLimit-Reset", "30,", e::not_a_time},
        {"X-RateLimit-Reset", "", e::not_a_time},
        {"X-RateLimit-Reset-After", "-1", e::not_a_time},
        {"X-RateLimit-Global", "maybe", e::not_a_truth},
        {"X-RateLimit-Scope", "shared", e::two_names},
        {"X-RateLimit-Scope", "", e::two_names},
        {"X-RateLimit-Resource", "search", e::two_names},
        {"X-RateLimit-Resource", long_word, e::two_names},
        {("X-RateLimit-Limit-wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"), "5",
         e::word_too_long},
        {"X-RateLimit-Limit-\xFF", "5", e::word_not_printable},
        {"X-MBX-USED-WEIGHT-1M", "-3", e::not_a_count},
        {"Retry-After", "", e::not_a_time},
        {"Retry-After", "-5", e::not_a_time},
        {"Retry-After", "Sun, 31 Feb 2024 00:00:00 GMT", e::not_a_time},
        {"Retry-After-Ms", "5s", e::not_a_time},
        {"Retry-After-Ms", "-5", e::not_a_time},
        {"Date", "today", e::not_a_time},
        {"Date", "1700000000", e::not_a_time},
        {"Age", "-1", e::not_a_time},
        {"Age", "1.5", e::not_a_time},
        {"RateLimit", "", e::not_a_list},
        {"RateLimit", "\"a\"", e::item_without_its_count},
        {"RateLimit", "\"a\";t=5", e::item_without_its_count},
        {"RateLimit", "\"a\";q=5", e::item_without_its_count},
        {"RateLimit", "\"a\";r=1, \"b\"", e::item_without_its_count},
        {"RateLimit", "\"a\";r", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=\"5\"", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=-5", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=5.0", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=5;t=1.5", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=5;pk=\"x\"", e::parameter_of_another_kind},
        {"RateLimit", "\"a\";r=5;pk=:" + long_word + ":", e::word_too_long},
        {"RateLimit", "\"" + long_word + "\";r=5", e::word_too_long},
        {"RateLimit", "\"a\";r=1000000000000000", e::not_a_list},
        {"RateLimit", "\"a\";r=5,", e::not_a_list},
        {"RateLimit", "\"a\";r=5 \"b\";r=5", e::not_a_list},
        {"RateLimit", "\"a\";r=5;", e::not_a_list},
        {"RateLimit", "\"a\";R=5", e::not_a_list},
        {"RateLimit", "\"a\"; ;r=5", e::not_a_list},
        {"RateLimit", "\"a;r=5", e::not_a_list},
        {"RateLimit", "\"a\\;r=5", e::not_a_list},
        {"RateLimit", "\"a\\n\";r=5", e::not_a_list},
        {"RateLimit", "\"\xC3\xA4\";r=5", e::not_a_list},
        {"RateLimit", "'a';r=5", e::not_a_list},
        {"RateLimit", "5;r=5", e::not_a_list},
        {"RateLimit", "(\"a\");r=5", e::not_a_list},
        {"RateLimit", ":YQ==:;r=5", e::not_a_list},
        {"RateLimit", "\"a\";r=5;pk=:YQ=", e::not_a_list},
        {"RateLimit", "\"a\";r=5;pk=:Y-Q:", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=?2", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=@", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=@1.5", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=1.", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=1.1234", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=1234567890123.1", e::not_a_list},
        {"RateLimit", "\"a\";r=5;x=%a", e::not_a_list},
        {"RateLimit", "limit=10, reset=5", e::item_without_its_count},
        {"RateLimit", "limit=10, remaining=a", e::parameter_of_another_kind},
        {"RateLimit", "limit=10, remaining", e::not_a_list},
        {"RateLimit", "remaining=10,", e::not_a_list},
        {"RateLimit-Policy", "\"a\";w=5", e::item_without_its_count},
        {"RateLimit-Policy", "\"a\";r=5", e::item_without_its_count},
        {"RateLimit-Policy", "\"a\";q=5;w=0", e::parameter_of_another_kind},
        {"RateLimit-Policy", "\"a\";q=5;qu=6", e::parameter_of_another_kind},
        {"RateLimit-Policy", "\"a\";q=5;qu=\"x\", \"a\";q=4;qu=\"y\"", e::two_names},
        {"RateLimit-Policy", "\"known\";q=4;qu=\"y\"", e::two_names},
        {"RateLimit-Policy", "\"a\";q=5;weir-burst=x", e::parameter_of_another_kind},
        {"RateLimit-Policy", "a=5", e::not_a_list},
        {"RateLimit-Policy", "-5;w=6", e::not_a_list},
    };
    headers before = github;
    before.insert(before.end(), {{"Retry-After", "30"},
                                 {"X-RateLimit-Scope", "user"},
                                 {"RateLimit-Policy", "known;q=5;qu=\"x\""}});
    const told known = reading(before);
    for (const line& l : lines) {
        told t = known;
        EXPECT_EQ(t.read(l.name, l.value), l.expected) << l.name << ": " << l.value;
        EXPECT_EQ(t.error(), l.expected);
        EXPECT_EQ(in_words(t), in_words(known)) << l.name << ": " << l.value;
        EXPECT_EQ(t.retry_after(), seconds(30));
        EXPECT_EQ(t.scope(), "user");
        EXPECT_FALSE(t.is_from_cache());
        // The first mistake is the one that is told; what comes behind it is read.
        t.read("Retry-After", "31");
        t.read("Retry-After", "soon");
        EXPECT_EQ(t.error(), l.expected);
        EXPECT_EQ(t.retry_after(), seconds(31));
        EXPECT_GT(std::string(describe(l.expected)).size(), 10U);
    }
}

TEST(http_told, holds_sixteen_budgets) {
    told t(now);
    for (int i = 0; i < 15; ++i) {
        EXPECT_EQ(t.read("X-RateLimit-Remaining-" + std::to_string(i), "5"), http_error::none);
    }
    // All items or none: the second one has no place.
    EXPECT_EQ(t.read("RateLimit", "a;r=1, b;r=1"), http_error::too_many_budgets);
    EXPECT_EQ(t.size(), 15U);
    EXPECT_EQ(t.read("RateLimit", "a;r=1"), http_error::none);
    EXPECT_EQ(t.read("X-RateLimit-Remaining", "1"), http_error::too_many_budgets);
    EXPECT_EQ(t.read("X-RateLimit-Limit-7", "6"), http_error::none);  // one that it knows
    EXPECT_EQ(t.size(), 16U);
    EXPECT_EQ(t[7].limit, std::uint64_t{6});
    EXPECT_EQ(in_words(t.left(own)), "1 for 3600 s");
}

// Nothing in it needs more than the language: it is a constant, too.
constexpr std::uint64_t constant() {
    told t(now);
    t.read("RateLimit", "\"a\";r=5;t=6");
    t.read("X-RateLimit-Remaining", "7");
    t.read("X-RateLimit-Reset", "Tue, 14 Nov 2023 22:13:21 GMT");
    return t.left(own)->units;
}
static_assert(constant() == 5);

}  // namespace
