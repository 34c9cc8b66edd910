// SPDX-License-Identifier: MIT
// A pacer that is polled when it asks for it emits the same items at the same ticks as one that is
// polled at every tick. Random histories: lanes with classes, weights and limits of their own,
// items of different cost, deadlines, pauses, rates that change, callbacks that push.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "../oracle/complaint.hpp"
#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "limits.hpp"

namespace {

using namespace pacing::some;
using clock = pacing::some::clock;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using weir::word;

struct event {
    word at;
    std::size_t lane;
    word cost;
    word by;  // 0: no deadline
    enum { push, push_and_again, pause, rate } what = push;
};
constexpr std::size_t lane_count = 5;
struct history {
    seat seats[lane_count];
    weir::pacer_options options;
    std::vector<event> events;
    word end;
};

[[nodiscard]] history any_history(oracle::dice d) {
    history h{{}, {.capacity = 64}, {}, 0};
    for (seat& s : h.seats) {
        s = {static_cast<unsigned>(d.roll(3)), static_cast<unsigned>(1 + d.roll(3)),
             static_cast<std::size_t>(d.roll(3))};
    }
    h.options.lowest_gets_one_in = d.chance(50) ? 4 : 0;
    h.options.most_drops = static_cast<unsigned>(1 + d.roll(3));
    const bool deadlines = d.chance(50);
    word at = 1'000;
    for (std::uint64_t n = 3 + d.roll(60); n > 0; --n) {
        at += d.chance(40) ? 0 : d.roll(d.chance(10) ? 2'000 : 3 * interval);
        const word cost = d.chance(60) ? 1 : 1 + d.roll(8);
        const word by = deadlines && d.chance(40) ? at + 1 + d.roll(20 * interval) : 0;
        h.events.push_back({at, static_cast<std::size_t>(d.roll(lane_count)), cost, by});
        const word face = d.roll(40);
        if (face < 4) h.events.back().what = event::push_and_again;
        if (face == 4) h.events.back() = {at, 0, 0, at + d.roll(10 * interval), event::pause};
        if (face == 5) h.events.back() = {at, 0, 1 + d.roll(100), 0, event::rate};
    }
    h.end = at + 20'000;
    return h;
}

struct went {
    std::size_t item;
    word at;

    friend bool operator==(const went&, const went&) = default;
};

// What goes when.
template <class Subject>
[[nodiscard]] std::vector<went> played(const history& h, bool at_every_tick) {
    using limit_type = typename Subject::limit_type;
    std::vector<went> all;
    struct writing {
        void emit(std::size_t&& i) {
            all->push_back({i, clock::now().count});
            again(i);
        }
        static void drop(std::size_t&&, weir::dropped) {}
        std::vector<went>* all;
        std::function<void(std::size_t)> again;
    };
    clock::set({1'000});
    Subject limits[3] = {Subject(interval), Subject(17), Subject(90)};
    weir::pacer<std::size_t, writing, limit_type&, weir::lanes<lane_count>> p(
        limits[0].limit, writing{&all, {}}, h.options);
    auto lanes = open_lanes(p, h.seats, limits);
    p.to().again = [&](std::size_t i) {
        if (i >= h.events.size() || h.events[i].what != event::push_and_again) return;
        (void)lanes[(h.events[i].lane + 1) % lane_count].try_push(i + 1'000, 2);
    };
    using weir::polled;
    next_poll next{polled::due, instant{1'000}, false};
    std::size_t item = 0;
    for (word now = 1'000; now < h.end; ++now) {
        if (item == h.events.size() && next.what == polled::idle) break;
        clock::set({now});
        bool woken = p.sleeper().was_alerted();
        for (; item < h.events.size() && h.events[item].at == now; ++item) {
            const event& one = h.events[item];
            if (one.what == event::pause) {
                p.pause_until(instant{one.by});
            } else if (one.what == event::rate) {
                if constexpr (requires { p.set_rate(one_in(one.cost, 8)); }) {
                    (void)p.set_rate(one_in(one.cost, 8));
                }
            } else {
                const auto by =
                    one.by == 0 ? weir::deadline<clock>() : weir::deadline(instant{one.by});
                (void)lanes[one.lane].try_push(std::size_t{item}, one.cost, by);
                woken = woken || next.what == polled::idle || next.wakes;
                continue;
            }
            woken = true;  // who controls it polls it
        }
        const auto is_due = [&] {
            return next.what == polled::due && !weir::earlier(instant{now}, next.at);
        };
        if (!at_every_tick && !woken && !is_due()) continue;
        do next = p.poll();
        while (is_due());
    }
    return all;
}

[[nodiscard]] std::string text_of(const history& h) {
    std::string text = text_of(h.options, h.seats);
    static constexpr const char* names[] = {"push", "push and again", "pause", "rate"};
    for (std::size_t i = 0; i < h.events.size(); ++i) {
        const event& one = h.events[i];
        text += std::to_string(one.at) + ": item " + std::to_string(i) + ", " + names[one.what] +
                ", lane " + std::to_string(one.lane) + ", cost " + std::to_string(one.cost) +
                ", by " + std::to_string(one.by) + "\n";
    }
    return text;
}
[[nodiscard]] std::string text_of(const std::vector<went>& all) {
    std::string text;
    for (const went& w : all) text += std::to_string(w.item) + "@" + std::to_string(w.at) + " ";
    return text;
}

template <class Subject>
[[nodiscard]] bool differ(const history& h) {
    return played<Subject>(h, true) != played<Subject>(h, false);
}

// Without the events that make no difference.
template <class Subject>
[[nodiscard]] history shrunk(history h) {
    for (std::size_t i = 0; i < h.events.size();) {
        history fewer = h;
        fewer.events.erase(fewer.events.begin() + static_cast<std::ptrdiff_t>(i));
        if (differ<Subject>(fewer)) {
            h = std::move(fewer);
            i = 0;
        } else {
            ++i;
        }
    }
    return h;
}

template <class Subject>
class when_due : public testing::Test {};
TYPED_TEST_SUITE(when_due, of_each_kind);

TYPED_TEST(when_due, emits_what_a_poll_at_every_tick_emits) {
    const std::uint64_t enough = oracle::only_seed() ? 1 : oracle::scaled(1'000);
    std::size_t emitted = 0;
    std::size_t waited = 0;
    for (std::uint64_t i = 0; i < enough; ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        const history h = any_history(oracle::dice(seed));
        const std::vector<went> all = played<TypeParam>(h, true);
        emitted += all.size();
        for (const went& w : all) waited += w.item < 1'000 && w.at != h.events[w.item].at;
        if (played<TypeParam>(h, false) == all) continue;
        const history small = shrunk<TypeParam>(h);
        oracle::expect_no(text_of(small) +
                              "at every tick: " + text_of(played<TypeParam>(small, true)) +
                              "\nwhen due:      " + text_of(played<TypeParam>(small, false)),
                          seed, "pacer_tests");
        break;
    }
    if (oracle::only_seed()) return;
    EXPECT_GT(emitted, 10 * enough);
    EXPECT_GT(waited, 5 * enough) << "items hardly waited";
}

}  // namespace
