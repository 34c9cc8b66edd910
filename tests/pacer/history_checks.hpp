// SPDX-License-Identifier: MIT
// What has to be true of a pacer at each step of a history. Each function looks at what the pacer
// has just done, and at the model; what is wrong it tells the model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <weir/pacer/pacer.hpp>

#include "history_model.hpp"

namespace pacing::checks {

// What was handed over, and that it was its turn in its lane. False if it makes no sense.
template <class Model>
bool handed_over(Model& m, const item& one) {
    m.require(one != nullptr, "handed over nothing");
    if (one == nullptr) return false;
    known& k = m.items[*one];
    m.require(++k.handed == 1, "handed over an item twice");
    known_lane& its = m.lanes[k.lane];
    auto& from = k.withdrawn ? its.withdrawn : its.items;
    const bool first = !from.empty() && from.front() == *one;
    m.require(first, "out of order in its lane");
    if (!first) return false;
    from.pop_front();
    its.since = m.polls;
    m.told.push_back(*one);
    ++m.handed;
    return true;
}

// Before its callback does anything. False if it makes no sense.
template <class Model>
bool emitted(Model& m, std::span<item> some, bool paused) {
    m.require(!m.ending, "emitted by the destructor");
    if (!Model::together) {
        m.require(!paused, "emitted while it was paused");
        m.require(!m.discarding, "emitted what was to be discarded");
    }
    m.require(m.polling, "emitted without a poll");
    ++m.seen.batches;
    for (const item& one : some) {
        if (!handed_over(m, one)) return false;
        const known& k = m.items[*one];
        m.require(!k.by.missed(m.now()), "emitted what had expired");
        m.require(!k.withdrawn, "emitted what was withdrawn");
        m.require(!m.overtakes(k), "went before a class before it");
        const std::size_t own = m.lanes[k.lane].own_limit ? 1 : 0;
        m.units[own] += k.cost;
        if (k.cost != 0) m.times[own].add(m.now().count - m.about.start, k.cost);
        ++m.emitted;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        m.require(m.units[i] == m.limits[i].limit.charged, "was not charged once, or not before");
    }
    return true;
}

template <class Model>
bool dropped(Model& m, const item& one, weir::dropped reason) {
    if (!handed_over(m, one)) return false;
    const known& k = m.items[*one];
    m.lanes[k.lane].dropped_in = m.polls;
    if (k.withdrawn) m.require(reason == *k.withdrawn, "was withdrawn for another reason");
    switch (reason) {
        case weir::dropped::expired: m.require(k.by.missed(m.now()), "was not expired"); break;
        case weir::dropped::never:
            m.require(m.never(k.lane, k.cost), "could have gone one day");
            break;
        case weir::dropped::discarded: m.require(m.discarding, "was not to be discarded"); break;
        case weir::dropped::abandoned: m.require(m.ending, "was abandoned"); break;
        case weir::dropped::cancelled:
        case weir::dropped::cleared:
        case weir::dropped::replaced:
            m.require(k.withdrawn.has_value(), "was not withdrawn");
            break;
        case weir::dropped::no_place:
        case weir::dropped::crowded: m.require(false, "has no keys"); break;
    }
    ++m.dropped[static_cast<std::size_t>(reason)];
    return true;
}

// The item `number` was pushed.
template <class Model, class Result>
void pushed(Model& m, std::size_t number, bool has_lane, const Result& result) {
    using how = weir::pushing;
    known& k = m.items[number];
    known_lane& its = m.lanes[k.lane];
    const std::size_t places = has_lane ? m.capacity() : 0;
    switch (result.how()) {
        case how::pushed:
            m.require(has_lane && !m.closed && !m.ending, "took what was pushed after its end");
            m.queue(number);
            ++its.requests;
            k.accepted = true;
            m.require(its.items.size() + its.withdrawn.size() <= places + m.most_in_a_batch,
                      "more than fit");
            m.require(!weir::earlier(result.estimate(), m.now()),
                      "is expected before it was pushed");
            break;
        case how::full:
            m.require(its.items.size() + its.withdrawn.size() >= places ||
                          (Model::steered && its.requests >= 2 * places),
                      "full, and is not");
            break;
        case how::closed: m.require(!has_lane || m.closed || m.ending, "is not closed"); break;
        case how::never: m.require(m.never(k.lane, k.cost), "refused for ever"); break;
        case how::would_miss_deadline: m.require(k.by.is_set(), "has no deadline to miss"); break;
        case how::no_lane: m.require(!has_lane, "has a lane"); break;
        case how::misused:
        case how::no_ticket: m.require(false, "two at once, or a ticket"); break;
    }
}

template <class Model>
void opened_none(Model& m) {
    for (const known_lane& l : m.lanes) {
        const bool free =
            !l.held && l.items.empty() && l.withdrawn.empty() && l.since + 1 < m.polls;
        m.require(!free || m.closed, "does not give away a lane that was left");
    }
}
template <class Model>
void opened(Model& m, std::size_t lane) {
    m.require(!m.closed, "opened a lane of a closed pacer");
    m.require(m.lanes[lane].items.empty() && m.lanes[lane].withdrawn.empty(),
              "opened a lane that is not empty");
}

// At the tick before the one that it wants to be polled at there was still something refused by
// each limit.
template <class Model>
void not_late(Model& m) {
    const instant before{m.last.at.count - 1};
    if (weir::earlier(before, m.now())) return;
    for (const bool own : {false, true}) {
        bool refused = false;
        bool some = false;
        for (const known_lane& l : m.lanes) {
            if (l.items.empty() || l.own_limit != own) continue;
            const auto d = m.limit_of(own).peek(m.items[l.items.front()].cost, before);
            some = true;
            refused = refused || !d.admitted();
        }
        m.require(refused || !some, "wants to be polled late");
    }
}

// How things stood before a poll.
struct before_poll {
    weir::next_poll<clock> answer;
    bool paused;
    bool alerted;
    std::size_t handed;
    std::size_t emitted;
    weir::word charged;
};

// The poll's answer against what is left.
template <class Model, class Pacer>
void answered(Model& m, const Pacer& pacer) {
    using weir::polled;
    const std::size_t left = m.items_left();
    m.require(pacer.approx_size() == left, "does not know how much is left");
    if (m.last.what == polled::idle) {
        m.require(left == 0 && !m.closed, "idle, and there is more to do");
    }
    if (m.done()) m.require(left == 0 && m.closed, "done, and there is more to do");
    if (m.last.what == polled::paused) m.require(pacer.paused(), "is not paused");
    if (m.discarding) m.require(m.done(), "did not discard all");
    const bool comes_back = m.last.what == polled::due && !weir::earlier(m.now(), m.last.at);
    m.require(comes_back || !m.any_withdrawn(), "did not hand back what was withdrawn");
    if (!pacer.paused() && !m.draining && m.last.what == polled::due) not_late(m);
    if constexpr (Model::scheduled) {
        m.require(m.last.lost <= m.units_left(), "lost more than there is left");
        m.lost += m.last.lost;
        m.require(pacer.approx_lost() == m.lost, "counts otherwise what it loses");
        m.require(m.is_late() || m.lost == 0, "lost a slot, and was never late");
    }
}

// What went in the poll, against what the one before has answered.
template <class Model>
void went_when_due(Model& m, const before_poll& b) {
    using weir::polled;
    const bool went = m.handed != b.handed;
    const bool drops = m.handed - b.handed != m.emitted - b.emitted;  // makes others first
    const bool early = weir::earlier(m.now(), b.answer.at);
    const bool was_due = !b.paused && b.answer.what == polled::due;
    // Nothing has happened since it said when to come back. (What goes on another budget may change
    // whose turn it is on this one.)
    if (m.undisturbed && was_due && !m.about.budgets) {
        m.require(!early || drops || !went, "went before it was due");
        const bool again = m.last.what == polled::due && !weir::earlier(m.now(), m.last.at);
        const bool at_once = !weir::earlier(m.polled_at, b.answer.at);
        m.require(early || at_once || went || m.done(), "nothing went when it was due");
        const bool same = at_once && m.polled_at == m.now();
        m.require(!same || went || !again, "is busy with nothing");
    }
    // And then no push makes anything go earlier, nor a lane that is opened if nobody is alerted.
    // (But on another budget, which then changes whose turn it is where costs differ.)
    const bool asleep = m.slept_through && was_due && !b.alerted && !b.answer.wakes;
    const bool certain = Model::scheduled || !m.about.budgets;
    if (asleep && certain && early) {
        m.require(drops || m.charged() == b.charged, "would have slept while something could go");
    }
}

// When the pacer is gone.
template <class Model>
void ended(Model& m) {
    for (const known& k : m.items) m.require(!k.accepted || k.handed == 1, "lost an item");
    for (const auto& t : m.times) {
        m.require(Model::limits_type::keeps(t), "a window holds too much");
    }
}

// What its observer was told, against what its sink has seen. Before the pacer goes.
template <class Model>
void told_of_all(Model& m) {
    m.require(m.seen.emitted == m.emitted, "told of other emissions");
    m.require(m.seen.told_well + m.seen.told_ill == m.seen.batches, "told of other batches");
    m.require(m.seen.told_well == m.seen.well, "told of other failures");
    for (std::size_t i = 0; i < weir::drop_reasons; ++i) {
        m.require(m.seen.dropped[i] == m.dropped[i], "told of other drops");
    }
}

}  // namespace pacing::checks
