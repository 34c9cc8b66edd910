// SPDX-License-Identifier: MIT
// Rounds of a pacer on a thread of its own: several producers whose lanes come and go, deadlines,
// pauses, rates that change, and each way to end; with any sink that tells a delivery.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "asking.hpp"
#include "command/text.hpp"
#include "delivery.hpp"
#include "ledger.hpp"
#include "round.hpp"

namespace weir::soak {

// What a round of a pacer has drawn.
struct pacing_terms {
    quota rate;
    catch_up late;
    word most_cost;
    unsigned producers;
    waiting how;
    unsigned end;        // which way
    bool end_is_sudden;  // while producers push
};
[[nodiscard]] pacing_terms any_pacing(dice& d);
[[nodiscard]] std::string rate_in_words(const pacing_terms& t);
[[nodiscard]] std::string in_words(const pacing_terms& t);
[[nodiscard]] quota any_rate(dice& d);

constexpr std::size_t most_pushed = std::size_t{1} << 15;  // by each producer

// What one producer does, and how often it was refused.
template <class Pacer>
std::uint64_t produce(Pacer& pacer, std::uint32_t number, word most_cost, dice d,
                      const stop_asked& stop, delivery& book) {
    typename Pacer::producer_type mine;
    parcel next{number, 0, 0, 1, {}};
    const manner how(d);
    std::uint64_t refused = 0;
    for (bool first = true; !stop.stop_requested() && next.number < most_pushed;) {
        if (!mine) {
            mine = pacer.open({.priority = static_cast<unsigned>(d.between(0, 2)),
                               .weight = static_cast<unsigned>(d.between(1, 4))});
            if (!mine) {  // those that were left are not empty yet, or it is closed
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                continue;
            }
            if (!std::exchange(first, false)) ++next.lane;
        }
        const auto now = steady_clock::now();
        next.cost = d.between(1, most_cost);
        next.by =
            d.one_in(4) ? deadline(now + d.magnitude(1'000, 50'000'000)) : deadline<steady_clock>();
        const pushing ended = mine.try_push(parcel(next), next.cost, next.by, now).how();
        if (ended == pushing::closed) return refused;
        if (ended == pushing::pushed) {
            book.accept(next);
        } else {
            ++refused;
        }
        if (ended == pushing::full) {
            std::this_thread::yield();
        } else {
            ++next.number;
        }
        if (d.one_in(2'000)) mine.close();
        how.maybe_pause(d);
    }
    return refused;
}

// What somebody tells a pacer while it runs.
template <class Runner>
void control(Runner& runner, dice& d, pace_log& log) {
    switch (d.between(0, 15)) {
        case 0: runner.run([](auto& p) { p.pause(); }); break;
        case 1: runner.run([&](auto& p) { p.throttled(microseconds(500)); }); break;
        case 2:
            runner.run([&, q = any_rate(d)](auto& p) {
                log.turn(q);
                (void)p.set_rate(q);
            });
            break;
        default: runner.run([](auto& p) { p.resume(); });
    }
}

// Ends it; after that nobody polls but its destructor.
template <class Runner>
void finish(Runner& runner, unsigned how, pace_log& log) {
    switch (how) {
        case 0:
            runner.run([&](auto& p) {
                const quota fast = per_second(2'000'000).with_burst(8);
                log.turn(fast);
                (void)p.set_rate(fast);
                p.resume();
                p.close();
            });
            runner.join();
            break;
        case 1:
            runner.run([](auto& p) { p.drain(steady_clock::now() + 5'000'000); });
            runner.join();
            break;
        case 2:
            runner.run([](auto& p) { p.discard(); });
            runner.join();
            break;
        default: runner.stop();
    }
}

template <class Sink>
void soak_pacing(round& r) {
    using pacer_type = pacer<parcel, Sink&, schedule<steady_clock>, lanes<5, 256>, watch>;
    const pacing_terms t = any_pacing(r.random());
    r.about(in_words(t));
    delivery book(t.producers, most_pushed);
    pace_log log(t.rate, t.late, t.most_cost);
    Sink sink(book, log);
    auto p = std::make_unique<pacer_type>(schedule<steady_clock>(t.rate, t.late), sink);
    sink.look_at(p->observer());
    std::optional<pacer_thread<pacer_type>> runner(std::in_place, *p, thread_options{.how = t.how});
    const thread_report started = runner->start();
    r.promise(started.runs(),
              std::string("its thread did not run: ") + (started.runs() ? "" : started.why));

    bool ended = false;
    std::vector<std::uint64_t> refused(t.producers);
    r.crowd(
        t.producers,
        [&](const stop_asked& stop, unsigned number, dice own) {
            refused[number] = produce(*p, number, t.most_cost, own, stop, book);
        },
        [&] {
            if (!ended) control(*runner, r.random(), log);
            if (ended || !t.end_is_sudden || !r.random().one_in(16)) return;
            finish(*runner, t.end, log);
            ended = true;
        });
    if (!ended) finish(*runner, t.end, log);
    runner.reset();

    const watch& seen = p->observer();
    r.promise(!seen.went_in_a_pause, "an item was emitted in a pause");
    bool agrees = seen.counts.emitted() == book.emitted() && seen.counts.failed() == 0;
    for (const dropped reason : {dropped::expired, dropped::never, dropped::discarded}) {
        agrees = agrees && seen.counts.dropped_for(reason) == book.dropped_for(reason);
    }
    r.promise(agrees, "its statistics differ from what its sink has seen");
    p.reset();
    log.check();
    r.uses(log.uses());
    r.promise(log.problem().empty(), log.problem());
    book.settle();
    r.promise(book.problem().empty(), book.problem());
    if (t.end == 0 && !t.end_is_sudden) {
        r.promise(book.dropped_for(dropped::abandoned) == 0,
                  "it was closed and ended with items that it had accepted");
    }
    std::uint64_t in_vain = 0;
    for (const std::uint64_t times : refused) in_vain += times;
    r.count(book.accepted(), in_vain);
}

}  // namespace weir::soak
