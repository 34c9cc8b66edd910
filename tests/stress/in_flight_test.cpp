// SPDX-License-Identifier: MIT
// Calls in flight, by many threads: never more than the cap, no place lost, and nobody waits for
// ever. Calls throw, end on other threads, and are waited for by threads that are stopped. A test
// that hangs has lost a place or a wake-up; ctest ends it. No test asks how long anything took.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/all_of.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using namespace std::chrono_literals;
using weir::call_token;
using weir::in_flight;
using weir::word;

constexpr int threads = 4;
constexpr word most = 2;

// Counts the calls that are there at once. What it counts is guarded by nothing but the cap, where
// that is one.
class inside {
public:
    explicit inside(word cap) : cap_(cap) {}
    ~inside() { EXPECT_EQ(there_, 0U); }

    void enter() {
        if (++there_ > cap_) ++too_many_;
        if (cap_ == 1) ++alone_;
    }
    void leave() { --there_; }
    [[nodiscard]] word too_many() const { return too_many_; }
    [[nodiscard]] word alone() const { return alone_; }

private:
    word cap_;
    std::atomic<word> there_{0};
    std::atomic<word> too_many_{0};
    word alone_ = 0;
};

template <class Act>
void by_all(int count, Act act) {
    std::vector<std::jthread> members;
    members.reserve(static_cast<std::size_t>(count));
    meeting start(count);
    for (int i = 0; i < count; ++i) {
        members.emplace_back([&, i] {
            start.arrive_and_wait();
            act(i);
        });
    }
}

TEST(in_flight_stress, has_never_more_than_its_cap) {
    for (const word cap : {word{1}, word{3}}) {
        in_flight calls{cap};
        inside here(cap);
        std::atomic<word> begun{0};
        by_all(threads, [&](int) {
            for (int i = repetitions(200'000); i > 0; --i) {
                auto call = calls.try_begin();
                if (!call) continue;
                here.enter();
                ++begun;
                here.leave();
            }
        });
        EXPECT_EQ(here.too_many(), 0U);
        EXPECT_EQ(calls.approx_in_use(), 0U);
        EXPECT_EQ(here.alone(), cap == 1 ? begun.load() : 0) << "each sees what the one before did";
    }
}

TEST(in_flight_stress, lets_each_that_waits_have_its_turn) {
    for (const word cap : {word{1}, most}) {
        in_flight calls{cap};
        inside here(cap);
        by_all(8, [&](int thread) {
            for (int i = repetitions(5'000); i > 0; --i) {
                auto call = thread == 0 ? weir::begin(calls, weir::waiting::spin)
                                        : weir::begin_for(calls, 1h);
                ASSERT_TRUE(call);
                here.enter();
                if (i % 16 == 0) std::this_thread::yield();
                here.leave();
            }
        });
        EXPECT_EQ(here.too_many(), 0U);
        EXPECT_EQ(calls.approx_in_use(), 0U);
    }
}

// Of many threads one has no patience, one is stopped again and again, one has its calls thrown out
// and one hands them to another thread, which ends them.
TEST(in_flight_stress, loses_no_place_however_a_call_ends) {
    in_flight calls{most};
    inside here(most);
    std::vector<std::atomic<bool>> filled(2);
    std::vector<call_token> handed(2);
    std::atomic<bool> over{false};
    const int rounds = repetitions(3'000);
    std::jthread ender([&] {
        for (bool last = false; !last;) {
            last = over.load();
            for (std::size_t i = 0; i < handed.size(); ++i) {
                if (!filled[i].load()) continue;
                here.leave();
                handed[i].end();
                filled[i] = false;
            }
            std::this_thread::yield();
        }
    });
    by_all(6, [&](int thread) {
        oracle::dice d(static_cast<std::uint64_t>(thread));
        for (int i = 0; i < rounds; ++i) {
            if (thread == 0) {
                auto call = weir::begin_for(calls, std::chrono::microseconds(d.roll(50)));
                if (!call) continue;
                here.enter();
                here.leave();
            } else if (thread == 1) {
                std::stop_source stop;
                const std::jthread stopper([&stop] { stop.request_stop(); });
                auto call = weir::begin(calls, stop.get_token());
                if (!call) continue;
                here.enter();
                here.leave();
            } else if (thread == 2) {
#ifdef __cpp_exceptions
                try {
                    auto call = weir::begin(calls);
                    struct leaving {
                        explicit leaving(inside& it) : from(it) { from.enter(); }
                        ~leaving() { from.leave(); }
                        inside& from;
                    } const guest(here);
                    throw std::runtime_error("a call that fails");
                } catch (const std::runtime_error&) {
                }
#endif
            } else if (thread < 5) {
                const auto mine = static_cast<std::size_t>(thread - 3);
                auto call = weir::begin(calls);
                here.enter();
                while (filled[mine].load()) std::this_thread::yield();
                handed[mine] = std::move(call);
                filled[mine] = true;
            } else {
                auto call = weir::begin(calls);
                here.enter();
                here.leave();
            }
        }
    });
    over = true;
    ender.join();
    EXPECT_EQ(here.too_many(), 0U);
    EXPECT_EQ(calls.approx_in_use(), 0U);
    const auto all = std::pair{calls.try_begin(), calls.try_begin()};
    EXPECT_TRUE(all.first);
    EXPECT_TRUE(all.second) << "all places are there";
}

TEST(in_flight_stress, wakes_who_waits_when_the_cap_rises) {
    for (int i = repetitions(150); i > 0; --i) {
        in_flight calls{1};
        const auto held = calls.try_begin();
        by_all(3, [&](int thread) {
            if (thread == 0) {
                EXPECT_EQ(calls.set_most(3), weir::in_flight_error::none);
            } else {
                const auto call = weir::begin(calls);
                EXPECT_TRUE(call);
            }
        });
        EXPECT_EQ(calls.approx_in_use(), 1U);
    }
}

// A quota beside the cap, which refuses now and then: who waits for units stands in nobody's way.
TEST(in_flight_stress, lets_all_pass_that_wait_for_units_and_a_place) {
    weir::limiter<weir::gcra<>, weir::steady_clock> rate{weir::quota{1'000'000, 1s, 4}};
    in_flight calls{most};
    weir::all_of both{rate, calls};
    inside here(most);
    by_all(6, [&](int thread) {
        for (int i = repetitions(5'000); i > 0; --i) {
            if (thread == 0) {
                const auto call = weir::begin(calls);
                ASSERT_TRUE(call);
                here.enter();
                here.leave();
            } else if (thread == 1) {
                const auto call = weir::acquire_for(both, 1, 1us);
                if (!call) continue;
                here.enter();
                here.leave();
            } else {
                const auto call = weir::acquire(both, 3);
                ASSERT_TRUE(call);
                here.enter();
                here.leave();
            }
        }
    });
    EXPECT_EQ(here.too_many(), 0U);
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

// In virtual time nothing but the end of a call lets the next one pass.
TEST(in_flight_stress, wakes_who_waits_by_a_clock_that_stands) {
    using standing = weir::manual_clock<struct calls_in_standing_time>;
    weir::limiter<weir::gcra<>, standing> rate{weir::quota{1'000'000, 1s, 100'000}};
    in_flight calls{1};
    weir::all_of both{rate, calls};
    inside here(1);
    const int rounds = repetitions(2'000);
    by_all(threads, [&](int) {
        for (int i = rounds; i > 0; --i) {
            const auto call = weir::acquire_for(both, 1, 1h);
            ASSERT_TRUE(call);
            here.enter();
            here.leave();
        }
    });
    EXPECT_EQ(here.too_many(), 0U);
    EXPECT_EQ(here.alone(), static_cast<word>(threads * rounds));
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

}  // namespace
