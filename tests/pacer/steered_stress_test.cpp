// SPDX-License-Identifier: MIT
// Producers that cancel, clear and replace what waits, and a pacer on its thread which does the
// same: each item that was accepted comes out once, for a reason that there was.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/steered_lane.hpp>

#include "../oracle/dice.hpp"
#include "../stress/crowd.hpp"

namespace {

using weir::dropped;
using weir::pushing;
using weir::seconds;

using clock = weir::steady_clock;

constexpr std::uint32_t producers = 4;

// Seven keys.
[[nodiscard]] std::uint32_t key_of(const std::uint32_t& id) {
    return (id * 0x9E37'79B9U >> 9U) % 7;
}

// What came of each id, and how often. Written by whoever polls, one at a time.
struct ledger {
    struct fate {
        std::uint8_t times = 0;
        std::uint8_t how = 0;  // 0: emitted, otherwise 1 + the reason
    };
    explicit ledger(std::size_t ids) : fates(ids) {}
    void emit(std::uint32_t&& id) { record(id, 0); }
    void drop(std::uint32_t&& id, dropped reason) {
        record(id, static_cast<std::uint8_t>(1 + static_cast<unsigned>(reason)));
    }
    void record(std::uint32_t id, std::uint8_t how) {
        ++fates[id].times;
        fates[id].how = how;
    }
    std::vector<fate> fates;
};

struct wish {
    bool accepted = false;
    bool cancelled = false;  // somebody asked for it
};

using pacer = weir::pacer<std::uint32_t, ledger&, weir::schedule<clock>,
                          weir::steered<weir::lanes<3, 128>, key_of>>;

struct counts {
    std::atomic<std::uint64_t> cancels{0};
    std::atomic<std::uint64_t> clears{0};
};

void produce(pacer& p, std::uint32_t from, std::uint32_t to, std::vector<wish>& wishes,
             counts& all) {
    oracle::dice dice(from + 1);
    pacer::producer_type mine;
    std::vector<std::pair<std::uint32_t, weir::ticket>> last(8);
    for (std::uint32_t id = from; id < to;) {
        if (!mine) {
            mine = p.open({.priority = static_cast<unsigned>(dice.roll(2))});
            if (!mine) std::this_thread::yield();
            for (auto& l : last) l = {};  // tickets of another lane
            continue;
        }
        const auto pushed = mine.try_push(std::uint32_t(id), 1, {}, clock::now());
        if (pushed.how() == pushing::closed) return;
        if (pushed) {
            wishes[id].accepted = true;
            last[id % last.size()] = {id, pushed.ticket()};
            ++id;
        } else {
            std::this_thread::yield();
        }
        const auto face = dice.roll(64);
        if (face < 8) {
            const auto& [which, its] = last[static_cast<std::size_t>(dice.roll(last.size()))];
            if (its && mine.cancel(its) == pushing::pushed) {
                wishes[which].cancelled = true;
                ++all.cancels;
            }
        } else if (face == 8) {
            if (mine.clear() == pushing::pushed) ++all.clears;
        } else if (face == 9 && dice.roll(32) == 0) {
            mine.close();
        }
    }
}

TEST(steered_stress, hands_out_each_item_once_for_a_reason) {
    const int rounds = repetitions(8);
    const auto each = static_cast<std::uint32_t>(repetitions(800'000) / rounds / 4);
    std::uint64_t of[1 + weir::drop_reasons] = {};
    counts all;
    for (int round = 0; round < rounds; ++round) {
        const std::size_t ids = std::size_t{each} * producers;
        ledger book(ids);
        std::vector<wish> wishes(ids);
        {
            const auto p = std::make_unique<pacer>(
                weir::schedule<clock>(weir::quota{2'000'000, seconds(1), 10},
                                      weir::catch_up::within(weir::microseconds(100))),
                book);
            weir::pacer_thread runner(*p);
            ASSERT_TRUE(runner.start().runs());
            std::atomic<std::uint32_t> at_work{producers};
            std::vector<std::jthread> threads;
            for (std::uint32_t i = 0; i < producers; ++i) {
                threads.emplace_back([&, i] {
                    produce(*p, i * each, (i + 1) * each, wishes, all);
                    --at_work;
                });
            }
            oracle::dice dice(static_cast<unsigned>(round));
            while (at_work > 0) {
                const auto lane = static_cast<std::size_t>(dice.roll(3));
                runner.run([&](auto& its) { its.clear(lane); });
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
        for (std::size_t id = 0; id < ids; ++id) {
            const auto& f = book.fates[id];
            wrong += f.times != (wishes[id].accepted ? 1 : 0) ? 1U : 0U;
            const bool was_cancelled =
                f.times != 0 && f.how == 1 + static_cast<int>(dropped::cancelled);
            wrong += was_cancelled && !wishes[id].cancelled ? 1U : 0U;
            if (f.times != 0) ++of[f.how];
        }
        ASSERT_EQ(wrong, 0U) << "round " << round;
    }
    EXPECT_GT(of[0], 0U);
    EXPECT_GT(all.cancels.load() + all.clears.load(), 0U);
    EXPECT_EQ(of[1 + static_cast<int>(dropped::expired)], 0U);
    EXPECT_EQ(of[1 + static_cast<int>(dropped::discarded)], 0U);
    std::cout << of[0] << " emitted, " << of[1 + 4] << " cancelled, " << of[1 + 5] << " cleared, "
              << of[1 + 6] << " replaced, " << of[1 + 3] << " abandoned\n";
}

}  // namespace
