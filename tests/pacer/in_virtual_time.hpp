// SPDX-License-Identifier: MIT
// A pacer in virtual time that is polled when it is due, and a sink that writes down what happens.
// Its tests are in this namespace.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/ticket.hpp>

#include "recorded.hpp"

namespace in_virtual_time {

using weir::catch_up;
using weir::deadline;
using weir::dropped;
using weir::lanes;
using weir::polled;
using weir::pushing;
using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct pacer_tests, 1'000>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using schedule = weir::schedule<clock>;

struct went {
    std::string what;
    word at;

    friend bool operator==(const went&, const went&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const went& w) {
    return out << w.what << '@' << w.at;
}

struct drop {
    std::string what;
    dropped reason;

    friend bool operator==(const drop&, const drop&) = default;
};

using item = std::unique_ptr<std::string>;  // one that can only be moved

inline item make(const char* name) { return std::make_unique<std::string>(name); }

// Writes down what happens.
struct ledger {
    void emit(item&& i) {
        emitted.push_back({*i, clock::now().count});
        times.add(clock::now().count);
    }
    void drop(item&& i, dropped reason) { drops.push_back({*i, reason}); }

    std::vector<went> emitted;
    std::vector<in_virtual_time::drop> drops;
    pacing::recorded times;
};

template <class Limit = schedule, class Lanes = lanes<4, 16>>
using pacer = weir::pacer<item, ledger&, Limit, Lanes>;

inline schedule ten_a_second(catch_up c = catch_up::none()) {
    return schedule(quota{10, seconds(1), 5}, c);
}

// Of items that have a text.
template <class Item>
struct book {
    void emit(Item&& i) {
        emitted.push_back({i.text, clock::now().count});
        if (does) does(i.text);
    }
    void drop(Item&& i, dropped reason) {
        drops.push_back({i.text, reason});
        if (does) does(i.text);
    }
    [[nodiscard]] std::string names() const {
        std::string all;
        for (const went& w : emitted) all += w.what + ' ';
        return all;
    }

    std::vector<went> emitted;
    std::vector<in_virtual_time::drop> drops;
    std::function<void(const std::string&)> does;
};

class run : public testing::Test {
protected:
    void SetUp() override { clock::set({1'000}); }

    // Into a lane of one's own of items that have a text.
    template <class Producer>
    static weir::ticket push(Producer& to, const char* text, word cost = 1,
                             deadline<clock> by = {}) {
        const auto pushed = to.try_push({text}, cost, by);
        EXPECT_TRUE(pushed) << text << ": " << weir::describe(pushed.how());
        return pushed.ticket();
    }

    // Polls whenever it is due, until then; as often as it takes at one time.
    template <class Pacer>
    static next_poll poll_until(Pacer& p, word until) {
        for (;;) {
            const next_poll next = p.poll();
            if (next.what != polled::due || next.at.count > until) return next;
            EXPECT_GE(next.at.count, clock::now().count);
            clock::set(next.at);
        }
    }

    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const went& w : book_.emitted) all.push_back(w.what);
        return all;
    }

    ledger book_;
};

// Its callbacks do what a test wants: `does` is called with what is emitted, and with the negative
// of what is dropped.
struct obliging {
    void emit(int&& i) const { does(i); }
    void drop(int&& i, dropped) const { does(-i); }
    std::function<void(int)> does;
};
struct obliging_together {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<int> all) const {
        for (const int i : all) does(i);
    }
    void drop(int&& i, dropped) const { does(-i); }
    std::function<void(int)> does;
};

}  // namespace in_virtual_time
