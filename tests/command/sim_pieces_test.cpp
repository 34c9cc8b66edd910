// SPDX-License-Identifier: MIT
// The pieces of weir sim: times, lines of logs, their order, bins, windows, keys.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/quota_text.hpp>

#include "command/figures.hpp"
#include "command/sim/generated.hpp"
#include "command/sim/keys.hpp"
#include "command/sim/line_order.hpp"
#include "command/sim/lines.hpp"
#include "command/sim/log_line.hpp"
#include "command/sim/log_time.hpp"
#include "command/sim/suggestion.hpp"
#include "command/sim/timeline.hpp"
#include "command/sim/worst_window.hpp"
#include "command/subcommand.hpp"
#include "program.hpp"

namespace {

using namespace weir::command;

constexpr std::uint64_t second = 1'000'000'000;

std::optional<std::uint64_t> number(std::string_view text) {
    const auto t = number_time(text);
    return t ? std::optional(t->nanoseconds) : std::nullopt;
}
std::optional<std::uint64_t> iso(std::string_view text) {
    const auto t = iso_time(text);
    return t ? std::optional(t->nanoseconds) : std::nullopt;
}

TEST(log_times, are_numbers_that_say_by_their_size_what_they_count) {
    EXPECT_EQ(number("0"), 0U);
    EXPECT_EQ(number("0.5"), second / 2);
    EXPECT_EQ(number("12.000000001"), 12 * second + 1);
    EXPECT_EQ(number("12.0000000019"), 12 * second + 1);  // cut off
    EXPECT_EQ(number("1714560000"), 1'714'560'000 * second);
    EXPECT_EQ(number("1714560000123"), 1'714'560'000'123'000'000U);
    EXPECT_EQ(number("1714560000123456"), 1'714'560'000'123'456'000U);
    EXPECT_EQ(number("1714560000123456789"), 1'714'560'000'123'456'789U);
    EXPECT_EQ(number("1714560000123.5"), 1'714'560'000'123'500'000U);
    EXPECT_EQ(number("-1"), std::nullopt);
    EXPECT_EQ(number(""), std::nullopt);
    EXPECT_EQ(number("9999999999999999999999"), std::nullopt);
    EXPECT_TRUE(number_time("17")->whole_second);
    EXPECT_FALSE(number_time("17.0")->whole_second);
    EXPECT_FALSE(number_time("1714560000123")->whole_second);
}

TEST(log_times, are_dates) {
    constexpr std::uint64_t noon = 1'714'564'800 * second;  // 2024-05-01T12:00:00Z
    EXPECT_EQ(iso("2024-05-01T12:00:00Z"), noon);
    EXPECT_EQ(iso("2024-05-01 12:00:00"), noon);
    EXPECT_EQ(iso("2024-05-01T14:00:00+02:00"), noon);
    EXPECT_EQ(iso("2024-05-01T14:00:00+0200"), noon);
    EXPECT_EQ(iso("2024-05-01T07:30:00.25-04:30"), noon + second / 4);
    EXPECT_EQ(iso("2024-02-29T00:00:00Z"), 1'709'164'800 * second);
    EXPECT_EQ(iso("1970-01-01T00:00:00Z"), 0U);
    EXPECT_EQ(iso("2016-12-31T23:59:60Z"), 1'483'228'799 * second);  // a leap second
    for (const char* wrong :
         {"1969-12-31T23:59:59Z", "2300-01-01T00:00:00Z", "2023-02-29T00:00:00Z",
          "2024-13-01T00:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01", "2024-05-01T12:60:00Z",
          "2024-05-01T12:00:00.Z", "24-05-01T12:00:00Z", "2024-05-01T12:00:00+2"}) {
        EXPECT_EQ(iso(wrong), std::nullopt) << wrong;
    }
}

TEST(log_times, of_access_logs_agree_with_dates) {
    access_time t;
    EXPECT_EQ(t.with_offset("10/Oct/2000:13:55:36 -0700]")->nanoseconds,
              *iso("2000-10-10T20:55:36Z"));
    EXPECT_EQ(t.with_offset("10/Oct/2000:13:55:37 -0700]")->nanoseconds,
              *iso("2000-10-10T20:55:37Z"));
    EXPECT_EQ(t.with_offset("10/Oct/2000:13:55:37 +0530]")->nanoseconds,
              *iso("2000-10-10T08:25:37Z"));
    EXPECT_EQ(t.with_fraction("06/Feb/2009:12:14:14.655]")->nanoseconds,
              *iso("2009-02-06T12:14:14.655Z"));
    for (const char* wrong :
         {"10/Okt/2000:13:55:36 -0700", "32/Oct/2000:13:55:36 -0700", "10/Oct/2000:13:55:61 -0700",
          "10/Oct/2000:13:55:3", "", "10/Oct/1969:13:55:36 -0700", "10/Oct/2300:13:55:36 -0700"}) {
        EXPECT_FALSE(t.with_offset(wrong)) << wrong;
    }
}

logged read_one(std::string_view line, apart_by by = apart_by::key) {
    const auto format = likely_format({std::string(line)});
    logged found{};
    if (!format) {
        ADD_FAILURE() << line;
        return found;
    }
    log_lines reader(*format, by);
    EXPECT_EQ(reader.read(line, found), log_lines::found::request) << line << reader.why();
    return found;
}

TEST(log_lines, of_nginx_and_apache_tell_client_and_path) {
    const std::string common = "192.0.2.7 - frank [10/Oct/2000:13:55:36 -0700] "
                               "\"GET /a/b.html?x=1 HTTP/1.0\" 200 2326";
    const std::string combined = common + " \"http://example.com/[x]\" \"Mozilla [en] (X11)\"";
    for (const std::string& line : {common, combined}) {
        EXPECT_EQ(read_one(line).key, "192.0.2.7");
        EXPECT_EQ(read_one(line, apart_by::path).key, "/a/b.html");
        EXPECT_EQ(read_one(line, apart_by::nothing).key, "");
        EXPECT_EQ(read_one(line).time.nanoseconds, *iso("2000-10-10T20:55:36Z"));
        EXPECT_TRUE(read_one(line).time.whole_second);
    }
    EXPECT_EQ(read_one("2001:db8::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1").key,
              "2001:db8::1");
    EXPECT_EQ(
        read_one("::1 - john smith [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1").key,
        "::1");
    EXPECT_EQ(
        read_one("www.example.com:443 192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0").key,
        "192.0.2.7");
    EXPECT_EQ(read_one("h - a[b [10/Oct/2000:13:55:36 -0700] \"-\" 408 0").key, "h");
}

TEST(log_lines, of_haproxy_tell_client_and_path) {
    const std::string http =
        "Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] "
        "http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "
        "\"GET /index.html?a HTTP/1.1\"";
    EXPECT_EQ(read_one(http).key, "10.0.1.2");
    EXPECT_EQ(read_one(http, apart_by::path).key, "/index.html");
    EXPECT_EQ(read_one(http).time.nanoseconds, *iso("2009-02-06T12:14:14.655Z"));
    EXPECT_EQ(read_one("::ffff:10.0.1.2:33313 [06/Feb/2009:12:12:51.443] fnt bck/srv1 0/0/5007 212 "
                       "-- 0/0/0/0/3 0/0")
                  .key,
              "::ffff:10.0.1.2");
}

TEST(log_lines, of_times_have_a_key_and_a_cost_if_wanted) {
    EXPECT_EQ(read_one("17.5").key, "");
    EXPECT_EQ(read_one("17.5").cost, 1U);
    for (const char* line :
         {"17.5 anna 3", "17.5,anna,3", "17.5;anna;3", "17.5\tanna\t3", "  17.5 , anna , 3 , rest",
          "1970-01-01T00:00:17.5Z anna 3", "1970-01-01 00:00:17.5,anna,3"}) {
        EXPECT_EQ(read_one(line).key, "anna") << line;
        EXPECT_EQ(read_one(line).cost, 3U) << line;
        EXPECT_EQ(read_one(line).time.nanoseconds, 35 * second / 2) << line;
    }
    EXPECT_EQ(read_one("17,,3").key, "");
    EXPECT_EQ(read_one("17,,3").cost, 3U);
}

TEST(log_lines, that_make_no_sense_are_refused_with_a_reason) {
    log_lines reader(log_format::times, apart_by::key);
    logged found{};
    for (const char* line : {"17 a -3", "17 a 0", "17 a 1.5", "17 a 4294967296", "17 a x"}) {
        EXPECT_EQ(reader.read(line, found), log_lines::found::not_understood) << line;
        EXPECT_NE(std::string(reader.why()).find("cost"), std::string::npos);
    }
    for (const char* line :
         {"x", "-17 a", "17x a", "1969-12-31T23:59:59Z a", "[", "\"", "[[[[[["}) {
        EXPECT_EQ(reader.read(line, found), log_lines::found::not_understood) << line;
    }
    EXPECT_EQ(reader.read("", found), log_lines::found::nothing);
    EXPECT_EQ(reader.read("# a comment", found), log_lines::found::nothing);
    for (const char* line : {" - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0", "[10/Oct/2000:13:55",
                             "a [10/Oct/2000:13:55:36 -0700", "10.0.0.1 [06/Feb/2009:12:14:14.655]",
                             ":80 [06/Feb/2009:12:14:14.655] x"}) {
        EXPECT_FALSE(likely_format({line})) << line;
    }
}

TEST(log_lines, are_of_the_format_that_understands_most_of_them) {
    const std::string access = "h - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0";
    // The end of a line that was cut off may look like a time.
    EXPECT_EQ(likely_format({"36 -0700", "nonsense", access, access}), log_format::access);
    EXPECT_EQ(likely_format({"nonsense", "36 a", access, "37 a"}), log_format::times);
    EXPECT_FALSE(likely_format({}));
}

// --- lines

std::vector<std::string> all_lines(lines& from) {
    std::vector<std::string> all;
    for (;;) {
        std::string_view line;
        switch (from.next(line)) {
            case lines::found::line: all.emplace_back(line); break;
            case lines::found::too_long: all.push_back("too long"); break;
            case lines::found::nothing_yet: break;
            case lines::found::end: return all;
        }
    }
}

std::vector<std::string> lines_of(const std::string& text, bool* cut_off = nullptr) {
    const scratch_folder folder;
    const auto path = folder.path() / "log";
    std::ofstream(path, std::ios::binary) << text;
    lines from(path);
    auto all = all_lines(from);
    if (cut_off != nullptr) *cut_off = from.is_cut_off();
    return all;
}

TEST(lines, end_with_a_newline_or_both_characters_or_the_file) {
    bool cut_off = true;
    EXPECT_EQ(lines_of("", &cut_off), std::vector<std::string>{});
    EXPECT_FALSE(cut_off);
    EXPECT_EQ(lines_of("a\nb\r\n\nc\n", &cut_off), (std::vector<std::string>{"a", "b", "", "c"}));
    EXPECT_FALSE(cut_off);
    EXPECT_EQ(lines_of("a\nb", &cut_off), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(cut_off);
    EXPECT_EQ(lines_of(std::string("a\0b\nc\n", 6)),
              (std::vector<std::string>{std::string("a\0b", 3), "c"}));
}

TEST(lines, are_whole_wherever_a_block_ends) {
    std::string text;
    std::vector<std::string> expected;
    for (std::size_t length = 0; text.size() < 3'500'000; length = length * 5 % 6'007 + 1) {
        expected.emplace_back(length, static_cast<char>('a' + length % 26));
        text += expected.back() + "\n";
    }
    EXPECT_EQ(lines_of(text), expected);
}

TEST(lines, that_are_too_long_are_skipped_to_their_end) {
    const std::string longest(lines::longest, 'x');
    EXPECT_EQ(lines_of("a\n" + longest + "\nb\n"), (std::vector<std::string>{"a", longest, "b"}));
    EXPECT_EQ(lines_of("a\n" + longest + "y\nb\n"),
              (std::vector<std::string>{"a", "too long", "b"}));
    const std::string huge(5'000'000, 'x');
    EXPECT_EQ(lines_of("a\n" + huge + "\nb\n"), (std::vector<std::string>{"a", "too long", "b"}));
    EXPECT_EQ(lines_of("a\n" + huge), (std::vector<std::string>{"a", "too long"}));
}

// --- order

struct ordered {
    std::vector<std::uint64_t> times;
    line_order order;

    explicit ordered(const std::vector<std::uint64_t>& seconds) {
        const auto pass = [this](const arrival& a) { times.push_back(a.time / second); };
        for (const std::uint64_t s : seconds) order.take({s * second, 0, 1}, pass);
        order.end(pass);
    }
};

TEST(line_order, lets_what_is_late_come_with_the_line_before) {
    const ordered o({100, 101, 99, 90, 102});
    EXPECT_EQ(o.times, (std::vector<std::uint64_t>{100, 101, 101, 101, 102}));
    EXPECT_EQ(o.order.late(), 2U);
    EXPECT_EQ(o.order.most_late(), 11 * second);
    EXPECT_EQ(o.order.strays(), 0U);
}

TEST(line_order, takes_a_pause_for_what_it_is) {
    const std::vector<std::uint64_t> pauses = {0, 7'200, 14'400, 50'000, 50'001};
    const ordered o(pauses);
    EXPECT_EQ(o.times, pauses);
    EXPECT_EQ(o.order.strays() + o.order.late() + o.order.moved_back(), 0U);
    EXPECT_EQ(ordered({0, 7'200}).times, (std::vector<std::uint64_t>{0, 7'200}));
}

TEST(line_order, leaves_out_a_line_with_a_time_far_from_those_around) {
    for (const std::uint64_t stray : {std::uint64_t{9'000'000'000}, std::uint64_t{1'000}}) {
        const ordered o({100'000, 100'001, stray, 100'002});
        EXPECT_EQ(o.times, (std::vector<std::uint64_t>{100'000, 100'001, 100'002})) << stray;
        EXPECT_EQ(o.order.strays(), 1U);
    }
    EXPECT_EQ(ordered({100'000, 1'000}).order.strays(), 1U);
}

TEST(line_order, takes_an_earlier_day_that_follows_for_a_later_one) {
    constexpr std::uint64_t day = 86'400;
    const ordered o({10 * day + 5, 10 * day + 6, 9 * day + 7, 9 * day + 8, 9 * day + 9});
    EXPECT_EQ(o.times, (std::vector<std::uint64_t>{10 * day + 5, 10 * day + 6, 10 * day + 7,
                                                   10 * day + 8, 10 * day + 9}));
    EXPECT_EQ(o.order.moved_back(), 1U);
    EXPECT_EQ(o.order.strays(), 0U);
}

TEST(line_order, goes_on_where_summer_time_ends) {
    const ordered o({10'700, 10'799, 7'200, 7'201, 10'799, 10'800});
    EXPECT_EQ(o.times,
              (std::vector<std::uint64_t>{10'700, 10'799, 10'800, 10'801, 14'399, 14'400}));
    EXPECT_EQ(o.order.moved_back(), 1U);
    EXPECT_EQ(o.order.late() + o.order.strays(), 0U);
}

TEST(line_order, never_goes_back_whatever_comes) {
    std::vector<std::uint64_t> wild;
    std::uint64_t x = 1;
    for (int i = 0; i < 20'000; ++i) {
        x = x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        wild.push_back((x >> 33U) * ((x & 3U) + 1) % 9'000'000'000U);
    }
    std::uint64_t last = 0;
    std::uint64_t count = 0;
    line_order order;
    const auto pass = [&](const arrival& a) {
        EXPECT_GE(a.time, last);
        last = a.time;
        ++count;
    };
    for (const std::uint64_t s : wild) order.take({s * second, 0, 1}, pass);
    order.end(pass);
    EXPECT_EQ(count + order.strays(), wild.size());
}

// --- bins and windows

TEST(timeline, loses_nothing_however_long_it_becomes) {
    timeline t;
    double added = 0;
    std::uint64_t time = 5;
    for (int i = 0; i < 60; ++i) {
        t.add(time, 3);
        t.add_span(time, time + time / 3);
        added += 3;
        time = time * 3 / 2 + 1;
    }
    for (const std::size_t count : {1U, 7U, 100U, 1'000U}) {
        const auto parts = t.parts(5, time, count);
        EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), added, 1e-6);
    }
}

TEST(timeline, tells_how_many_go_on_at_once) {
    timeline t;
    t.begin_at(0);
    t.add_span(0, 1'000'000);      // all of the time
    t.add_span(250'000, 750'000);  // half of it
    t.add_span(500'000, 500'000);  // none
    const auto means = t.means(0, 1'000'000, 4);
    const double expected[] = {1, 2, 2, 1};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(means[i], expected[i], 0.01) << i;
}

TEST(timeline, keeps_what_goes_on_when_its_bins_become_wider) {
    timeline t;
    double together = 0;
    std::uint64_t time = 0;
    for (std::uint64_t length = 1; length < 1'000'000'000; length *= 3) {
        t.add_span(time, time + length);
        t.add_span(time + length / 2, time + 2 * length);
        together += static_cast<double>(length + (2 * length - length / 2));
        time += length;
    }
    const std::uint64_t end = 4 * time;
    for (const std::size_t count : {1U, 10U, 333U}) {
        const auto means = t.means(0, end, count);
        const double sum = std::accumulate(means.begin(), means.end(), 0.0);
        const double length = static_cast<double>(end) / static_cast<double>(count);
        EXPECT_NEAR(sum * length / together, 1, 1e-9) << count;
    }
}

TEST(timeline, tells_the_highest_level) {
    timeline t;
    t.hold(100, 200, 3);
    t.hold(200, 210, 7);
    t.hold(210, 1'000, 1);
    t.hold(1'000, 1'000, 99);  // for no time
    const std::vector<double> expected = {3, 7, 1, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(t.highest(100, 1'000, 9), expected);
    // In wider bins it is the highest still, of a bin or of its neighbour.
    t.hold(1'000, 1'000'000, 2);
    EXPECT_EQ(t.highest(100, 1'000'000, 2), (std::vector<double>{7, 2}));
}

TEST(worst_window, tells_what_passed_in_the_last_period_at_each_time) {
    worst_window w(100, worst_window::keeps::levels);
    w.begin_at(0);
    w.pass(10, 0, 2);
    w.pass(50, 0, 3);
    w.pass(120, 0, 1);
    // 0 until 10, 2 until 50, 5 until 110, 3 until 120, 4 until 150, 1 until 220.
    const std::vector<double> at_tens = {0, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 3,
                                         4, 4, 4, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    EXPECT_EQ(w.recent(240).highest(0, 240, 24), at_tens);
    EXPECT_EQ(w.recent(60).highest(0, 60, 6), (std::vector<double>{0, 2, 2, 2, 2, 5}));
    EXPECT_EQ(w.recent(240).highest(0, 240, 24), at_tens) << "asking changes nothing";
    w.pass(230, 1, 1);
    EXPECT_EQ(w.recent(240).highest(0, 240, 1), std::vector<double>{0}) << "there are two keys";
}

TEST(worst_window, is_half_open_and_of_one_key) {
    worst_window w(10);
    w.pass(0, 0, 2);
    w.pass(9, 0, 1);
    w.pass(9, 1, 2);
    EXPECT_EQ(w.most(), 3U);
    w.pass(10, 0, 1);  // the two of 0 are out
    EXPECT_EQ(w.most(), 3U);
    w.pass(18, 0, 2);
    EXPECT_EQ(w.most(), 4U);
    EXPECT_EQ(w.at(), 18U);
    EXPECT_EQ(w.key(), 0U);
    EXPECT_FALSE(w.is_least());
}

TEST(worst_window, says_so_when_it_cannot_remember_all) {
    worst_window w(100'000'000);
    constexpr std::uint64_t many = 5'000'000;
    for (std::uint64_t i = 0; i < many; ++i) w.pass(i, 0, 1);
    EXPECT_TRUE(w.is_least());
    EXPECT_LE(w.most(), many);
    EXPECT_GE(w.most(), 1'000'000U);
}

TEST(keys, have_numbers_in_the_order_in_which_they_come_and_no_more_than_allowed) {
    keys k(3'000);
    for (std::uint32_t round = 0; round < 2; ++round) {
        for (std::uint32_t i = 0; i < 3'000; ++i) {
            ASSERT_EQ(k.number_of("key " + std::to_string(i)), i);
        }
    }
    EXPECT_FALSE(k.number_of("one more"));
    EXPECT_EQ(k.size(), 3'000U);
    EXPECT_EQ(k.text(0), "key 0");
    EXPECT_EQ(k.text(2'999), "key 2999");
    EXPECT_EQ(k.number_of("key 17"), 17U);
}

TEST(keys, that_are_long_are_told_apart_by_all_of_it) {
    keys k(10);
    const std::string same(1'000, 'x');
    EXPECT_EQ(k.number_of(same + "a"), 0U);
    EXPECT_EQ(k.number_of(same + "b"), 1U);
    EXPECT_EQ(k.number_of(std::string_view("a\0b", 3)), 2U);
    EXPECT_EQ(k.number_of("a"), 3U);
    EXPECT_EQ(k.number_of(""), 4U);
    EXPECT_LT(k.text(0).size(), 100U);
}

// --- arrivals by rule

std::vector<arrival> made(const std::vector<std::string>& rules, weir::nanoseconds length,
                          std::uint64_t seed = 1) {
    std::vector<pattern> all;
    all.reserve(rules.size());
    for (const std::string& r : rules) all.push_back(parse_pattern(r));
    generated from(all, length, seed);
    std::vector<arrival> every;
    std::vector<arrival> batch;
    do {
        from.read(batch);
        every.insert(every.end(), batch.begin(), batch.end());
    } while (!batch.empty());
    return every;
}

TEST(generated, arrivals_are_where_their_rules_say) {
    const auto even = made({"even:4/s"}, weir::seconds(2));
    ASSERT_EQ(even.size(), 8U);
    for (std::size_t i = 0; i < even.size(); ++i) EXPECT_EQ(even[i].time, i * second / 4);
    const auto both = made({"burst:3@500ms", "even:1/s", "burst:2@9s"}, weir::seconds(2));
    ASSERT_EQ(both.size(), 5U);
    EXPECT_EQ(both[0].time, 0U);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(both[i].time, second / 2);
    EXPECT_EQ(both[4].time, second);
}

TEST(generated, arrivals_of_chance_are_those_of_their_seed) {
    const auto same = [](const std::vector<arrival>& a, const std::vector<arrival>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const arrival& x, const arrival& y) { return x.time == y.time; });
    };
    const auto one = made({"poisson:1000/s"}, weir::seconds(100), 7);
    EXPECT_TRUE(same(one, made({"poisson:1000/s"}, weir::seconds(100), 7)));
    EXPECT_FALSE(same(one, made({"poisson:1000/s"}, weir::seconds(100), 8)));
    // Seven standard deviations.
    EXPECT_NEAR(static_cast<double>(one.size()), 100'000, 7 * 317);
    for (std::size_t i = 1; i < one.size(); ++i) ASSERT_LE(one[i - 1].time, one[i].time);
}

TEST(generated, arrivals_that_are_on_and_off_come_only_while_they_are_on) {
    const auto all = made({"onoff:100/s,1s,3s"}, weir::seconds(40));
    EXPECT_NEAR(static_cast<double>(all.size()), 1'000, 7 * 32);
    for (const arrival& a : all) EXPECT_LT(a.time % (4 * second), second);
}

TEST(generated, arrivals_of_a_rule_begin_and_end_with_it) {
    const auto even = made({"even:3/s@1s+2s"}, weir::seconds(60));
    ASSERT_EQ(even.size(), 6U);
    for (std::size_t i = 0; i < even.size(); ++i) EXPECT_EQ(even[i].time, second + i * second / 3);
    EXPECT_EQ(made({"even:4/s@1500ms"}, weir::seconds(2)).size(), 2U);
    EXPECT_EQ(made({"even:4/s@2s+1s"}, weir::seconds(2)).size(), 0U);
    EXPECT_EQ(made({"even:4/s@2s+2000000h"}, weir::seconds(3)).size(), 4U);
    const auto chance = made({"poisson:1000/s@10s+1s"}, weir::seconds(60));
    EXPECT_NEAR(static_cast<double>(chance.size()), 1'000, 7 * 32);
    EXPECT_GE(chance.front().time, 10 * second);
    EXPECT_LT(chance.back().time, 11 * second);
}

TEST(patterns, that_are_wrong_are_refused_with_the_word) {
    for (const char* wrong : {"poisson",
                              "poisson:",
                              "poisson:50",
                              "poisson:50/s,burst 3",
                              "even:0/s",
                              "burst:0@1s",
                              "burst:x",
                              "even:5/s@",
                              "even:5/s@1",
                              "even:5/s@1s+",
                              "even:5/s@1s+0s",
                              "even:5/s+1s",
                              "poisson:5/s@+1s",
                              "onoff:5/s,1s,1s@2s",
                              "burst:5@1",
                              "burst:5@-1s",
                              "onoff:5/s",
                              "onoff:5/s,1s",
                              "onoff:5/s,0s,1s",
                              "onoff:5/s,1s,",
                              "pareto:5/s",
                              "",
                              ":"}) {
        try {
            (void)parse_pattern(wrong);
            ADD_FAILURE() << wrong;
        } catch (const usage_error& e) {
            EXPECT_TRUE(std::string(e.what()).starts_with("--arrivals ")) << e.what();
        }
    }
}

// --- suggestions

suggestion suggested(std::string_view limit, const std::vector<arrival>& all, std::uint64_t share,
                     const char* like = "1/s") {
    return suggest(*find_limit(limit), all, {share, *weir::parse_quota(like), weir::seconds(3'600)},
                   [] { return true; });
}

TEST(suggestions, are_the_smallest_quota_that_refuses_fewer) {
    // 37 at once and nothing else: a quota of 37 refuses none, and one of 36 refuses one.
    const std::vector<arrival> burst(37, {second, 0, 1});
    for (const limit_kind& kind : limit_kinds()) {
        if (kind.waits) continue;
        const suggestion s = suggested(kind.name, burst, 0);
        ASSERT_TRUE(s.enough) << kind.name << s.why_not;
        EXPECT_EQ(s.enough->units(), 37) << kind.name;
        EXPECT_EQ(s.refused, 0U);
        ASSERT_TRUE(s.too_small);
        EXPECT_EQ(s.too_small->units(), 36);
        EXPECT_EQ(s.refused_by_less, 1U);
    }
    // Fewer than 10 % of 37 are 3 at most.
    const suggestion some = suggested("sliding_log", burst, 10'000'000);
    EXPECT_EQ(some.enough->units(), 34);
    EXPECT_EQ(some.refused, 3U);
    EXPECT_EQ(some.refused_by_less, 4U);
    // Twice the units pass at once, if the burst is to be twice as large.
    const suggestion half = suggested("gcra", burst, 0, "5/s, burst 10");
    EXPECT_EQ(half.enough->units(), 19);
    EXPECT_EQ(half.enough->burst(), 38);
}

TEST(suggestions, need_arrivals_that_can_pass_at_all) {
    const std::vector<arrival> none;
    EXPECT_EQ(suggested("gcra", none, 0).enough->units(), 1);
    EXPECT_TRUE(are_fewer(0, 0, 0));
    EXPECT_FALSE(are_fewer(1, 0, 100));
    EXPECT_FALSE(are_fewer(1, 1'000'000, 100));  // 1 % is not fewer than 1 %
    EXPECT_TRUE(are_fewer(1, 1'000'001, 100));
    EXPECT_TRUE(are_fewer(UINT64_MAX / 2, 99'999'999, UINT64_MAX));
}

TEST(figures, are_rounded_to_three_digits) {
    EXPECT_EQ(brief(0), "0");
    EXPECT_EQ(brief(0.25), "0.25");
    EXPECT_EQ(brief(12.34), "12.3");
    EXPECT_EQ(brief(999.4), "999");
    EXPECT_EQ(brief(999.6), "1k");
    EXPECT_EQ(brief(1'234), "1.23k");
    EXPECT_EQ(brief_time(0), "0");
    EXPECT_EQ(brief_time(1.5e6), "1.5 ms");
    EXPECT_EQ(brief_time(999.999e6), "1 s");
    EXPECT_EQ(brief_time(90e9), "90 s");
    EXPECT_EQ(brief_time(86'400e9), "24 h");
    EXPECT_EQ(percent(0, 10), "0 %");
    EXPECT_EQ(percent(10, 10), "100 %");
    EXPECT_EQ(percent(1, 3), "33.33 %");
    EXPECT_EQ(percent(1, 100'000), "0.0010 %");
    EXPECT_EQ(percent(99'999, 100'000), "99.9990 %");
    EXPECT_EQ(percent(0, 0), "-");
    EXPECT_EQ(harmless("a\x1b[2J\xff\n", 10), "a?[2J??");
    EXPECT_EQ(harmless("abcdef", 3), "abc...");
}

}  // namespace
