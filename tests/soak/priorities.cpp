// SPDX-License-Identifier: MIT
#include "priorities.hpp"

#include <memory>
#include <thread>

#include "cells.hpp"
#include "pacing.hpp"
#include "parts.hpp"

namespace weir::soak {

post::post(const std::array<unsigned, lanes>& priorities, pace_log& log, word origin)
    : log_(log), origin_(origin) {
    for (std::size_t i = 0; i < lanes; ++i) {
        boxes_[i].priority = priorities[i];
        boxes_[i].pushed = std::vector<std::atomic<std::uint64_t>>(most_posted);
    }
}

void post::complain(const letter& l, const char* what) {
    if (!problem_.empty()) return;
    problem_ = "item " + std::to_string(l.number) + " of lane " + std::to_string(l.lane) +
               " (priority " + std::to_string(boxes_[l.lane].priority) + ") " + what;
}

void post::come_out(const letter& l) {
    box& its = boxes_[l.lane];
    if (l.number < its.out) complain(l, "came out twice, or after one that was behind it");
    if (l.number > its.out) complain(l, "came out before one that was ahead of it");
    its.out = l.number + 1;
}

void post::emit(const letter& l) {
    come_out(l);
    ++emitted_;
    log_.add({static_cast<word>(now_.count - origin_)}, l.cost);
    if (l.by.missed(now_)) complain(l, "was emitted after its deadline");
    for (const box& other : boxes_) {
        if (other.priority >= boxes_[l.lane].priority || other.out == most_posted) continue;
        // Acquire: pairs with `posted`; 0 while nobody has said that it was pushed.
        const auto moment = other.pushed[other.out].load(std::memory_order_acquire);
        if (moment == 0 || moment > moment_) continue;
        complain(l, "was emitted while an item of an earlier class waited");
    }
}

void post::drop(const letter& l, dropped reason) {
    come_out(l);
    if (reason == dropped::expired && !l.by.missed(now_))
        complain(l, "expired before its deadline");
    if (reason == dropped::never) complain(l, "was dropped as one that the rate never lets pass");
}

void post::settle() {
    for (std::uint32_t i = 0; i < lanes; ++i) {
        const box& b = boxes_[i];
        if (b.out < b.accepted) complain({i, b.out, 0, {}}, "was accepted and is lost");
        if (b.out > b.accepted) complain({i, b.accepted, 0, {}}, "was refused and came out");
    }
}

void soak_priorities_of(round& r, unsigned lowest_gets_one_in) {
    using clock = turning_clock<>;
    using pacer_type = pacer<letter, post&, schedule<clock>, lanes<post::lanes, 256>>;
    dice& d = r.random();
    const pacing_terms t = any_pacing(d);
    std::array<unsigned, post::lanes> priorities{};
    std::string classes;
    for (unsigned& p : priorities) {
        p = static_cast<unsigned>(d.between(priority::first, priority::last));
        classes += " " + std::to_string(p);
    }
    r.about(rate_in_words(t) + ", priorities" + classes);

    (void)begin_of<clock>(r);
    pace_log log(t.rate, t.late, t.most_cost);
    post all(priorities, log, r.origin());
    // As long as something expired is dropped nothing else goes.
    const pacer_options how{.lowest_gets_one_in = lowest_gets_one_in, .most_drops = UINT32_MAX};
    auto p = std::make_unique<pacer_type>(schedule<clock>(t.rate, t.late), all, how);
    std::array<pacer_type::producer_type, post::lanes> producers;
    for (std::size_t i = 0; i < post::lanes; ++i)
        producers[i] = p->open({.priority = priorities[i]});

    std::array<std::uint64_t, post::lanes> refused{};
    r.crowd(post::lanes + 1, [&](const stop_asked& stop, unsigned number, dice own) {
        const manner manners(own);
        if (number == post::lanes) {
            while (!stop.stop_requested()) {
                const auto now = clock::now();
                all.polls(now);
                (void)p->poll(now);
                manners.maybe_pause(own);
            }
            return;
        }
        letter next{number, 0, 0, {}};
        while (!stop.stop_requested() && next.number < post::most_posted) {
            const auto now = clock::now();
            next.cost = own.between(1, t.most_cost);
            next.by = own.one_in(4) ? deadline<clock>(now + own.magnitude(1'000, 50'000'000))
                                    : deadline<clock>();
            const pushing ended =
                producers[number].try_push(letter(next), next.cost, next.by, now).how();
            if (ended == pushing::pushed) {
                all.posted(next);
                ++next.number;
            } else {
                ++refused[number];
                if (ended == pushing::full) std::this_thread::yield();
            }
            manners.maybe_pause(own);
        }
    });
    clock::wait_for_the_turn();
    const auto now = clock::now();
    all.polls(now);
    (void)p->poll(now);
    for (auto& one : producers) one.close();
    p.reset();
    all.settle();
    r.promise(all.problem().empty(), all.problem());
    log.check();
    r.uses(log.uses());
    r.promise(log.problem().empty(), log.problem());
    std::uint64_t in_vain = 0;
    for (const std::uint64_t times : refused) in_vain += times;
    r.count(all.emitted(), in_vain);
}

void soak_priorities(round& r) { soak_priorities_of(r, 0); }

}  // namespace weir::soak
