// SPDX-License-Identifier: MIT
// How a thread rests, in virtual time, on a simulated core: the system wakes it late, others want
// the core too, and the scheduler takes it from who uses more than its share.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/rest.hpp>

#include "../../oracle/dice.hpp"

namespace {

using weir::microseconds;
using weir::milliseconds;
using weir::nanoseconds;
using weir::seconds;
using weir::waiting;

// Where the system may sleep for any time.
struct rest : weir::rest {
    rest() : weir::rest(nanoseconds{}) {}
};

constexpr std::int64_t us = 1'000;
constexpr std::int64_t ms = 1'000'000;

// How late a system wakes a thread for which a core is free.
struct wake_up {
    const char* name;
    std::int64_t (*late)(oracle::dice&);
};
std::int64_t between(oracle::dice& dice, std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(dice.roll(static_cast<std::uint64_t>(most - least)));
}
const wake_up wake_ups[] = {
    {"a thread with a timer slack of 1 ns",
     [](oracle::dice& d) { return between(d, 8 * us, 30 * us); }},
    {"with the usual one", [](oracle::dice& d) { return between(d, 55 * us, 72 * us); }},
    {"in a virtual machine",
     [](oracle::dice& d) { return between(d, 20 * us, d.roll(8) == 0 ? 160 * us : 35 * us); }},
    {"anything", [](oracle::dice& d) { return between(d, 1 * us, 240 * us); }},
    {"very late", [](oracle::dice& d) { return between(d, 180 * us, 900 * us); }},
};

// One core, which the thread shares with others that always want it. Each has a share; the thread
// may run ahead of its own by most of a slice, and then waits until the others have had theirs.
class core {
public:
    core(const wake_up& w, int others) : wakes_(w), others_(others) {}

    [[nodiscard]] std::int64_t now() const { return now_; }
    [[nodiscard]] std::int64_t used() const { return used_; }
    void others(int n) { others_ = n; }
    void starts_at(std::int64_t now) { now_ = now; }

    // Every so often nobody has the core for a while, whatever the thread does.
    void disturb(std::int64_t every, std::int64_t time) {
        every_ = every;
        stall_ = time;
        next_stall_ = now_ + every;
    }

    void run(std::int64_t time) {
        while (time > 0) {
            const std::int64_t step = std::min<std::int64_t>(time, 10 * us);
            time -= step;
            now_ += step;
            used_ += step;
            ahead_ += step * others_ / (others_ + 1);
            stalls();
            if (ahead_ > slice) wait_for_the_others();
        }
    }
    void sleep_until(std::int64_t then) {
        const std::int64_t begin = now_;
        now_ = std::max(now_, then) + wakes_.late(dice_);
        stalls();
        const std::int64_t due = std::min(ahead_, (now_ - begin) / (others_ + 1));
        ahead_ -= std::max<std::int64_t>(due, 0);  // who sleeps saves up nothing
        if (ahead_ > 0) wait_for_the_others();
        run(wake_cost);
    }

private:
    static constexpr std::int64_t slice = 3 * ms;
    static constexpr std::int64_t turn = ms;            // of one of the others, at least
    static constexpr std::int64_t wake_cost = 15 * us;  // of a sleep and what comes with it

    void wait_for_the_others() {
        const std::int64_t turns = ahead_ * (others_ + 1) / turn + 1;
        now_ += turns * turn;
        ahead_ -= turns * turn / (others_ + 1);
    }
    void stalls() {
        if (every_ == 0 || now_ < next_stall_) return;
        now_ += stall_;
        next_stall_ = now_ + every_;
    }

    const wake_up& wakes_;
    int others_;
    oracle::dice dice_{1};
    std::int64_t now_ = ms;
    std::int64_t used_ = 0;
    std::int64_t ahead_ = 0;  // of its share
    std::int64_t every_ = 0;
    std::int64_t stall_ = 0;
    std::int64_t next_stall_ = 0;
};

// Something is due in each interval; half an interval's delay is made good, as by a pacer.
struct outcome {
    double lost;   // of the rate
    double share;  // of the core
    double p50;    // microseconds late
    double p90;
};
enum class spins : bool {
    until_the_end,
    a_moment,  // and asks again, as a pacer does where something may have to go earlier
};
outcome pace(core& on, weir::rest& mine, waiting how, std::int64_t interval, std::int64_t time,
             spins each = spins::until_the_end) {
    const std::int64_t begin = on.now();
    const std::int64_t used = on.used();
    std::int64_t due = begin + interval;
    std::vector<std::int64_t> late;
    while (on.now() < begin + time) {
        while (on.now() < due) {
            const std::int64_t left = due - on.now();
            const nanoseconds nap = mine.nap(how, nanoseconds(on.now()), nanoseconds(left));
            EXPECT_LE(nap, nanoseconds(left));
            if (nap > nanoseconds{}) {
                const std::int64_t until = on.now() + nap.count();
                on.sleep_until(until);
                mine.woke(nanoseconds(on.now()), nanoseconds(until));
            } else {
                const std::int64_t moment = each == spins::a_moment ? us / 4 : left;
                const std::int64_t until = on.now() + std::min(left, moment);
                on.run(until - on.now());
                mine.spun(nanoseconds(on.now()), nanoseconds(until));
            }
        }
        late.push_back(on.now() - due);
        due = std::max(due + interval, on.now() + interval - interval / 2);
        on.run(us);  // what is to be done
    }
    const auto took = static_cast<double>(on.now() - begin);
    const double wanted = took / static_cast<double>(interval);
    std::sort(late.begin(), late.end());
    return {1 - static_cast<double>(late.size()) / wanted,
            static_cast<double>(on.used() - used) / took,
            static_cast<double>(late[late.size() / 2]) / us,
            static_cast<double>(late[late.size() * 9 / 10]) / us};
}

outcome of(const wake_up& w, int others, waiting how, std::int64_t interval,
           std::int64_t stall = 0) {
    core c(w, others);
    if (stall != 0) c.disturb(50 * ms, stall);
    rest mine;
    return pace(c, mine, how, interval, 5'000 * ms);
}

std::string told(const outcome& o) {
    return "lost " + std::to_string(100 * o.lost) + " %, " + std::to_string(o.share) +
           " of a core, p50 " + std::to_string(o.p50) + " us";
}

TEST(rest, keeps_the_rate_as_well_as_sleep_does_beside_busy_others) {
    for (const wake_up& w : wake_ups) {
        for (const int others : {1, 4}) {
            for (const std::int64_t interval : {20 * us, 100 * us, ms}) {
                for (const std::int64_t stall : {std::int64_t{0}, ms}) {
                    const outcome asleep = of(w, others, waiting::sleep, interval, stall);
                    const outcome hybrid = of(w, others, waiting::hybrid, interval, stall);
                    EXPECT_LE(hybrid.lost, asleep.lost + 0.01)
                        << w.name << ", " << others << " others, " << interval << " ns\nsleep "
                        << told(asleep) << "\nhybrid " << told(hybrid);
                }
            }
        }
    }
}

// Also where nobody has the core for 2 % of the time, which no way of waiting changes.
TEST(rest, is_precise_and_cheap_on_a_quiet_core) {
    for (const wake_up& w : {wake_ups[0], wake_ups[1], wake_ups[2]}) {
        for (const std::int64_t stall : {std::int64_t{0}, ms}) {
            const outcome asleep = of(w, 0, waiting::sleep, 100 * us, stall);
            const outcome hybrid = of(w, 0, waiting::hybrid, 100 * us, stall);
            EXPECT_LT(hybrid.p50, 1) << w.name;
            EXPECT_LE(hybrid.share, 0.35) << w.name;
            EXPECT_LE(hybrid.lost, asleep.lost) << w.name;
            EXPECT_GT(asleep.p50, 10) << w.name;
        }
    }
}

TEST(rest, is_as_precise_for_who_spins_in_many_moments) {
    for (const wake_up& w : {wake_ups[0], wake_ups[1], wake_ups[2]}) {
        for (const std::int64_t interval : {100 * us, 300 * us, ms}) {
            core c(w, 0);
            rest mine;
            const outcome o = pace(c, mine, waiting::hybrid, interval, 5'000 * ms, spins::a_moment);
            const outcome whole = of(w, 0, waiting::hybrid, interval);
            EXPECT_LE(o.p90, whole.p90 + 1) << w.name << ", " << interval << " ns\n" << told(o);
            EXPECT_LE(o.share, whole.share + 0.01) << w.name << ", " << interval << " ns";
        }
    }
}

TEST(rest, spins_no_more_than_an_eighth_of_the_time_if_it_can_sleep) {
    const wake_up& w = wake_ups[3];
    for (const std::int64_t interval : {300 * us, ms, 10 * ms}) {
        const outcome asleep = of(w, 0, waiting::sleep, interval);
        EXPECT_LE(of(w, 0, waiting::hybrid, interval).share, asleep.share + 0.15) << interval;
    }
}

TEST(rest, spins_again_when_the_others_have_gone_and_stops_when_they_come) {
    core c(wake_ups[1], 4);
    rest mine;
    (void)pace(c, mine, waiting::hybrid, 100 * us, 5'000 * ms);
    EXPECT_FALSE(mine.may_spin());
    c.others(0);
    (void)pace(c, mine, waiting::hybrid, 100 * us, 3'000 * ms);
    EXPECT_TRUE(mine.may_spin());
    EXPECT_LT(pace(c, mine, waiting::hybrid, 100 * us, 3'000 * ms).p50, 1);
    c.others(4);
    (void)pace(c, mine, waiting::hybrid, 100 * us, 100 * ms);
    EXPECT_FALSE(mine.may_spin());
}

TEST(rest, does_what_it_is_told) {
    const outcome spun = of(wake_ups[1], 0, waiting::spin, 100 * us);
    EXPECT_GT(spun.share, 0.999);
    EXPECT_LT(spun.p50, 1);
    const outcome asleep = of(wake_ups[1], 0, waiting::sleep, ms);
    EXPECT_LT(asleep.share, 0.02);
}

TEST(rest, sleeps_before_it_spins_and_not_longer_than_a_day) {
    rest mine;
    const nanoseconds now = seconds(1'000'000);
    const nanoseconds nap = mine.nap(waiting::hybrid, now, milliseconds(1));
    EXPECT_EQ(nap.count(), milliseconds(1).count() - mine.guard().count());
    mine.woke(nanoseconds(now.count() + nap.count()), nanoseconds(now.count() + nap.count()));
    EXPECT_EQ(mine.nap(waiting::hybrid, now, mine.guard()), nanoseconds()) << "it goes on";
    for (const waiting how : {waiting::sleep, waiting::hybrid}) {
        EXPECT_LE(mine.nap(how, now, nanoseconds::longest()), seconds(86'400));
    }
}

TEST(rest, sleeps_for_the_steps_of_a_coarse_clock) {
    rest mine;
    const nanoseconds step = milliseconds(4);
    for (const waiting how : {waiting::sleep, waiting::hybrid}) {
        EXPECT_EQ(mine.nap(how, seconds(1), microseconds(10), step), step);
        EXPECT_EQ(mine.nap(how, seconds(1), milliseconds(10), step), milliseconds(10));
    }
    EXPECT_EQ(mine.nap(waiting::spin, seconds(1), microseconds(10), step), nanoseconds());
}

TEST(rest, spins_until_it_is_over_or_the_clock_stands_still) {
    struct clocks {
        bool gave_up;
        int reads;  // of the clock that is waited for
        int looks;  // at the system's
    };
    const auto spin = [](waiting how, int ends_after, nanoseconds system) {
        clocks c{};
        const auto is_over = [&]() noexcept { return ++c.reads > ends_after; };
        const auto system_now = [&]() noexcept {
            ++c.looks;
            return system;
        };
        c.gave_up = rest::spin(how, seconds(1), is_over, system_now);
        return c;
    };
    const nanoseconds late = seconds(1) + milliseconds(2);
    for (const waiting how : {waiting::hybrid, waiting::spin}) {
        const clocks short_wait = spin(how, 1'000, late);
        EXPECT_FALSE(short_wait.gave_up);
        EXPECT_EQ(short_wait.reads, 1'001);
        EXPECT_EQ(short_wait.looks, 0);
    }
    const clocks runs = spin(waiting::hybrid, 5'000, seconds(1) + milliseconds(1));
    EXPECT_FALSE(runs.gave_up) << "the system's clock is not far ahead";
    EXPECT_EQ(runs.looks, 4);
    const clocks stands = spin(waiting::hybrid, 5'000, late);
    EXPECT_TRUE(stands.gave_up);
    EXPECT_EQ(stands.reads, 1'024);
    EXPECT_FALSE(spin(waiting::spin, 5'000, late).gave_up) << "who only spins never gives up";
}

// As Windows, which wakes who sleeps at the next step of its timer.
TEST(rest, spins_for_the_last_step_of_a_system_that_sleeps_in_steps) {
    const wake_up stepping{"steps", [](oracle::dice& d) { return between(d, 10 * us, ms); }};
    for (const std::int64_t interval : {10 * ms, 16 * ms + 667 * us}) {
        core c(stepping, 0);
        weir::rest mine(milliseconds(1));
        const outcome o = pace(c, mine, waiting::hybrid, interval, 20'000 * ms);
        EXPECT_LT(o.p50, 1) << told(o);
        EXPECT_LE(o.share, 0.15) << told(o);
    }
    weir::rest mine(milliseconds(1));
    EXPECT_EQ(mine.nap(waiting::sleep, seconds(1), microseconds(10)), milliseconds(1));
    EXPECT_EQ(mine.nap(waiting::sleep, seconds(1), milliseconds(3)), milliseconds(3));
    EXPECT_EQ(mine.nap(waiting::hybrid, seconds(2), milliseconds(2)), nanoseconds());
    EXPECT_GE(mine.nap(waiting::hybrid, seconds(3), milliseconds(3)), milliseconds(1));
}

TEST(rest, learns_nothing_from_what_woke_it_early) {
    rest mine;
    for (int i = 0; i < 1'000; ++i) {
        const nanoseconds now = seconds(i);
        const nanoseconds nap = mine.nap(waiting::hybrid, now, seconds(2));
        mine.woke(nanoseconds(now.count() + 1), nanoseconds(now.count() + nap.count()));
    }
    EXPECT_EQ(mine.guard(), weir::sleep_guard::at_first);
    EXPECT_TRUE(mine.may_spin());
}

// A thread that was stopped for an hour comes back and goes on.
TEST(rest, survives_time_that_leaps_or_stands_still) {
    rest mine;
    std::int64_t now = 0;
    for (int i = 0; i < 10'000; ++i) {
        const nanoseconds nap = mine.nap(waiting::hybrid, nanoseconds(now), microseconds(300));
        ASSERT_LE(nap, microseconds(300));
        const std::int64_t until = now + nap.count();
        if (i % 3 == 0) now += 3'600'000 * ms;
        mine.woke(nanoseconds(now), nanoseconds(until));
        mine.spun(nanoseconds(now), nanoseconds(until));
    }
    EXPECT_LE(mine.guard(), weir::sleep_guard::at_most);
    core c(wake_ups[0], 0);
    c.starts_at(now);
    (void)pace(c, mine, waiting::hybrid, 100 * us, 3'000 * ms);
    EXPECT_LT(pace(c, mine, waiting::hybrid, 100 * us, 1'000 * ms).p50, 1);
}

}  // namespace
