// SPDX-License-Identifier: MIT
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/all_of.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

// As the guide of the pacer says: a pacer takes several limits at once without a word about their
// clock.
TEST(make_pacer, takes_an_all_of) {
    using clock = weir::manual_clock<struct both_limits>;
    weir::limiter<weir::gcra<>, clock> account{weir::per_second(10).with_burst(2)};
    weir::limiter<weir::sliding_log<3>, clock> venue{weir::per_second(3)};
    int sent = 0;
    auto orders =
        weir::make_pacer<int>(weir::all_of{account, venue},
                              weir::sink{[&](int&&) { ++sent; }, [](int&&, weir::dropped) {}});
    auto lane = orders.open();
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    std::vector<int> after;
    for (int i = 0; i < 4; ++i) {
        (void)orders.poll();
        after.push_back(sent);
        clock::advance(weir::milliseconds(500));
    }
    EXPECT_EQ(after, (std::vector{2, 3, 5, 6}));
}

template <class Limit>
concept has_clock = requires {
    typename Limit::clock_type;
};
using one = weir::limiter<weir::gcra<>, weir::manual_clock<struct this_one>>;
using other = weir::limiter<weir::gcra<>, weir::manual_clock<struct other_one>>;
static_assert(has_clock<weir::all_of<one, one>> && !has_clock<weir::all_of<one, other>>);

}  // namespace
