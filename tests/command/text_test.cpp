// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/quota.hpp>
#include <weir/cell/quota_text.hpp>

#include "../oracle/dice.hpp"
#include "command/table.hpp"
#include "command/text.hpp"

namespace {

using namespace weir::command;

TEST(text, groups_digits_by_thousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(text, counts_one_thing_or_several) {
    EXPECT_EQ(plural(0, "round"), "0 rounds");
    EXPECT_EQ(plural(1, "round"), "1 round");
    EXPECT_EQ(plural(1'000, "round"), "1,000 rounds");
}

TEST(text, scales_round_numbers_only) {
    EXPECT_EQ(scaled(0), "0");
    EXPECT_EQ(scaled(1'500), "1500");
    EXPECT_EQ(scaled(10'000'000), "10 M");
    EXPECT_EQ(scaled(5'000'000'000'000), "5000 G");
}

TEST(text, never_rounds_a_ratio_up_to_one) {
    EXPECT_EQ(ratio(1, 1), "1.000000");
    EXPECT_EQ(ratio(99'999'999, 100'000'000), "0.999999");
    EXPECT_EQ(ratio(3, 2), "1.500000");
    EXPECT_EQ(ratio(UINT64_MAX, UINT64_MAX), "1.000000");
    EXPECT_EQ(ratio(0, 0), "-");
}

TEST(text, puts_a_quota_into_words) {
    EXPECT_EQ(in_words(weir::per_second(100'000).with_burst(5)), "100 k/s, burst 5");
    EXPECT_EQ(in_words({200, weir::seconds(2)}), "200/2s, burst 200");
    EXPECT_EQ(in_words({1, weir::milliseconds(20)}), "1/20ms, burst 1");
    EXPECT_EQ(in_words({7, weir::nanoseconds(1)}), "7/ns, burst 7");
    EXPECT_EQ(in_words({7, weir::nanoseconds(60'000'000'001)}), "7/60000000001ns, burst 7");
}

TEST(text, has_quotas_in_words_that_are_read_as_the_same) {
    oracle::dice random(1);
    for (std::int64_t scale = 1; scale < INT64_MAX / 1'000; scale *= 10) {
        for (int i = 0; i < 100; ++i) {
            const auto some = [&](std::int64_t most) {
                return 1 + static_cast<std::int64_t>(random.roll(static_cast<std::uint64_t>(most)));
            };
            const weir::quota q{scale * some(999), weir::nanoseconds(scale * some(999)),
                                some(INT64_MAX)};
            const auto read = weir::parse_quota(in_words(q));
            ASSERT_TRUE(read) << in_words(q);
            EXPECT_EQ(*read, q) << in_words(q);
        }
    }
}

TEST(text, shows_any_bytes_on_a_terminal) {
    EXPECT_EQ(printable("größer, 10 €, 😀"), "größer, 10 €, 😀");
    EXPECT_EQ(printable("two\nlines\x1b[2J\x7f"), "two?lines?[2J?");
    EXPECT_EQ(printable("\xff\xfe\xc3"), "???");
    // U+009B begins a sequence as ESC [ does.
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J \xc2\xa0"),
              "?2J \xc2\xa0");
    EXPECT_EQ(printable("\xed\xa0\x80"), "???");
    EXPECT_EQ(printable({"\0", 1}), "?");
    EXPECT_EQ(printable(""), "");
}

TEST(text, wraps_between_words) {
    EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
    EXPECT_EQ(wrapped("unbreakable x", 5), "unbreakable\nx\n");
    EXPECT_EQ(wrapped("", 5), "\n");
}

TEST(table, turns_into_lists_where_it_does_not_fit) {
    table t({"name", "value", "other"});
    t.add({"first", "1", "10"});
    t.add({"second", "200", "3"});
    EXPECT_EQ(t.text(22), "  name    value  other\n"
                          "  first       1     10\n"
                          "  second    200      3\n");
    EXPECT_EQ(t.text(21), "first\n  value    1\n  other   10\n"
                          "second\n  value  200\n  other    3\n");
}

}  // namespace
