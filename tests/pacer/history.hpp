// SPDX-License-Identifier: MIT
// Random histories in virtual time: whatever happens to a pacer, from outside and out of its own
// callbacks, each item that it accepted comes out once, not after its deadline, in the order of its
// lane and not before those of a class before; it is charged once and before it goes, no window
// holds more than its limit allows; and a poll's answer is right: when something can go it does,
// before that nothing does, and who is to wait for a push has nothing left.
//
// This drives the pacer. What is known of it stands in history_model.hpp, and what has to be true
// in history_checks.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/pacer/pacer.hpp>

#include "../oracle/dice.hpp"
#include "../oracle/shrink.hpp"
#include "events.hpp"
#include "history_checks.hpp"
#include "history_model.hpp"
#include "subjects.hpp"

namespace pacing {

template <class Subject>
class world {
    struct watching;
    using model_type = model<Subject>;
    using limit_type = typename model_type::limit_type;
    using lanes = typename Subject::lanes;

public:
    using pacer_type =
        weir::pacer<item, handing_over<world, Subject::at_once>, limit_type&, lanes, watching>;
    using producer_type = typename pacer_type::producer_type;

    world(const opening& o, tally& sum) : sum_(sum), m_(o) {
        pacer_.emplace(m_.limits[0].limit, handing_over<world, Subject::at_once>{this}, o.options);
        pacer_->observer().seen = &m_.seen;
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() { m_.ending = true; }

    // False if something is wrong.
    bool apply(const event& e) {
        ++sum_.events;
        if (e.what == act::poll_when_due) {
            const bool waits =
                m_.last.what == weir::polled::due && weir::earlier(m_.now(), m_.last.at);
            clock::set({(waits ? m_.last.at : m_.now()).count + e.time});
            poll();
        } else if (e.what == act::poll_after) {
            clock::set({m_.now().count + e.time});
            poll();
        } else {
            m_.undisturbed = false;
            const bool costs = !producers_[e.producer % std::size(producers_)] || e.n != 0;
            m_.slept_through = m_.slept_through && e.what == act::push && costs;
            obey(e, &e.then);
        }
        return m_.trouble.empty();
    }
    // Answered, and so the end of the history.
    [[nodiscard]] bool done() const { return m_.done(); }

    bool finish() {
        m_.undisturbed = false;
        const ending last = m_.about.last;
        if (last == ending::close) obey({act::close}, nullptr);
        if (last == ending::drain) obey({act::drain, 0, 0, 100 * interval}, nullptr);
        if (last == ending::discard) obey({act::discard}, nullptr);
        if (last != ending::none) {
            for (int i = 0; i < 5'000 && !done() && m_.trouble.empty(); ++i) {
                if (m_.last.what == weir::polled::paused) obey({act::resume}, nullptr);
                (void)apply({{act::poll_when_due}, {}});
            }
            m_.require(done(), "does not end");
            poll();
            m_.require(done(), "is not done any more");
        }
        for (auto& p : producers_) leave(p);
        m_.ending = true;
        checks::told_of_all(m_);
        pacer_.reset();
        checks::ended(m_);
        ++sum_.histories;
        return m_.trouble.empty();
    }

    [[nodiscard]] std::string status() { return m_.status(); }

    // --- for the sink

    void emit(std::span<item> some) {
        const std::size_t before = m_.emitted;
        const bool sound = checks::emitted(m_, some, pacer_->paused());
        sum_.emitted += m_.emitted - before;
        if (!sound) return;
        for (const item& one : some) act_of(one);
        ++m_.seen.well;
    }
    void drop(const item& one, weir::dropped reason) {
        if (!checks::dropped(m_, one, reason)) return;
        ++sum_.dropped[static_cast<std::size_t>(reason)];
        act_of(one);
    }

private:
    struct watching {
        void on_emit(weir::tick, weir::word, weir::word, weir::word) noexcept { ++seen->emitted; }
        void on_emitted(bool well) noexcept { ++(well ? seen->told_well : seen->told_ill); }
        void on_dropped(weir::dropped reason) noexcept {
            ++seen->dropped[static_cast<std::size_t>(reason)];
        }
        static void on_event(weir::pacer_event) noexcept {}
        static void on_lost(weir::word, bool) noexcept {}
        static void on_polled(weir::tick, auto) noexcept {}
        using during = weir::unmeasured;
        observed* seen = nullptr;
    };

    void act_of(const item& one) {
        const order then = m_.items[*one].then;
        if (then.what == act::nothing) return;
        ++sum_.deeds;
        if (then.what == act::fail) {
            ++sum_.throws;
            throw 1;
        }
        obey(then, nullptr);
    }

    void obey(const order& o, const order* then) {
        auto& producer = producers_[o.producer % std::size(producers_)];
        const instant later = m_.now() + o.time;
        switch (o.what) {
            case act::push:
                if (producer || then == nullptr) {
                    push(producer, o, then);
                } else {
                    open(producer, o);
                }
                break;
            case act::leave: leave(producer); break;
            case act::poll: {
                const weir::next_poll<clock> busy{weir::polled::due, m_.now(), false};
                m_.require(pacer_->poll() == busy, "polled in its own callback");
                break;
            }
            case act::pause: pacer_->pause(); break;
            case act::pause_until: pacer_->pause_until(later); break;
            case act::throttled:
                pacer_->throttled(weir::nanoseconds(static_cast<std::int64_t>(o.time)));
                m_.require(pacer_->paused(), "is not throttled");
                break;
            case act::resume: pacer_->resume(); break;
            case act::set_rate: set_rate(o); break;
            case act::close:
                m_.closed = true;
                pacer_->close();
                break;
            case act::drain:
                m_.closed = m_.draining = true;
                m_.until = later;
                pacer_->drain(later);
                break;
            case act::discard:
                m_.closed = m_.discarding = true;
                pacer_->discard();
                break;
            case act::cancel:
            case act::clear: steer(producer, o); break;
            default: break;
        }
    }
    void open(producer_type& producer, const order& o) {
        const auto face = static_cast<unsigned>(o.n + o.time);
        weir::lane_options<limit_type> options{.priority = face % 3, .weight = face % 4};
        const bool own = m_.about.budgets && lanes::count > 1 && face % 5 < 3;
        if (own) options.budget = &m_.limits[1].limit;
        producer = pacer_->open(options);
        if (!producer) return checks::opened_none(m_);
        checks::opened(m_, producer.lane());
        m_.lanes[producer.lane()] = {{}, {}, 0, options.priority, own, 0, true, 0};
        ++sum_.opened;
    }
    void leave(producer_type& producer) {
        if (!producer) return;
        m_.lanes[producer.lane()].held = false;
        m_.lanes[producer.lane()].since = m_.polls;
        producer.close();
    }
    void push(producer_type& producer, const order& o, const order* then) {
        const auto by =
            o.time == 0 ? weir::deadline<clock>() : weir::deadline(m_.now() + (o.time - 1));
        const std::size_t number = m_.items.size();
        const bool has_lane = static_cast<bool>(producer);
        m_.items.push_back({o.n, by, then == nullptr ? order{} : *then,
                            has_lane ? producer.lane() : 0, m_.polls, m_.polling, false, 0});
        item made = std::make_unique<std::size_t>(number);
        const auto result = producer.try_push(std::move(made), o.n, by);
        if (!result) m_.require(made != nullptr, "took an item that it refused");  // NOLINT
        checks::pushed(m_, number, has_lane, result);
        if constexpr (Subject::steered) m_.items[number].ticket = result.ticket();
        if (result.how() == weir::pushing::full) ++sum_.full;
        if (result.how() == weir::pushing::would_miss_deadline) ++sum_.late;
    }
    void steer(producer_type& producer, const order& o) {
        if constexpr (Subject::steered) {
            if (!producer) return;
            const std::size_t lane = producer.lane();
            const bool by_request = o.time == 0;
            if (o.what == act::clear) {
                if (by_request) {
                    if (!sent(lane, producer.clear())) return;
                } else {
                    pacer_->clear(lane);
                }
                m_.clear(lane);
            } else {
                if (m_.items.size() <= o.n) return;
                const std::size_t number = m_.items.size() - 1 - static_cast<std::size_t>(o.n);
                const known& k = m_.items[number];
                if (!k.accepted) return;
                if (by_request) {
                    const auto how = producer.cancel(k.ticket);
                    m_.require((how == weir::pushing::no_ticket) == (k.lane != lane),
                               "mistook a ticket");
                    if (k.lane != lane || !sent(lane, how)) return;
                } else {
                    const auto& waits = m_.lanes[k.lane].items;
                    const bool waited =
                        std::find(waits.begin(), waits.end(), number) != waits.end();
                    m_.require(pacer_->cancel(k.ticket) == waited, "cancelled what has gone");
                }
                m_.withdraw(number, weir::dropped::cancelled);
            }
            ++sum_.steered;
        }
    }
    [[nodiscard]] bool sent(std::size_t lane, weir::pushing how) {
        if (how == weir::pushing::full) {
            m_.require(m_.lanes[lane].requests >= m_.capacity(), "refused a request");
            return false;
        }
        m_.require(how == weir::pushing::pushed, "refused a request for no reason");
        ++m_.lanes[lane].requests;
        return true;
    }
    void set_rate(const order& o) {
        if constexpr (requires(const weir::quota& q) { pacer_->set_rate(q); }) {
            const weir::word rate = o.n < 255 ? 1 + o.n * o.n / 7 : highest_rate;
            const weir::word burst = 1 + o.time % static_cast<weir::word>(highest_burst);
            const weir::quota q(static_cast<std::int64_t>(rate), weir::seconds(1),
                                static_cast<std::int64_t>(burst));
            const bool slower = q.units() < pacer_->limit().quota().units();
            const auto reason = pacer_->set_rate(q);
            m_.require(reason == decltype(reason)::none, "refused a rate");
            // It may be due earlier than it has said. Or it catches up fewer slots in its time.
            m_.was_late = m_.was_late || !m_.polling || slower;
        }
    }

    void poll() {
        ++m_.polls;
        for (known_lane& l : m_.lanes) l.requests = 0;
        const checks::before_poll before{
            m_.last,   pacer_->paused(), pacer_->sleeper().was_alerted(),
            m_.handed, m_.emitted,       m_.charged()};
        m_.discarding = m_.discarding || (m_.draining && !weir::earlier(m_.now(), m_.until));
        m_.polling = true;
        m_.last = pacer_->poll();
        m_.polling = false;
        checks::answered(m_, *pacer_);
        checks::went_when_due(m_, before);
        m_.undisturbed = m_.slept_through = true;
        m_.polled_at = m_.now();
    }

    tally& sum_;
    model_type m_;
    std::optional<pacer_type> pacer_;
    producer_type producers_[lanes::count + 1];
};

template <class Subject>
[[nodiscard]] bool fails(const opening& o, const std::vector<event>& events) {
    tally unused;
    const auto w = std::make_unique<world<Subject>>(o, unused);
    for (const event& e : events) {
        if (!w->apply(e)) return true;
    }
    return !w->finish();
}

template <class Subject>
[[nodiscard]] std::string story(const opening& o, const std::vector<event>& events) {
    std::string text = "lowest_gets_one_in " + std::to_string(o.options.lowest_gets_one_in) +
                       ", most_drops " + std::to_string(o.options.most_drops) + ", most_failures " +
                       std::to_string(o.options.most_failures) + ", budgets " +
                       std::to_string(o.budgets ? 1 : 0) + ", ending " +
                       std::to_string(static_cast<int>(o.last)) + "\n";
    tally unused;
    const auto w = std::make_unique<world<Subject>>(o, unused);
    for (const event& e : events) {
        const bool well = w->apply(e);
        text += text_of(e) + (e.then.what == act::nothing ? "" : ", then " + text_of(e.then)) +
                w->status() + "\n";
        if (!well) return text;
    }
    (void)w->finish();
    return text + "the end" + w->status() + "\n";
}

// Nothing, or how a pacer broke its word.
template <class Subject>
[[nodiscard]] std::optional<std::string> disagreement(oracle::dice chaos, tally& sum) {
    const opening start = any_opening(chaos);
    const std::uint64_t length = 50 + chaos.roll(4'000);
    std::vector<event> events;
    bool well = true;
    {
        const auto w = std::make_unique<world<Subject>>(start, sum);
        while (well && events.size() < length && !w->done() && !chaos.over()) {
            events.push_back(any_event(chaos, Subject::steered));
            well = w->apply(events.back());
        }
        well = well && w->finish();
    }
    if (well) return std::nullopt;
    return story<Subject>(start, oracle::shrunk(std::move(events), [&](const auto& some) {
                              return fails<Subject>(start, some);
                          }));
}

}  // namespace pacing
