// SPDX-License-Identifier: MIT
// Producers and a keyed pacer on its thread, with more keys than places, cancels and clears: each
// item that was accepted comes out once, and no key is ever faster than its quota.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/schedule.hpp>

#include "../oracle/dice.hpp"
#include "../stress/crowd.hpp"
#include "recorded.hpp"

namespace {

using weir::dropped;
using weir::pushing;
using weir::seconds;
using weir::word;

using clock = weir::steady_clock;

constexpr std::uint32_t producers = 3;
constexpr std::uint32_t all_keys = 40;
constexpr std::int64_t rate = 10'000;
constexpr std::int64_t burst = 5;

[[nodiscard]] std::uint32_t key_of(const std::uint32_t& id) {
    return (id * 0x9E37'79B9U >> 9U) % all_keys;
}

// The time by which an item goes is told to the observer, before the sink has the item.
struct watched {
    void on_emit(weir::tick now, word, word, word) { at = now.count; }
    static void on_emitted(bool) {}
    static void on_dropped(dropped) {}
    static void on_event(weir::pacer_event) {}
    static void on_lost(word, bool) {}
    static void on_polled(weir::tick, auto) {}
    using during = weir::unmeasured;

    word at = 0;
};

struct ledger {
    explicit ledger(std::size_t ids) : seen(ids), times(all_keys) {}
    void emit(std::uint32_t&& id) {
        ++seen[id];
        ++emitted;
        times[key_of(id)].add(observer->at);
    }
    void drop(std::uint32_t&& id, dropped reason) {
        ++seen[id];
        ++of[static_cast<std::size_t>(reason)];
    }
    std::vector<std::uint8_t> seen;
    std::vector<pacing::recorded> times;
    std::uint64_t emitted = 0;
    std::uint64_t of[weir::drop_reasons] = {};
    watched* observer = nullptr;
};

using pacer = weir::keyed_pacer<std::uint32_t, weir::each<key_of>, ledger&, weir::schedule<clock>,
                                weir::lanes<2, 64>, watched>;

void produce(pacer& p, std::uint32_t from, std::uint32_t to, std::vector<std::uint8_t>& accepted) {
    oracle::dice dice(from + 1);
    pacer::producer_type mine;
    weir::ticket last;
    for (std::uint32_t id = from; id < to;) {
        if (!mine) {
            mine = p.open();
            last = {};
            if (!mine) std::this_thread::yield();
            continue;
        }
        const auto pushed = mine.try_push(std::uint32_t(id), 1, {}, clock::now());
        if (pushed.how() == pushing::closed) return;
        if (pushed) {
            accepted[id] = 1;
            last = pushed.ticket();
            ++id;
        } else {
            std::this_thread::yield();
        }
        const auto face = dice.roll(256);
        if (face < 16 && last) (void)mine.cancel(last);
        if (face == 16) (void)mine.clear();
        if (face == 17) mine.close();
    }
}

TEST(keyed_stress, loses_no_item_and_no_key_is_too_fast) {
    const int rounds = repetitions(4);
    const auto each = static_cast<std::uint32_t>(repetitions(240'000) / rounds / 3);
    std::uint64_t emitted = 0;
    std::uint64_t of[weir::drop_reasons] = {};
    for (int round = 0; round < rounds; ++round) {
        const std::size_t ids = std::size_t{each} * producers;
        ledger book(ids);
        std::vector<std::uint8_t> accepted(ids);
        {
            const auto p = std::make_unique<pacer>(
                weir::quota{rate, seconds(1), burst},
                weir::schedule<clock>(weir::quota{200'000, seconds(1), 10},
                                      weir::catch_up::items(10)),
                book, weir::keyed_pacer_options{.keys = all_keys / 2, .items_of_a_key = 6});
            book.observer = &p->observer();
            weir::pacer_thread runner(*p);
            ASSERT_TRUE(runner.start().runs());
            std::atomic<std::uint32_t> at_work{producers};
            std::vector<std::jthread> threads;
            for (std::uint32_t i = 0; i < producers; ++i) {
                threads.emplace_back([&, i] {
                    produce(*p, i * each, (i + 1) * each, accepted);
                    --at_work;
                });
            }
            oracle::dice dice(static_cast<unsigned>(round));
            while (at_work > 0) {
                const auto key = static_cast<std::uint32_t>(dice.roll(all_keys));
                runner.run([&](auto& its) {
                    its.clear_key(key);
                    (void)its.throttled_key(key + 1, weir::microseconds(300));
                });
                std::this_thread::yield();
            }
            threads.clear();
            if (round % 2 == 0) {
                runner.run([](auto& its) { its.close(); });
                runner.join();
                EXPECT_EQ(p->approx_size(), 0U);
            }
        }
        std::size_t wrong = 0;
        for (std::size_t id = 0; id < ids; ++id) wrong += book.seen[id] != accepted[id] ? 1U : 0U;
        ASSERT_EQ(wrong, 0U) << "round " << round;
        for (const auto& times : book.times) {
            EXPECT_TRUE(times.keeps(rate, 1'000'000'000, 2 * (burst - 1)));
        }
        emitted += book.emitted;
        for (std::size_t i = 0; i < weir::drop_reasons; ++i) of[i] += book.of[i];
    }
    EXPECT_GT(emitted, 0U);
    std::cout << emitted << " emitted";
    for (std::size_t i = 0; i < weir::drop_reasons; ++i) {
        if (of[i] != 0) std::cout << ", " << of[i] << " " << describe(static_cast<dropped>(i));
    }
    std::cout << "\n";
}

// The overall limit has a cap on calls in flight. A test that hangs has missed the end of a call.
struct call_book {
    void emit(std::uint32_t&& id, weir::call_token token) {
        const std::lock_guard<std::mutex> lock(mutex);
        out.emplace_back(id, std::move(token));
    }
    void drop(std::uint32_t&&, dropped) {}

    std::mutex mutex;
    std::deque<std::pair<std::uint32_t, weir::call_token>> out;
};
TEST(keyed_on_a_thread, sends_the_next_item_when_a_call_ends) {
    using limiter = weir::limiter<weir::gcra<>, clock>;
    using both = weir::all_of<limiter, weir::in_flight>;
    limiter both_rate(weir::quota{1'000'000, seconds(1), 1'000});
    weir::in_flight calls(2);
    call_book book;
    const int items = repetitions(2'000);
    weir::keyed_pacer<std::uint32_t, weir::each<key_of>, call_book&, both, weir::lanes<2, 64>> p(
        weir::quota{1'000'000, seconds(1), 1'000}, both(both_rate, calls), book);
    weir::pacer_thread runner(p);
    ASSERT_TRUE(runner.start().runs());
    auto mine = p.open();
    int ended = 0;
    for (std::uint32_t pushed = 0; ended < items;) {
        if (pushed < static_cast<std::uint32_t>(items) && mine.try_push(std::uint32_t(pushed)))
            ++pushed;
        const std::lock_guard<std::mutex> lock(book.mutex);
        ASSERT_LE(book.out.size(), 2U);
        if (book.out.empty()) continue;
        book.out.pop_front();  // the call ends
        ++ended;
    }
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

}  // namespace
