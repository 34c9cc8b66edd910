// SPDX-License-Identifier: MIT
// What the guide of the pacer shows.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>

namespace {

using namespace std::chrono_literals;
using order = std::string;

TEST(readme, shows_a_pacer_that_works) {
    std::vector<order> sent;
    std::vector<order> lost;

    auto orders = weir::make_pacer<order>(
        weir::schedule{weir::per_second(100'000)},
        weir::sink{[&](order&& o) { sent.push_back(std::move(o)); },
                   [&](order&& o, weir::dropped) { lost.push_back(std::move(o)); }});
    weir::pacer_thread runner{orders, {.name = "orders", .how = weir::waiting::hybrid}};
    if (const auto r = runner.start(); !r.runs()) FAIL() << r.why;

    auto cancels = orders.open({.priority = weir::priority::first});
    auto quotes = orders.open({.weight = 3});
    const auto pushed = quotes.try_push("quote");
    EXPECT_TRUE(pushed);
    EXPECT_EQ(cancels.try_push("cancel").how(), weir::pushing::pushed);
    const auto late = weir::deadline<weir::default_clock>::in(0ns);
    while (!late.missed(weir::default_clock::now())) {
    }
    EXPECT_EQ(cancels.try_push("late", 1, late).how(), weir::pushing::would_miss_deadline);

    EXPECT_TRUE(late.missed(cancels.estimate()));

    runner.run([](auto& p) { p.drain_for(1'000s); });
    runner.join();
    EXPECT_EQ(sent.size(), 2U);
    EXPECT_TRUE(lost.empty());
}

TEST(readme, shows_a_game_loop_that_keeps_its_rate) {
    using clock = weir::manual_clock<struct game_loop>;
    using packet = std::string;
    std::vector<packet> sent;
    std::vector<packet> lost;
    weir::word warned = 0;

    auto packets = weir::make_pacer<packet>(
        weir::schedule<clock>{weir::per_second(300), weir::catch_up::frames_per_second(60)},
        weir::sink{[&](packet&& p) { sent.push_back(std::move(p)); },
                   [&](packet&& p, weir::dropped) { lost.push_back(std::move(p)); }});
    auto player = packets.open();
    const auto frame = [&] {
        const auto next = packets.poll();
        if (next.lost != 0) warned += next.lost;
    };
    for (int i = 0; i < 600; ++i) {
        for (int k = 0; k < 6; ++k) (void)player.try_push("packet");
        frame();
        clock::advance(weir::nanoseconds(16'666'667));
    }
    EXPECT_NEAR(static_cast<double>(sent.size()), 300 * 10, 11);
    EXPECT_EQ(warned, 0U);
    clock::advance(100ms);
    frame();
    EXPECT_EQ(warned, packets.approx_lost());
    EXPECT_GE(warned, 19U);

    auto urgent = packets.open({.priority = weir::priority::first});
    (void)player.try_push("packet");
    (void)urgent.try_push("urgent");
    sent.clear();
    packets.drain_for(500ms);
    while (packets.poll().what != weir::polled::done) {
        clock::advance(weir::nanoseconds(16'666'667));
    }
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.front(), "urgent") << "before all that waits";
    EXPECT_FALSE(player.try_push("late"));
}

TEST(readme, says_that_what_waits_is_dropped_unless_it_is_drained) {
    using clock = weir::manual_clock<struct the_end>;
    std::vector<order> sent;
    std::vector<weir::dropped> lost;
    const auto sink = weir::sink{[&](order&& o) { sent.push_back(std::move(o)); },
                                 [&](order&&, weir::dropped reason) { lost.push_back(reason); }};
    for (const bool drains : {false, true}) {
        auto orders = weir::make_pacer<order>(weir::schedule<clock>{weir::per_second(100)}, sink);
        auto mine = orders.open();
        for (int i = 0; i < 250; ++i) (void)mine.try_push("order");
        if (!drains) continue;
        orders.drain_for(2s);
        EXPECT_FALSE(mine.try_push("late"));
        for (auto next = orders.poll(); next.what != weir::polled::done; next = orders.poll()) {
            clock::set(next.at);
        }
        EXPECT_EQ(sent.size(), 200U);
    }
    EXPECT_EQ(lost.size(), 300U);
    EXPECT_EQ(lost.front(), weir::dropped::abandoned);
    EXPECT_EQ(lost.back(), weir::dropped::discarded);
}

}  // namespace
