// SPDX-License-Identifier: MIT
// Pushes into a pacer where neither an allocation nor a system call goes unnoticed.
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/manual.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/steered_lane.hpp>

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

// Polls of pacers whose queues the polling thread keeps: items that wait, go, are replaced and
// withdrawn, and keys that come and go.
using manual = weir::manual_clock<struct hot_pacers>;

struct nothing {
    void emit(unsigned&&) {}
    void drop(unsigned&&, weir::dropped) {}
};
[[nodiscard]] unsigned key_of(const unsigned& item) { return item % 7; }

template <class Pacer>
bool steers(Pacer& p) {
    auto mine = p.open();
    for (unsigned i = 0; i < 1'000; ++i) {
        const auto pushed = mine.try_push(unsigned{i});
        if (i % 3 == 0) (void)mine.cancel(pushed.ticket());
        if (i % 50 == 0) (void)mine.clear();
        if (i % 5 == 0) (void)p.poll();
        manual::advance(weir::milliseconds(3));
    }
    return p.poll().what != weir::polled::done;
}
template <class Pacer>
void is_quiet(Pacer& p) {
    const std::uint64_t before = quiet::allocations();
    EXPECT_TRUE(steers(p));
    EXPECT_EQ(quiet::allocations(), before);
    const int status = quiet::status_without_system_calls([&] { return steers(p); });
    EXPECT_TRUE(quiet::well(status)) << "status " << status;
}

TEST(hot_steered_pacer, allocates_nothing_and_makes_no_system_call) {
    weir::pacer<unsigned, nothing, weir::schedule<manual>, weir::steered<weir::lanes<2>, key_of>> p{
        weir::schedule<manual>{weir::per_second(100)}, {}, {.capacity = 64}};
    is_quiet(p);
}

TEST(hot_keyed_pacer, allocates_nothing_and_makes_no_system_call) {
    weir::keyed_pacer<unsigned, weir::each<key_of>, nothing, weir::no_limit<manual>, weir::lanes<2>>
        p{weir::per_second(20), {}, {}, {.keys = 5, .capacity = 64}};
    is_quiet(p);
}

}  // namespace
