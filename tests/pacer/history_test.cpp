// SPDX-License-Identifier: MIT
// Random histories of pacers, from seeds; from a fuzzer's bytes they come in tests/fuzz/pacer.cpp.
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "../oracle/complaint.hpp"
#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "../stress/crowd.hpp"
#include "history.hpp"
#include "recorded.hpp"

namespace {

using pacing::clock;
using weir::dropped;
using weir::next_poll;
using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

template <class Subject>
class pacer_history : public testing::Test {};
using subjects =
    testing::Types<pacing::scheduled, pacing::scheduled_together, pacing::scheduled_alone,
                   pacing::adjusted, pacing::adjusted_together, pacing::limited_twice,
                   pacing::limited_twice_together, pacing::steered, pacing::steered_together,
                   pacing::steered_alone, pacing::steered_adjusted, pacing::steered_twice>;
TYPED_TEST_SUITE(pacer_history, subjects);

TYPED_TEST(pacer_history, accounts_for_each_item_once_and_keeps_every_window) {
    pacing::tally sum;
    const std::uint64_t enough = oracle::only_seed() ? 1 : oracle::scaled(4'000);
    for (std::uint64_t i = 0; i < enough; ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        oracle::expect_no(pacing::disagreement<TypeParam>(oracle::dice(seed), sum), seed,
                          "pacer_tests");
        ASSERT_FALSE(this->HasFailure());
    }
    std::cout << sum.events << " events in " << sum.histories << " histories: " << sum.emitted
              << " emitted, " << sum.dropped[0] << " expired, " << sum.dropped[1] << " never, "
              << sum.dropped[2] << " discarded, " << sum.dropped[3] << " abandoned, "
              << sum.dropped[4] << " cancelled, " << sum.dropped[5] << " cleared, "
              << sum.dropped[6] << " replaced; " << sum.deeds << " callbacks did something, "
              << sum.throws << " threw; " << sum.opened << " lanes opened, " << sum.full
              << " times full, " << sum.late << " times too late\n";
    if (oracle::only_seed()) return;
    // Histories in which little happens would agree as well.
    const std::uint64_t share = TypeParam::steered ? 2 : 1;  // much is withdrawn
    EXPECT_GT(sum.emitted, sum.events / 10 / share);
    EXPECT_GT(sum.dropped[0], sum.events / 1'000);
    EXPECT_GT(sum.dropped[2], enough / share);
    EXPECT_GT(sum.dropped[3], enough / 20 / share / share);
    EXPECT_GT(sum.deeds, sum.emitted / 30);
    EXPECT_GT(sum.opened, enough);
    EXPECT_GT(sum.full, enough / share);
    EXPECT_GT(sum.late, enough / 4);
    if (!TypeParam::steered) return;
    EXPECT_GT(sum.steered, enough);
    EXPECT_GT(sum.dropped[4], enough);
    EXPECT_GT(sum.dropped[5], enough);
    EXPECT_EQ(sum.dropped[6] > enough, TypeParam::has_keys);
}

// The schedule's bar, through lanes, turns and sink: exact to one item over ten million.
TEST(pacer_in_virtual_time, is_exact_to_one_item_over_ten_million) {
    struct plain {
        void emit(int&&) { ++emitted; }
        static void drop(int&&, dropped) {}
        word emitted = 0;
    };
    for (const word rate : {1'000U, 7'000U, 1'000'000U}) {
        plain sink;
        clock::set(tick{1});
        weir::pacer<int, plain&, weir::schedule<clock>, weir::lanes<2, 1024>> p(
            weir::schedule<clock>(quota{static_cast<std::int64_t>(rate), seconds(1), 1}), sink);
        auto a = p.open();
        auto b = p.open({.weight = 3});
        oracle::dice dice(rate);
        const auto total = static_cast<word>(repetitions(10'000'000));
        const word late = 500'000'000 / rate;
        while (sink.emitted < total) {
            if (p.approx_size() < 512) {
                while (a.try_push(1)) {
                }
                while (b.try_push(1)) {
                }
            }
            const next_poll next = p.poll();
            ASSERT_EQ(next.what, weir::polled::due);
            clock::set({next.at.count + (late == 0 ? 0 : dice.roll(late))});
        }
        const word time = p.limit().next().count - 1;
        const auto exact = static_cast<word>(static_cast<pacing::exact>(time) *
                                             static_cast<pacing::exact>(rate) / 1'000'000'000);
        EXPECT_LE(sink.emitted, exact + 1) << rate;
        EXPECT_GE(sink.emitted + 1, exact) << rate;
    }
}

}  // namespace
