// What the README shows of the pacer.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
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

    auto quotes = orders.open({.priority = 1, .weight = 3});
    auto cancels = orders.open();
    const auto pushed = quotes.try_push("quote");
    EXPECT_TRUE(pushed);
    EXPECT_EQ(cancels.try_push("cancel").how(), weir::pushing::pushed);
    const auto late = weir::deadline::in<weir::default_clock>(0ns);
    while (!earlier(late.at, weir::default_clock::now())) {
    }
    EXPECT_EQ(cancels.try_push("late", 1, late).how(), weir::pushing::would_miss_deadline);

    runner.run(
        [](auto& p) { p.drain({weir::default_clock::now().count + (weir::word{1} << 40)}); });
    runner.join();
    EXPECT_EQ(sent.size(), 2U);
    EXPECT_TRUE(lost.empty());
}

}  // namespace
