// SPDX-License-Identifier: MIT
// How items are handed to the sink: one by one, together, and if it throws.
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/emitter.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/pacer.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class emitter_test : public run {};

struct thrower {
    void emit(int&& i) {
        seen.push_back(i);
        if (i < 0) throw std::runtime_error("no");
    }
    void drop(int&& i, dropped) {
        drops.push_back(i);
        throw 1;
    }
    std::vector<int> seen;
    std::vector<int> drops;
};

TEST_F(emitter_test, survives_a_sink_that_throws_and_charges_the_slot) {
    thrower sink;
    {
        weir::pacer<int, thrower&, schedule, lanes<1, 16>> p(ten_a_second(), sink,
                                                             {.most_failures = 3});
        auto mine = p.open();
        for (const int i : {-1, 1, -2, -3, -4, 5}) (void)mine.try_push(int(i));
        clock::set({1'000});
        EXPECT_EQ(poll_until(p, 9'999).what, polled::paused);
        EXPECT_EQ(clock::now(), instant{1'400}) << "each had its slot";
        EXPECT_EQ(sink.seen, (std::vector<int>{-1, 1, -2, -3, -4})) << "each once";
        EXPECT_EQ(p.failures(), 3U);
        EXPECT_TRUE(p.paused());
        p.resume();
        EXPECT_EQ(p.failures(), 0U);
    }
    EXPECT_EQ(sink.drops, (std::vector<int>{5})) << "and the destructor does not throw";
}

TEST_F(emitter_test, is_not_idle_with_what_the_callback_of_a_batch_has_pushed) {
    obliging_together sink;
    weir::pacer<int, obliging_together&, schedule, lanes<1, 16>> p(ten_a_second(), sink);
    auto mine = p.open();
    sink.does = [&](int i) {
        if (i == 1) {
            EXPECT_TRUE(mine.try_push(2));
        }
    };
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'100}, false}));
}

TEST_F(emitter_test, keeps_no_batch_back_when_it_gives_others_a_word_in) {
    obliging_together sink;
    int seen = 0;
    sink.does = [&](int i) { seen += i; };
    weir::pacer<int, obliging_together&, schedule, lanes<1, 512>> p(ten_a_second(), sink);
    auto mine = p.open();
    (void)mine.try_push(0, 0,
                        deadline(instant{1'000}));  // so that the last batch is not a full one
    for (int i = 0; i < 500; ++i) (void)mine.try_push(1, 0);
    clock::set({1'001});
    EXPECT_EQ(p.poll().at, clock::now());
    EXPECT_EQ(static_cast<std::size_t>(seen) + p.approx_size(), 500U);
    EXPECT_EQ(poll_until(p, 9'999).what, polled::idle);
    EXPECT_EQ(seen, 500);
}

TEST_F(emitter_test, hands_over_what_is_due_before_it_drops_what_came_after_it) {
    obliging_together sink;
    std::vector<int> seen;
    sink.does = [&](int i) { seen.push_back(i); };
    weir::pacer<int, obliging_together&, schedule, lanes<1, 16>> p(ten_a_second(catch_up::items(9)),
                                                                   sink);
    auto mine = p.open();
    (void)mine.try_push(1);
    (void)p.poll();
    (void)mine.try_push(2);
    (void)mine.try_push(3, 1, deadline(instant{2'000}));
    (void)mine.try_push(4);
    clock::set({3'000});
    (void)p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 2, -3, 4}));
}

struct all_together {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<item> all) {
        sizes.push_back(all.size());
        for (item& i : all) names += *i;
    }
    void drop(item&&, dropped) {}
    std::vector<std::size_t> sizes;
    std::string names;
};

TEST_F(emitter_test, hands_over_together_what_is_due_together) {
    all_together sink;
    weir::pacer<item, all_together&, schedule, lanes<1, 32>> p(ten_a_second(catch_up::items(9)),
                                                               sink);
    auto mine = p.open();
    for (const char* n : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
        (void)mine.try_push(make(n));
    }
    (void)p.poll();
    clock::advance(seconds(60));
    (void)p.poll();
    EXPECT_EQ(sink.sizes, (std::vector<std::size_t>{1, 4, 4, 2}));
    (void)poll_until(p, 99'999);
    EXPECT_EQ(sink.names, "abcdefghijkl");
    EXPECT_EQ(sink.sizes.back(), 1U);
}

TEST_F(emitter_test, lets_functions_be_its_sink) {
    std::string seen;
    auto to = weir::sink{[&](int&& i) { seen += std::to_string(i); },
                         [&](int&& i, dropped) { seen += "-" + std::to_string(i); }};
    {
        weir::pacer<int, decltype(to), schedule, lanes<1, 8>> p(ten_a_second(), decltype(to)(to));
        auto mine = p.open();
        (void)mine.try_push(1);
        (void)mine.try_push(2);
        (void)p.poll();
    }
    EXPECT_EQ(seen, "1-2");
}

// Without a pacer: what it is given goes once, and in the order in which it was given.
TEST(emitter, keeps_its_order_and_counts_failures_in_a_row) {
    std::vector<int> seen;
    obliging_together sink;
    sink.does = [&](int i) {
        seen.push_back(i);
        if (i > 4 || i < 0) throw std::runtime_error("no");
    };
    weir::unwatched nobody;
    weir::emitter<int, obliging_together&> out(sink, 2);
    EXPECT_FALSE(out.flush(nobody)) << "nothing was kept back";
    for (const int i : {1, 2, 3}) out.emit(int(i), nobody);
    EXPECT_FALSE(out.all_handed_over());
    EXPECT_TRUE(seen.empty());
    out.emit(4, nobody);
    EXPECT_TRUE(out.all_handed_over()) << "a full batch goes at once";
    for (const int i : {5, 6}) {
        EXPECT_FALSE(out.fails_too_often());
        out.emit(int(i), nobody);
        EXPECT_TRUE(out.flush(nobody));
    }
    EXPECT_EQ(out.failures(), 2U);
    EXPECT_TRUE(out.fails_too_often());
    out.drop(7, dropped::expired, nobody);
    EXPECT_EQ(out.failures(), 2U) << "what drop throws is only caught";
    out.forget_failures();
    EXPECT_FALSE(out.fails_too_often());
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4, 5, 6, -7}));
}

}  // namespace
}  // namespace in_virtual_time
