// SPDX-License-Identifier: MIT
// Pushes into a pacer where neither an allocation nor a system call goes unnoticed.
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/pacer/pacer.hpp>

#include "quiet.hpp"

namespace {

// Lets go one item an hour, and sleeps meanwhile.
class hot_pacer : public testing::Test {
protected:
    hot_pacer() { EXPECT_TRUE(runner_.start().runs()); }
    ~hot_pacer() override { runner_.stop(); }

    bool push(int items) {
        int pushed = 0;
        while (pushed < items && lane_.try_push(int{pushed})) ++pushed;
        return pushed == items;
    }
    // Until it lies down for a push, or sleeps although something is left.
    void wait_until_it_sleeps(std::size_t left) {
        const bool idle = left == 0;
        while (pacer_.approx_size() != left || pacer_.sleeper().lies() != idle ||
               runner_.approx_sleeps() == 0) {
            std::this_thread::yield();
        }
    }

private:
    struct nothing {
        void emit(int&&) {}
        void drop(int&&, weir::dropped) {}
    };
    using pacer_type = weir::pacer<int, nothing, weir::schedule<>, weir::lanes<1, 4'096>>;

    pacer_type pacer_{weir::schedule<>{weir::quota{1, weir::seconds(3'600), 1}}, {}};
    weir::pacer_thread<pacer_type> runner_{pacer_};
    pacer_type::producer_type lane_ = pacer_.open();
};

TEST_F(hot_pacer, allocates_nothing_when_something_is_pushed) {
    ASSERT_TRUE(push(2));
    wait_until_it_sleeps(1);
    const std::uint64_t before = quiet::allocations();
    EXPECT_TRUE(push(1'000));
    EXPECT_EQ(quiet::allocations(), before);
}

TEST_F(hot_pacer, with_a_backlog_makes_no_system_call) {
    ASSERT_TRUE(push(2));
    wait_until_it_sleeps(1);
    const int status = quiet::status_without_system_calls([this] { return push(1'000); });
    EXPECT_TRUE(quiet::well(status)) << "status " << status;
}

TEST_F(hot_pacer, that_sleeps_until_a_push_makes_the_system_call_that_wakes_it) {
    wait_until_it_sleeps(0);
    EXPECT_TRUE(WIFSIGNALED(quiet::status_without_system_calls([this] { return push(1); })))
        << "the filter would not see it";
}

}  // namespace
