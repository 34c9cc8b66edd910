// Random histories in virtual time: whatever happens to a pacer, each item that it accepted comes
// out once, not after its deadline, in the order of its lane, and no window holds more than it may.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>

#include "../stress/crowd.hpp"
#include "recorded.hpp"

namespace {

using pacing::recorded;
using weir::catch_up;
using weir::deadline;
using weir::dropped;
using weir::nanoseconds;
using weir::next_poll;
using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

using clock = weir::manual_clock<struct histories>;  // in nanoseconds

struct item {
    std::unique_ptr<int> id;
    word cost;
    deadline by;
    int holding;  // of a lane
    int place;    // among those that were pushed in it
};

struct ledger {
    explicit ledger(unsigned seed) : dice(seed) {}

    void emit(item&& i) {
        EXPECT_FALSE(i.by.missed(clock::now())) << "an item that is of no use any more";
        times.add(clock::now().count, i.cost);
        take(std::move(i));
        if (dice() % 64 == 0) throw 1;
    }
    void drop(item&& i, dropped reason) {
        if (reason == dropped::expired) {
            EXPECT_TRUE(i.by.missed(clock::now()));
        }
        EXPECT_NE(reason, dropped::never);
        take(std::move(i));
    }
    void take(item&& i) {
        ++seen[*i.id];
        auto [last, first] = lasts.try_emplace(i.holding, i.place);
        EXPECT_TRUE(first || last->second < i.place) << "out of order";
        last->second = i.place;
    }

    std::mt19937 dice;
    recorded times;
    std::map<int, int> seen;
    std::map<int, int> lasts;
};

constexpr std::size_t lane_count = 6;
using pacer =
    weir::pacer<item, ledger&, weir::schedule<clock>, weir::lanes<lane_count, 16>, weir::unwatched>;

struct history {
    explicit history(unsigned seed) : book(seed), dice(seed) {}

    word below(word n) { return dice() % n; }

    void open(std::size_t i) {
        lanes[i] = p.open({.priority = static_cast<unsigned>(below(3)),
                           .weight = static_cast<unsigned>(below(4))});
        holding[i] = ++holdings;
    }
    void push(std::size_t i) {
        const word cost = 1 + (below(4) == 0 ? below(5) : 0);
        const word now = clock::now().count;
        const auto by =
            below(3) == 0 ? deadline::by({now + below(40 * interval)}) : deadline::none();
        item made{std::make_unique<int>(ids), cost, by, holding[i], ++place};
        const auto result = lanes[i].try_push(std::move(made), cost, by);
        if (result) {
            ++accepted;
        } else {
            EXPECT_NE(made.id, nullptr) << "it stays";  // NOLINT(bugprone-use-after-move)
            book.seen[ids] += 1;                        // it comes from nowhere else then
        }
        ++ids;
    }
    void act() {
        const auto i = static_cast<std::size_t>(below(lane_count));
        switch (below(40)) {
            case 0: lanes[i].close(); break;
            case 1: p.pause(); break;
            case 2: p.pause_until({clock::now().count + below(30 * interval)}); break;
            case 3:
                p.throttled(nanoseconds(static_cast<std::int64_t>(below(10 * interval))));
                break;
            case 4:
            case 5: p.resume(); break;
            case 6:
                // Never above the rate by which the windows are checked.
                (void)p.set_rate(
                    quota{1 + static_cast<std::int64_t>(below(10'000)), seconds(1), 10});
                break;
            case 7: clock::advance(weir::milliseconds(50)); break;  // a stall
            default:
                if (!lanes[i]) {
                    open(i);
                } else {
                    push(i);
                }
        }
    }
    void poll() {
        const next_poll next = p.poll();
        if (next.what == next_poll::why::due && below(4) != 0) {
            const word late = below(8) == 0 ? below(3 * interval) : 0;
            if (next.at.count + late > clock::now().count) clock::set({next.at.count + late});
        } else {
            clock::advance(nanoseconds(static_cast<std::int64_t>(below(interval))));
        }
    }

    static constexpr word interval = 100'000;  // of 10 kHz
    ledger book;
    std::mt19937 dice;
    pacer p{weir::schedule<clock>(quota{10'000, seconds(1), 10},
                                  catch_up::within(nanoseconds(3 * interval))),
            book,
            {.lowest_gets_one_in = 5, .most_drops = 3, .most_failures = 2}};
    pacer::producer_type lanes[lane_count];
    int holding[lane_count] = {};
    int holdings = 0;
    int place = 0;
    int ids = 0;
    int accepted = 0;
};

TEST(pacer_history, accounts_for_each_item_once_and_keeps_every_window) {
    std::size_t emitted = 0;
    for (int round = repetitions(1'000); round > 0; --round) {
        clock::set(tick{static_cast<word>(round) * 1'000'000'000'000});
        const auto seed = static_cast<unsigned>(round);
        int ids = 0;
        std::map<int, int> seen;
        recorded times;
        {
            auto h = std::make_unique<history>(seed);
            for (int i = 0; i < 2'000; ++i) {
                for (word n = h->below(4); n > 0; --n) h->act();
                h->poll();
            }
            switch (round % 4) {
                case 0: h->p.drain({clock::now().count + h->below(100 * h->interval)}); break;
                case 1: h->p.discard(); break;
                case 2: h->p.close(); break;
                default: break;  // destroyed in the middle of it
            }
            if (round % 4 == 0 || round % 4 == 1) {
                for (int i = 0; i < 10'000 && h->p.poll().what != next_poll::why::done; ++i)
                    h->poll();
                EXPECT_EQ(h->p.approx_size(), 0U);
            }
            ids = h->ids;
            emitted += h->book.times.size();
            times = h->book.times;
            // What the destructor hands out is counted as well.
            auto* const book = &h->book;
            for (auto& lane : h->lanes) lane.close();
            h->p.~pacer();
            seen = book->seen;
            new (&h->p) pacer(weir::schedule<clock>(quota{1, seconds(1)}), *book);
        }
        EXPECT_TRUE(times.keeps(10'000, 1'000'000'000, 0, 3 * history::interval)) << seed;
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(ids)) << "an item is lost: " << seed;
        for (const auto& [id, times_seen] : seen) {
            ASSERT_EQ(times_seen, 1) << "item " << id << ", seed " << seed;
        }
    }
    EXPECT_GT(emitted, 10'000U * static_cast<std::size_t>(repetitions(1'000)) / 1'000);
}

// The schedule's bar, through lanes, turns and sink: exact to one item over ten million.
TEST(pacer_history, is_exact_to_one_item_over_ten_million_in_virtual_time) {
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
        std::mt19937_64 dice(rate);
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
            ASSERT_EQ(next.what, next_poll::why::due);
            clock::set({next.at.count + (late == 0 ? 0 : dice() % late)});
        }
        const word time = p.limit().next().count - 1;
        const auto exact = static_cast<word>(static_cast<pacing::exact>(time) *
                                             static_cast<pacing::exact>(rate) / 1'000'000'000);
        EXPECT_LE(sink.emitted, exact + 1) << rate;
        EXPECT_GE(sink.emitted + 1, exact) << rate;
    }
}

}  // namespace
