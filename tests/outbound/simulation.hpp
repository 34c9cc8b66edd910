// SPDX-License-Identifier: MIT
// A client and a provider in virtual time: both have clocks of their own, calls and answers take a
// while that varies, and several workers of the client always have another call to make.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include <weir/base/duration.hpp>

#include "provider.hpp"

namespace outbound {

inline constexpr ns no_retry = -1;

struct terms {
    int calls = 100'000;
    int workers = 8;
    ns shortest_way = second / 500;  // there; and the same back
    ns longest_way = second / 20;
    ns longest_work = second / 10;  // of the provider, on a call
    std::int64_t fast = 50;         // its clock, in millionths
    std::int64_t most_weight = 5;
    ns others_every = 0;  // other programs of the account make a call; 0: there are none
    std::uint64_t seed = 1;
};

struct course {
    ns took = 0;      // by the provider's clock
    int refused = 0;  // of the client's calls
    int failed = 0;   // the same, by the provider's fault
    int retried = 0;
    int given_up = 0;
    std::int64_t weight = 0;         // of those that were answered
    std::int64_t tokens = 0;         // the same
    std::int64_t others_weight = 0;  // of the other programs

    // How much of so many units in each period was used, by the client or by others.
    [[nodiscard]] double share(std::int64_t used, std::int64_t units, ns period) const {
        const double periods = static_cast<double>(took) / static_cast<double>(period);
        return static_cast<double>(used) / (static_cast<double>(units) * periods);
    }
};

// A client has
//     bool begin(call&, ns& wait)            may it go now? else ask again after that
//     ns end(const call&, const reply&)     make it again after that time? or `no_retry`
// and `set_time(ns)` moves its clock.
template <class Client, class SetTime>
course run(provider& to, Client& client, SetTime set_time, terms t) {
    struct event {
        ns at;
        std::uint64_t number;  // what was planned first comes first
        std::function<void()> act;
        bool operator<(const event& other) const {
            return at != other.at ? at > other.at : number > other.number;
        }
    };
    std::priority_queue<event> events;
    std::uint64_t planned = 0;
    std::mt19937_64 dice(t.seed);
    const auto between = [&dice](ns least, ns most) {
        return std::uniform_int_distribution<ns>(least, most)(dice);
    };
    ns now = 0;
    const auto after = [&](ns wait, auto act) {
        events.push({now + wait, planned++, std::move(act)});
    };
    // The provider's clock shows some time since 1970, and goes faster or slower.
    const ns begun = 1'700'000'000 * second + between(0, 1'000'000 * second);
    const auto its_time = [&] { return begun + now + now / 1'000'000 * t.fast; };

    course c;
    int left = t.calls;
    std::function<void(call)> make;
    const auto work = [&] {
        if (left == 0) return;
        --left;
        make({.weight = between(1, t.most_weight), .tokens = between(500, 4'000)});
    };
    const auto answer = [&](const call& made, const reply& r) {
        set_time(now);
        if (r.status == 200) {
            c.weight += made.weight;
            c.tokens += made.tokens;
        } else {
            ++(r.status == 503 ? c.failed : c.refused);
        }
        const ns again = client.end(made, r);
        if (again != no_retry) {
            ++c.retried;
            call next = made;
            next.is_retry = true;
            return after(again, [&, next] { make(next); });
        }
        if (r.status != 200) ++c.given_up;
        work();
    };
    make = [&](const call& next) {
        set_time(now);
        ns wait = 0;
        if (!client.begin(next, wait)) return after(wait < 1 ? 1 : wait, [&, next] { make(next); });
        after(between(t.shortest_way, t.longest_way), [&, next] {
            auto r = std::make_shared<reply>(to.begin(next, its_time()));
            const bool begins = provider::has_begun(*r);
            after(begins ? between(0, t.longest_work) : 0, [&, next, r, begins] {
                if (begins) to.end(next, *r, its_time());
                after(between(t.shortest_way, t.longest_way), [&, next, r] { answer(next, *r); });
            });
        });
    };
    std::function<void()> others = [&] {
        if (left == 0) return;
        const call one{.weight = between(1, t.most_weight)};
        reply r = to.begin(one, its_time(), provider::asked_by_others);
        if (provider::has_begun(r)) {
            c.others_weight += one.weight;
            to.end(one, r, its_time());
        }
        after(between(1, 2 * t.others_every), others);
    };
    if (t.others_every != 0) after(0, others);
    for (int i = 0; i < t.workers; ++i) after(0, work);
    const ns begin = its_time();
    while (!events.empty()) {
        const event e = events.top();
        events.pop();
        now = e.at;
        e.act();
    }
    c.took = its_time() - begin;
    return c;
}

}  // namespace outbound
