// SPDX-License-Identifier: MIT
// Eight producers and a pacer on its thread: through deadlines, pauses, changes of the rate, lanes
// that come and go, and each way to end, no item is lost and none comes twice.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/statistics.hpp>

#include "../oracle/dice.hpp"
#include "../stress/crowd.hpp"
#include "recorded.hpp"

namespace {

using weir::catch_up;
using weir::deadline;
using weir::dropped;
using weir::nanoseconds;
using weir::pushing;
using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::steady_clock;

constexpr int producers = 8;

// How often each id came out. Written by whoever polls, one at a time.
struct ledger {
    explicit ledger(std::size_t ids) : seen(ids) {}
    void emit(std::uint32_t&& id) {
        ++seen[id];
        if (id % 1'024 == 0) throw 1;
    }
    void drop(std::uint32_t&& id, dropped) { ++seen[id]; }
    std::vector<std::uint8_t> seen;
};

// Counts, and checks the windows without keeping all of them.
struct watched {
    void on_emit(weir::tick now, word late, word queued, word left) {
        counts.on_emit(now, late, queued, left);
        if (times.size() == 100'000) {
            kept = kept && times.keeps(units, 1'000'000'000, 0, tau);
            times.clear();
        }
        times.add(now.count);
    }
    void on_emitted(bool well) { counts.on_emitted(well); }
    void on_dropped(dropped reason) { counts.on_dropped(reason); }
    static void on_event(weir::pacer_event) {}
    static void on_lost(word, bool) {}
    static void on_polled(weir::tick, auto) {}
    using during = weir::unmeasured;

    weir::statistics counts;
    static constexpr word units = 50'000'000;
    static constexpr word tau = 100'000;
    pacing::recorded times;
    bool kept = true;
};

using pacer =
    weir::pacer<std::uint32_t, ledger&, weir::schedule<clock>, weir::lanes<7, 256>, watched>;

void produce(pacer& p, std::uint32_t from, std::uint32_t to, std::vector<std::uint8_t>& accepted,
             const std::atomic<bool>& over) {
    oracle::dice dice(from + 1);
    pacer::producer_type mine;
    for (std::uint32_t id = from; id < to && !over;) {
        if (!mine) {
            mine = p.open({.priority = static_cast<unsigned>(dice.roll(3)),
                           .weight = static_cast<unsigned>(1 + dice.roll(4))});
            if (!mine) std::this_thread::yield();
            continue;
        }
        const auto now = clock::now();
        const auto by = dice.roll(4) == 0 ? deadline(now + dice.roll(200'000)) : deadline<clock>();
        const auto how = mine.try_push(std::uint32_t(id), 1, by, now).how();
        if (how == pushing::pushed) accepted[id] = 1;
        if (how == pushing::closed) return;
        if (how == pushing::full) {
            std::this_thread::yield();
        } else {
            ++id;
        }
        if (dice.roll(2'000) == 0) mine.close();
    }
}

TEST(pacer_stress, loses_no_item_and_doubles_none) {
    const int rounds = repetitions(20);
    const auto each = static_cast<std::uint32_t>(repetitions(4'000'000) / rounds / producers);
    word emitted = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::size_t ids = std::size_t{each} * producers;
        ledger book(ids);
        std::vector<std::uint8_t> accepted(ids);
        std::atomic<bool> over{false};
        {
            auto p = std::make_unique<pacer>(
                weir::schedule<clock>(quota{watched::units, seconds(1), 10},
                                      catch_up::within(nanoseconds(watched::tau))),
                book,
                weir::pacer_options{.capacity = 256, .lowest_gets_one_in = 10, .most_failures = 0});
            weir::pacer_thread runner(
                *p, {.how = round % 2 == 0 ? weir::waiting::sleep : weir::waiting::hybrid});
            ASSERT_TRUE(runner.start().runs());
            std::atomic<int> at_work{producers};
            std::vector<std::jthread> threads;
            threads.reserve(producers);
            for (std::uint32_t i = 0; i < producers; ++i) {
                threads.emplace_back([&, i] {
                    produce(*p, i * each, (i + 1) * each, accepted, over);
                    --at_work;
                });
            }
            oracle::dice dice(static_cast<unsigned>(round));
            // Some rounds end in the middle.
            for (int i = 0; at_work > 0; ++i) {
                switch (dice.roll(8)) {
                    case 0: runner.run([](auto& its) { its.pause(); }); break;
                    case 1:
                        runner.run([&](auto& its) {
                            (void)its.set_rate(
                                quota{static_cast<std::int64_t>(1'000'000 + dice.roll(49'000'000)),
                                      seconds(1), 10});
                        });
                        break;
                    case 2:
                        runner.run([](auto& its) { its.throttled(weir::microseconds(50)); });
                        break;
                    default: runner.run([](auto& its) { its.resume(); });
                }
                std::this_thread::yield();
                if (round % 4 != 3 || i < 200) continue;
                over = true;
            }
            switch (round % 4) {
                case 0:
                    runner.run([](auto& its) {
                        its.resume();
                        its.close();
                    });
                    threads.clear();
                    runner.join();
                    EXPECT_EQ(p->approx_size(), 0U) << "all was accepted before it closed";
                    break;
                case 1: runner.run([](auto& its) { its.drain(clock::now() + 20'000); }); break;
                case 2: runner.run([](auto& its) { its.discard(); }); break;
                default: runner.stop();
            }
            threads.clear();
            runner.stop();
            EXPECT_TRUE(p->observer().kept);
            EXPECT_TRUE(p->observer().times.keeps(watched::units, 1'000'000'000, 0, watched::tau));
            emitted += p->observer().counts.emitted();
        }
        std::size_t wrong = 0;
        for (std::size_t id = 0; id < ids; ++id) wrong += book.seen[id] != accepted[id] ? 1U : 0U;
        ASSERT_EQ(wrong, 0U) << "round " << round;
    }
    EXPECT_GT(emitted, 0U);
    RecordProperty("emitted", std::to_string(emitted));
}

}  // namespace
