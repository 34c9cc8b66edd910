// SPDX-License-Identifier: MIT
// A striped limit with a stripe for each core: eight threads take all its units while signals stop
// them in the middle of sections, and others give back what lies in the stripes of other cores. To
// the unit, what they got and what is left is what there was.
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <pthread.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/stripe_of_core.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/striped.hpp>

#include "crowd.hpp"

namespace {

using weir::quota;
using weir::word;

using standing_clock = weir::manual_clock<struct stripes_of_cores>;
using limiter = weir::limiter<weir::gcra<>, standing_clock>;

constexpr int threads = 8;

// Counts the sections that did not come to their end.
struct counted : weir::restartable {
    static inline thread_local word failed_ = 0;

    static bool try_replace(weir::atomic<word>& units, const weir::atomic<std::uint32_t>& open,
                            word expected, word desired) noexcept {
        const bool replaced = restartable::try_replace(units, open, expected, desired);
        if (!replaced) ++failed_;
        return replaced;
    }
};

struct counted_core : weir::stripe_of_core {
    using stock = weir::core_stock<counted>;
};

// The first stripe is everybody's, though its core is not.
struct one_for_all : counted_core {
    static std::size_t mine(std::size_t) noexcept { return 0; }
};

class cores : public testing::Test {
protected:
    // Each thread asks until there are no units, and does something else now and then.
    template <class Policy, std::size_t Stripes, class Act>
    void all_get(word units, Act now_and_then, bool may_lose) {
        standing_clock::set(weir::tick{1'000'000'000'000});
        const auto burst = static_cast<std::int64_t>(units);
        limiter shared{quota{burst, weir::seconds(10), burst}};
        weir::striped<limiter, Stripes, Policy> all(shared, 64);
        std::atomic<word> passed{0};
        std::atomic<word> failed{0};
        std::atomic<int> at_work{threads};
        meeting start(threads);
        std::vector<std::thread> members;
        members.reserve(threads);
        (void)std::signal(SIGURG, [](int) {});
        for (int thread = 0; thread < threads; ++thread) {
            members.emplace_back([&, thread] {
                word mine = 0;
                counted::failed_ = 0;
                start.arrive_and_wait();
                for (unsigned calls = static_cast<unsigned>(thread), vain = 0; vain < 100;) {
                    const word n = ++calls % 16 == 0 ? 3 : 1;
                    if (all.try_acquire(n)) {
                        mine += n;
                        vain = 0;
                    } else {
                        ++vain;
                    }
                    if (calls % 4096 == 0) now_and_then(all);
                }
                passed += mine;
                failed += counted::failed_;
                --at_work;
            });
        }
        while (at_work > 0) {
            for (std::thread& one : members) (void)pthread_kill(one.native_handle(), SIGURG);
        }
        for (std::thread& one : members) one.join();
        (void)std::signal(SIGURG, SIG_DFL);
        const word there = shared.peek(0).remaining();
        const word left = all.approx_left();
        std::printf("%llu units, %llu sections failed\n", static_cast<unsigned long long>(units),
                    static_cast<unsigned long long>(failed.load()));
        if (may_lose) {
            EXPECT_LE(passed + left + there, units);
        } else {
            EXPECT_EQ(passed + left + there, units);
        }
        EXPECT_LE(left, Stripes * 64);
    }
};

// Fewer where exchanges take the place of sections, as they take longer.
[[nodiscard]] word some_million(int all) {
    const bool quick = weir::stripe_of_core::sections() == weir::core_sections::used;
    return static_cast<word>(repetitions(all)) * (quick ? 1'000'000 : 50'000);
}
constexpr auto nothing = [](auto&) {};

TEST_F(cores, lose_and_bring_no_unit_while_signals_stop_them) {
    all_get<counted_core, 16>(some_million(400), nothing, false);
}
TEST_F(cores, lose_and_bring_no_unit_where_two_share_a_stripe) {
    all_get<counted_core, 1>(some_million(8), nothing, false);
}
TEST_F(cores, lose_and_bring_no_unit_if_threads_are_elsewhere) {
    all_get<one_for_all, 2>(some_million(8), nothing, false);
}
TEST_F(cores, bring_no_unit_while_others_empty_their_stripes) {
    all_get<counted_core, 16>(
        some_million(20), [](auto& all) { all.give_back(); }, true);
}

}  // namespace
