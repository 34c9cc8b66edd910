// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "command/json.hpp"

namespace {

using weir::command::json;

TEST(json, puts_commas_where_they_belong) {
    json j;
    j.begin_object().member("a", std::uint64_t{1}).key("b").begin_array();
    j.value(true).null().begin_object().end_object().begin_array().end_array();
    j.end_array().member("c", "d").end_object();
    EXPECT_EQ(j.text(), R"({"a":1,"b":[true,null,{},[]],"c":"d"})");
}

std::string quoted(std::string_view text) { return json().value(text).text(); }

TEST(json, escapes_what_a_string_may_not_hold) {
    EXPECT_EQ(quoted("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
    EXPECT_EQ(quoted(std::string_view("\0", 1)), R"("\u0000")");
    EXPECT_EQ(quoted("grün 木 😀"), "\"grün 木 😀\"");
}

TEST(json, replaces_bytes_that_are_not_utf8) {
    EXPECT_EQ(quoted("a\xff"), R"("a\ufffd")");
    EXPECT_EQ(quoted("\xc3"), R"("\ufffd")");                      // cut off
    EXPECT_EQ(quoted("\xc0\xaf"), R"("\ufffd\ufffd")");            // longer than needed
    EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // half of a pair
    EXPECT_EQ(quoted("\xe2\x96"), R"("\ufffd\ufffd")");            // cut off
}

TEST(json, writes_numbers_that_read_back_and_null_for_the_others) {
    EXPECT_EQ(json().value(0.1).text(), "0.1");
    EXPECT_EQ(json().value(1.0).text(), "1");
    EXPECT_EQ(json().value(std::numeric_limits<std::uint64_t>::max()).text(),
              "18446744073709551615");
    EXPECT_EQ(json().value(std::numeric_limits<double>::infinity()).text(), "null");
    EXPECT_EQ(json().value(std::numeric_limits<double>::quiet_NaN()).text(), "null");
}

}  // namespace
