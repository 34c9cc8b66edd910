// SPDX-License-Identifier: MIT
// The log under claimers that stop between taking their places and recording their time in each of
// them, for ever or until others have gone round the ring, and then go on: whoever asks, at times
// that run back too, no interval of one period gets more than N units, and nobody is held up for
// longer than a period.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/sliding_log.hpp>

#include "dice.hpp"
#include "effort.hpp"

namespace {

using oracle::dice;
using weir::quota;
using weir::tick;
using weir::word;

// A claimer takes its places by an exchange on the head; from there on, before each place in which
// it records its time, it may stop: `pause` is what others do then, on the same thread. If it has
// stopped for ever it writes nothing more.
struct claimer {
    const void* head = nullptr;
    bool stops = false;
    bool claimed = false;
    bool gone = false;
};
claimer here;
std::function<void()> pause;

template <class T>
class stopping : public weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;

    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        if (here.stops && here.claimed && !here.gone) pause();
        if (here.gone) return true;
        const bool done = weir::atomic<T>::try_exchange_relaxed(expected, desired);
        here.claimed = here.claimed || (done && this == here.head);
        return done;
    }
};

template <std::size_t N>
class history {
public:
    using log_type = weir::sliding_log<N, word, stopping>;

    explicit history(std::uint64_t seed)
        : dice_(seed),
          rate_(*log_type::rate::make(quota{N, weir::nanoseconds(period), N}, 1'000'000'000,
                                      {.guard = weir::nanoseconds(5 * period)})) {
        pause = [this] { stop(); };
        now_ = 1'000'000'000 + dice_.roll(1'000'000);
        log_.fill({now_}, N, rate_);
    }

    void play(int steps) {
        for (int i = 0; i < steps; ++i) step();
        ASSERT_GT(times_.size(), static_cast<std::size_t>(steps) / 4) << "hardly anybody got any";
        ASSERT_GT(woken_, 0U);
        std::sort(times_.begin(), times_.end());
        for (std::size_t i = N; i < times_.size(); ++i) {
            ASSERT_GE(times_[i] - times_[i - N], period) << "more than N in a period";
        }
    }

private:
    static constexpr word period = 1'000;

    void step() {
        now_ += dice_.chance(60) ? dice_.roll(period / N + 2) : dice_.roll(2 * period);
        const word late = dice_.chance(30) ? dice_.roll(period) : 0;
        ask(now_ - late, 1 + dice_.roll(N), dice_.chance(30));
        if (dice_.chance(2)) everything_is_free_after_a_period();
    }

    bool ask(word now, word n, bool stops) {
        const claimer outer = std::exchange(here, {.head = &log_, .stops = stops});
        const bool all = dice_.chance(70);
        const word got = !all ? log_.acquire_up_to({now}, n, rate_).units
                         : log_.try_acquire({now}, n, rate_) ? n
                                                             : 0;
        here = outer;
        times_.insert(times_.end(), static_cast<std::size_t>(got), now);
        return got == n;
    }

    // In the midst of recording: for ever, or while others act, who may stop in turn.
    void stop() {
        if (dice_.chance(20)) {
            here.gone = true;
        } else if (depth_ < 2 && dice_.chance(25)) {
            ++depth_;
            for (word i = dice_.roll(8); i > 0; --i) step();
            --depth_;
            ++woken_;
        }
    }

    // By the latest time that the log has seen, which a granule may have rounded up.
    void everything_is_free_after_a_period() {
        now_ += period + 2;
        ASSERT_TRUE(ask(now_, N, dice_.chance(50)));
    }

    dice dice_;
    log_type log_;
    typename log_type::rate rate_;
    word now_ = 0;
    std::vector<word> times_;
    int depth_ = 0;
    std::size_t woken_ = 0;
};

template <std::size_t N>
void play_histories() {
    const std::uint64_t histories = oracle::scaled(400);
    for (std::uint64_t i = 0; i < histories; ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        history<N>(seed).play(2'000);
        ASSERT_FALSE(testing::Test::HasFailure()) << "WEIR_TEST_SEED=" << seed;
    }
}

TEST(sliding_log, keeps_its_promise_though_claimers_stop_before_they_record) {
    play_histories<1>();
    play_histories<2>();
    play_histories<3>();
    play_histories<7>();
    play_histories<64>();
}

// The place is read as busy until a period after the last admission, though those behind it are
// free: whoever asks for as many as there are must neither wait for it nor take it for the end.
TEST(sliding_log, gives_what_lies_behind_a_claimer_that_has_stopped) {
    using log_type = weir::sliding_log<8, word, stopping>;
    constexpr word period = 1'000;
    const auto rate = *log_type::rate::make(quota{8, weir::nanoseconds(period)}, 1'000'000'000);
    for (word asked = 1; asked <= 8; ++asked) {
        log_type log;
        here = {};
        word now = 1'000'000'000;
        log.fill({now}, 8, rate);
        ASSERT_EQ(log.acquire_up_to({now}, asked - 1, rate).units, asked - 1);
        here = {.head = &log, .stops = true};
        pause = [] { here.gone = true; };
        ASSERT_TRUE(log.try_acquire({now}, 1, rate));
        here = {};
        ASSERT_EQ(log.acquire_up_to({now}, 8, rate).units, 8 - asked);
        now += 3 * period;
        // Its round again, now at a time in which units have been admitted.
        word got = 0;
        for (int i = 0; i < 8; ++i) got += log.acquire_up_to({now}, 1, rate).units;
        EXPECT_EQ(got, asked == 8 ? 7 : 8) << "stopped with unit " << asked;
        now += 2 * period;
        EXPECT_EQ(log.acquire_up_to({now}, 8, rate).units, 8U);
    }
}

}  // namespace
