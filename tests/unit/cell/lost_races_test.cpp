// SPDX-License-Identifier: MIT
// How a decision goes on after it has lost races: with atomics that lose as often as they are told,
// and that write down what is done to them.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

struct access {
    const void* word;
    char what;  // (l)oad, (a)cquiring load, lost (x), (w)on; a (h)int is for no word
};
std::vector<access> accesses;
int to_lose = 0;

// What another thread does after the next exchange.
std::function<void()> meanwhile;

template <class T>
class losing {
public:
    constexpr losing() noexcept = default;
    constexpr explicit losing(T value) noexcept : value_(value) {}

    T load_relaxed() const noexcept { return load('l'); }
    T load_acquire() const noexcept { return load('a'); }
    void store_relaxed(T value) noexcept { value_ = value; }
    void store_release(T value) noexcept { value_ = value; }
    bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange_relaxed(expected, desired);
    }
    bool try_exchange_relaxed(T& expected, T desired) noexcept {
        const bool lost = to_lose > 0 || value_ != expected;
        if (to_lose > 0) --to_lose;
        accesses.push_back({this, lost ? 'x' : 'w'});
        if (lost) {
            expected = value_;
        } else {
            value_ = desired;
        }
        if (const auto other = std::exchange(meanwhile, nullptr)) other();
        return !lost;
    }
    static void spin_hint() { accesses.push_back({nullptr, 'h'}); }

private:
    T load(char what) const noexcept {
        accesses.push_back({this, what});
        return value_;
    }

    T value_{};
};

// What was done to the word that lost, from the first loss to the exchange that was won.
std::string told() {
    const void* loser = nullptr;
    std::string story;
    for (const access& a : accesses) {
        if (loser == nullptr && a.what == 'x') loser = a.word;
        if (loser != nullptr && (a.word == loser || a.what == 'h')) story += a.what;
    }
    return story.substr(0, story.find('w') + 1);
}

template <class Act>
std::string losses(int n, Act act) {
    accesses.clear();
    to_lose = n;
    act();
    EXPECT_EQ(to_lose, 0) << "it gave up";
    return told();
}

// The first two losses cost nothing. From the third on, each try comes after one hint and one load.
template <class Act>
void waits_from_the_third_loss_on(Act act, const std::string& load = "l") {
    EXPECT_EQ(losses(1, act), "xw");
    EXPECT_EQ(losses(2, act), "xxw");
    EXPECT_EQ(losses(3, act), "xxxh" + load + "w");
    EXPECT_EQ(losses(6, act), "xxxh" + load + "xh" + load + "xh" + load + "xh" + load + "w");
}

template <class Cell>
struct scene {
    tick now{1'000'000};
    typename Cell::rate rate = *Cell::rate::make(quota{1'000, seconds(1)}, 1'000, {.debt = 9});
    Cell cell;
    scene() { cell.fill(now, 1'000, rate); }
};

using all_cells = weir::every_cell_by<losing, 1'000, word, std::uint32_t>;

template <class Cell>
class lost_race : public testing::Test, public scene<Cell> {};
using cells = weir::only<weir::are_one_word, all_cells>::as<testing::Types>;
TYPED_TEST_SUITE(lost_race, cells);

TYPED_TEST(lost_race, waits_from_the_third_loss_on) {
    waits_from_the_third_loss_on([&] { (void)this->cell.try_acquire(this->now, 1, this->rate); });
    waits_from_the_third_loss_on([&] { (void)this->cell.charge(this->now, 1, this->rate); });
    waits_from_the_third_loss_on([&] { (void)this->cell.acquire_up_to(this->now, 2, this->rate); });
}

template <class Cell>
class lost_place : public testing::Test, public scene<Cell> {};
using placing = weir::only<weir::reserve_units, all_cells>::as<testing::Types>;
TYPED_TEST_SUITE(lost_place, placing);

TYPED_TEST(lost_place, waits_from_the_third_loss_on) {
    waits_from_the_third_loss_on([&] { (void)this->cell.reserve(this->now, 1, 0, this->rate); });
}

// The load that comes after a hint acquires, as the first one does.
TEST(lost_refund, waits_from_the_third_loss_on) {
    scene<weir::gcra<word, losing>> s;
    weir::refund_ledger<word> ledger;
    const auto one = [&](bool undone) {
        const int n = std::exchange(to_lose, 0);
        const auto mark = ledger.now();
        const word until = s.cell.reserve(s.now, 1, 0, s.rate).next;
        accesses.clear();
        to_lose = n;
        const word cost = s.rate.cost(1);
        const auto back = undone
                              ? ledger.undo(s.cell, mark, until, cost, s.rate)
                              : ledger.give_back(
                                    s.cell, mark, until, cost, true, [&] { return s.now; }, s.rate);
        EXPECT_EQ(back, cost);
    };
    waits_from_the_third_loss_on([&] { one(false); }, "a");
    waits_from_the_third_loss_on([&] { one(true); }, "a");
}

TEST(lost_reset, waits_from_the_third_loss_on) {
    scene<weir::gcra<word, losing>> s;
    waits_from_the_third_loss_on([&] { s.cell.fill(s.now, 9, s.rate); }, "a");
    waits_from_the_third_loss_on([&] { s.cell.settle(s.now, s.rate); }, "a");
}

// The second member has become empty since it was looked at, so the first one takes its unit back.
TEST(lost_race_of_all_of, waits_from_the_third_loss_on) {
    using clock = weir::manual_clock<struct lost_together, 1'000>;
    using limiter = weir::limiter<weir::gcra<word, losing>, clock>;
    limiter first{quota{1, seconds(1), 1'000}};
    weir::limiter<weir::gcra<>, clock> second{quota{1, seconds(1), 1'000}};
    weir::all_of both{first, second};
    (void)both.peek();  // they start with this
    const auto take_back = [&](auto... now) {
        second.reset();
        meanwhile = [&, n = std::exchange(to_lose, 0)] {
            second.drain();
            to_lose = n;
        };
        EXPECT_FALSE(both.try_acquire(1, now...));
        EXPECT_EQ(first.peek(0).remaining(), 1'000U);
    };
    waits_from_the_third_loss_on([&] { take_back(); }, "a");
    waits_from_the_third_loss_on([&] { take_back(clock::now()); }, "a");
}

// A try of a log is long; whoever paused would lose more races.
template <class Log>
class lost_race_of_a_log : public testing::Test, public scene<Log> {};
using logs = weir::only<weir::are_logs, all_cells>::as<testing::Types>;
TYPED_TEST_SUITE(lost_race_of_a_log, logs);

TYPED_TEST(lost_race_of_a_log, is_tried_again_at_once) {
    const auto take = [&] { (void)this->cell.try_acquire(this->now, 1, this->rate); };
    EXPECT_EQ(losses(1, take), "xw");
    EXPECT_EQ(losses(6, take), "xxxxxxw");
}

}  // namespace
