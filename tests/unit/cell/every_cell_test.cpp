// What holds for each cell, whatever its state is.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/weir.hpp>

namespace {

template <class Cell>
class every_cell : public testing::Test {};
using cells = testing::Types<weir::gcra<>, weir::gcra<std::uint32_t>, weir::leaky_bucket<>,
                             weir::leaky_bucket<std::uint32_t>, weir::token_bucket<>,
                             weir::token_bucket<std::uint32_t>, weir::fixed_window<>,
                             weir::fixed_window<std::uint32_t>, weir::aligned_window<>,
                             weir::sliding_window<>, weir::sliding_log<16>>;
TYPED_TEST_SUITE(every_cell, cells);

// What is left of a limit whose clock turns out to be none.
TYPED_TEST(every_cell, that_is_closed_admits_nothing) {
    const auto closed = TypeParam::rate::closed();
    TypeParam cell;
    cell.start({1'000'000}, 0, closed);
    for (weir::word now = 1'000'000; now < 1'000'100; ++now) {
        for (const unsigned n : {1U, 2U, 7U, 8U}) {
            ASSERT_FALSE(cell.try_acquire({now}, n, closed)) << n;
            ASSERT_FALSE(cell.charge({now}, n, closed)) << n;
            ASSERT_EQ(cell.acquire_up_to({now}, n, closed).units, 0U) << n;
        }
    }
}

// Also where time 0 and no units would be a word that nobody has used.
TYPED_TEST(every_cell, starts_once_at_time_0) {
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000);
    TypeParam cell;
    cell.start({0}, 10, rate);
    ASSERT_TRUE(cell.try_acquire({0}, 10, rate));
    cell.start({0}, 10, rate);
    EXPECT_FALSE(cell.try_acquire({0}, 1, rate));
}

}  // namespace
