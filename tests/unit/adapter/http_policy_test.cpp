// SPDX-License-Identifier: MIT
// What a server writes: to the letter, and as a client reads it.
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <weir/adapter/http_policy.hpp>
#include <weir/adapter/http_told.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>

namespace {

using weir::nanoseconds;
using weir::quota;
using weir::seconds;
using weir::http::forms;
using weir::http::http_error;
using weir::http::policy;
using weir::http::told;
using weir::http::utc_time;

using clock = weir::manual_clock<struct of_policies>;
using limiter = weir::limiter<weir::gcra<>, clock>;

// A decision as it may be.
struct answer {
    weir::verdict what = weir::verdict::admitted;
    std::uint64_t left = 0;
    nanoseconds reset{};
    nanoseconds retry{};

    [[nodiscard]] weir::verdict verdict() const { return what; }
    [[nodiscard]] std::uint64_t remaining() const { return left; }
    [[nodiscard]] nanoseconds reset_after() const { return reset; }
    [[nodiscard]] nanoseconds retry_after() const { return retry; }
};

template <class Decision>
std::string written(const policy& p, const Decision& d, const forms& which = {}) {
    std::string all;
    p.write(
        d,
        [&](std::string_view name, std::string_view value) {
            all.append(name).append(": ").append(value).append("\n");
        },
        which);
    return all;
}

std::string written_wait(const answer& d) {
    std::string all;
    weir::http::write_retry_after(d, [&](std::string_view name, std::string_view value) {
        all.append(name).append(": ").append(value);
    });
    return all;
}

constexpr policy per_client("per-client", weir::per_minute(100));

TEST(http_policy, writes_what_is_left) {
    limiter limit(weir::per_minute(100));
    EXPECT_EQ(written(per_client, limit.peek(0)), "RateLimit-Policy: \"per-client\";q=100;w=60\n"
                                                  "RateLimit: \"per-client\";r=100;t=0\n");
    EXPECT_EQ(written(per_client, limit.try_acquire(60)),
              "RateLimit-Policy: \"per-client\";q=100;w=60\n"
              "RateLimit: \"per-client\";r=40;t=36\n");
    // Refused: all headers tell the same wait, 20 units of 600 ms.
    const auto refused = limit.try_acquire(60);
    EXPECT_EQ(written(per_client, refused, {.older = true}),
              "RateLimit-Policy: \"per-client\";q=100;w=60\n"
              "RateLimit: \"per-client\";r=40;t=12\n"
              "RateLimit-Limit: 100\nRateLimit-Remaining: 40\nRateLimit-Reset: 12\n");
    EXPECT_EQ(written_wait({refused.verdict(), 0, {}, refused.retry_after()}), "Retry-After: 12");
}

TEST(http_policy, writes_the_forms_that_are_asked_for) {
    const answer d{.left = 7, .reset = nanoseconds(1'500'000'000)};
    EXPECT_EQ(written(per_client, d, {.structured = false}), "");
    EXPECT_EQ(written(per_client, d, {.structured = false, .older = true}),
              "RateLimit-Limit: 100\nRateLimit-Remaining: 7\nRateLimit-Reset: 2\n");
    EXPECT_EQ(written(per_client, d, {.structured = false, .x = true}),
              "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 7\nX-RateLimit-Reset: 2\n");
    const auto now = utc_time::since_1970(nanoseconds(1'700'000'000'600'000'000));
    EXPECT_EQ(written(per_client, d, {.structured = false, .x = true, .now = now}),
              "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 7\nX-RateLimit-Reset: 1700000003\n");
}

TEST(http_policy, rounds_a_wait_up_and_never_to_zero) {
    struct line {
        answer d;
        const char* expected;
    };
    const line lines[] = {
        {{weir::verdict::wait, 0, {}, nanoseconds(0)}, "Retry-After: 1"},
        {{weir::verdict::wait, 0, {}, nanoseconds(1)}, "Retry-After: 1"},
        {{weir::verdict::wait, 0, {}, seconds(1)}, "Retry-After: 1"},
        {{weir::verdict::wait, 0, {}, nanoseconds(1'000'000'001)}, "Retry-After: 2"},
        {{weir::verdict::wait, 0, {}, nanoseconds::longest()}, "Retry-After: 999999999"},
        // It may come at once, and it will never pass: no wait helps.
        {{weir::verdict::admitted, 0, seconds(5), seconds(0)}, ""},
        {{weir::verdict::never, 0, seconds(5), nanoseconds::longest()}, ""},
    };
    for (const line& l : lines) EXPECT_EQ(written_wait(l.d), l.expected);
    EXPECT_EQ(written(per_client, lines[0].d), "RateLimit-Policy: \"per-client\";q=100;w=60\n"
                                               "RateLimit: \"per-client\";r=0;t=1\n");
    EXPECT_EQ(written(per_client, lines[6].d), "RateLimit-Policy: \"per-client\";q=100;w=60\n"
                                               "RateLimit: \"per-client\";r=0;t=5\n");
}

TEST(http_policy, tells_windows_in_whole_seconds) {
    struct line {
        quota q;
        const char* expected;
    };
    const line lines[] = {
        {weir::per_second(10), "q=10;w=1"},
        {weir::per_hour(5'000), "q=5000;w=3600"},
        {weir::per_minute(100).with_burst(5), "q=100;w=60;weir-burst=5"},
        {{20, weir::milliseconds(100)}, "q=200;w=1"},
        {{2, weir::milliseconds(1'500)}, "q=4;w=3"},
        {{1, nanoseconds(1)}, "q=1000000000;w=1"},
        {{1, nanoseconds(999'999'999)}, "q=1000000000;w=999999999"},
        // What a whole number of the standard cannot hold is not told.
        {{1'000'000, nanoseconds(999'999'999)}, "q=1000000"},
        {{1, nanoseconds(1'000'000'000'000'001)}, "q=1"},
        {{INT64_MAX, seconds(60)}, "q=999999999999999"},
        {weir::per_second(1).with_burst(INT64_MAX), "q=1;w=1;weir-burst=999999999999999"},
    };
    for (const line& l : lines) {
        const std::string all = written(policy("p", l.q), answer{});
        EXPECT_EQ(all.substr(0, all.find('\n')),
                  std::string("RateLimit-Policy: \"p\";") + l.expected);
    }
    EXPECT_EQ(written(policy("p", weir::per_second(1)), answer{.left = UINT64_MAX}),
              "RateLimit-Policy: \"p\";q=1;w=1\nRateLimit: \"p\";r=999999999999999;t=0\n");
}

TEST(http_policy, refuses_names_that_would_break_a_header) {
    const auto why = [](std::string_view name, std::string_view unit = {}) {
        return policy::make(name, weir::per_second(1), unit).error();
    };
    EXPECT_EQ(why("default"), http_error::none);
    EXPECT_EQ(why("a b;c=d, e"), http_error::none);
    EXPECT_EQ(why(std::string(47, 'n'), std::string(47, 'u')), http_error::none);
    EXPECT_EQ(why(""), http_error::name_empty);
    EXPECT_EQ(why(std::string(48, 'n')), http_error::word_too_long);
    EXPECT_EQ(why("n", std::string(48, 'u')), http_error::word_too_long);
    EXPECT_EQ(why("a\r\nSet-Cookie: b"), http_error::word_not_printable);
    EXPECT_EQ(why("n", "a\nb"), http_error::word_not_printable);
    EXPECT_EQ(why("na\xC3\xAFve"), http_error::word_not_printable);
    EXPECT_EQ(why(std::string_view("a\0b", 3)), http_error::word_not_printable);
    EXPECT_EQ(why("a\"b"), http_error::name_with_quotes);
    EXPECT_EQ(why("n", "a\\b"), http_error::name_with_quotes);
    EXPECT_THROW(policy(std::string(), weir::per_second(1)), weir::refused);
}

// The longest header that there is has all its characters.
TEST(http_policy, fits) {
    const std::string name(47, 'n');
    const std::string unit(47, 'u');
    const policy p(name, quota(999'999, nanoseconds(999'999'999), INT64_MAX), unit);
    EXPECT_EQ(written(p, answer{.left = UINT64_MAX, .reset = nanoseconds::longest()}),
              "RateLimit-Policy: \"" + name +
                  "\";q=999999000000000;w=999999999;weir-burst=999999999999999;qu=\"" + unit +
                  "\"\nRateLimit: \"" + name + "\";r=999999999999999;t=999999999\n");
}

TEST(http_policy, is_read_as_it_was_written) {
    const quota quotas[] = {weir::per_second(10), weir::per_minute(100).with_burst(5),
                            weir::per_hour(5'000)};
    const auto now = utc_time::since_1970(seconds(1'700'000'000));
    for (const quota& q : quotas) {
        const policy p("tokens of a client", q, "tokens");
        const answer d{.left = 3, .reset = seconds(40)};
        told all(now);
        const auto read = [&](std::string_view name, std::string_view value) {
            EXPECT_EQ(all.read(name, value), http_error::none) << name << ": " << value;
        };
        p.write(d, read, {.older = true, .x = true, .now = now});
        ASSERT_EQ(all.size(), 3U);
        EXPECT_EQ(all[0].name, "tokens of a client");
        EXPECT_EQ(all[0].unit, "tokens");
        EXPECT_EQ(all[0].limit, static_cast<std::uint64_t>(q.units()));
        EXPECT_EQ(all[0].window, q.period());
        if (q.burst() != q.units()) {
            EXPECT_EQ(all[0].burst, static_cast<std::uint64_t>(q.burst()));
        }
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(all[i].limit, static_cast<std::uint64_t>(q.units())) << i;
            EXPECT_EQ(all[i].remaining, std::uint64_t{3}) << i;
            EXPECT_EQ(all[i].reset_after, seconds(40)) << i;
        }
        weir::http::write_retry_after(answer{weir::verdict::wait, 0, {}, seconds(9)}, read);
        EXPECT_EQ(all.retry_after(), seconds(9));
    }
}

}  // namespace
