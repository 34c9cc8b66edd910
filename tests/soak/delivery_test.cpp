// SPDX-License-Identifier: MIT
// The check of what a pacer was given and what came out, with each fault that it is there for.
#include <string>

#include <gtest/gtest.h>

#include "delivery.hpp"

namespace {

using namespace weir::soak;
using deadline = weir::deadline<weir::steady_clock>;
using instant = weir::instant<weir::steady_clock>;
using weir::dropped;

constexpr instant now{100};

parcel item(std::uint32_t number, std::uint32_t lane = 0, deadline by = {}) {
    return {0, number, lane, 1, by};
}

std::string problem_of(delivery& book) {
    book.settle();
    return book.problem();
}

TEST(delivery, has_nothing_to_say_if_all_is_as_it_should_be) {
    delivery book(1, 8);
    for (const std::uint32_t number : {0U, 1U, 2U, 4U}) book.accept(item(number));
    book.emit(item(0), now);
    book.emit(item(4, 1, deadline(now)), now);  // of another lane
    book.drop(item(1, 0, deadline(instant{99})), dropped::expired, now);
    book.drop(item(2), dropped::abandoned, now);
    EXPECT_EQ(problem_of(book), "");
    EXPECT_EQ(book.accepted(), 4U);
    EXPECT_EQ(book.emitted(), 2U);
    EXPECT_EQ(book.dropped_for(dropped::expired), 1U);
}

TEST(delivery, misses_a_lost_item) {
    delivery book(1, 8);
    book.accept(item(3));
    EXPECT_EQ(problem_of(book), "item 3 of producer 0 was accepted and is lost");
}

TEST(delivery, sees_an_item_twice) {
    delivery book(1, 8);
    book.accept(item(3));
    book.emit(item(3), now);
    book.drop(item(3), dropped::discarded, now);
    EXPECT_EQ(problem_of(book), "item 3 of producer 0 came out twice");
}

TEST(delivery, sees_an_item_that_was_refused) {
    delivery book(1, 8);
    book.emit(item(3), now);
    EXPECT_EQ(problem_of(book), "item 3 of producer 0 was refused and came out");
}

TEST(delivery, sees_an_item_overtake) {
    delivery book(1, 8);
    book.accept(item(3));
    book.accept(item(4));
    book.emit(item(4), now);
    book.emit(item(3), now);
    EXPECT_EQ(problem_of(book),
              "item 3 of producer 0 came out after one that was behind it in its lane");
}

TEST(delivery, sees_a_late_item_and_one_that_expired_early) {
    delivery late(1, 8);
    late.accept(item(3));
    late.emit(item(3, 0, deadline(instant{99})), now);
    EXPECT_EQ(problem_of(late), "item 3 of producer 0 was emitted after its deadline");

    for (const deadline by : {deadline(now), deadline()}) {
        delivery early(1, 8);
        early.accept(item(3));
        early.drop(item(3, 0, by), dropped::expired, now);
        EXPECT_EQ(problem_of(early), "item 3 of producer 0 expired before its deadline");
    }
}

TEST(delivery, sees_an_item_dropped_that_was_accepted_with_a_cost_that_passes) {
    delivery book(1, 8);
    book.accept(item(3));
    book.drop(item(3), dropped::never, now);
    EXPECT_EQ(problem_of(book),
              "item 3 of producer 0 was dropped as one that the rate never lets pass");
}

}  // namespace
