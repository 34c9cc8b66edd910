// Random histories in virtual time: whatever happens to a pacer, from outside and out of its own
// callbacks, each item that it accepted comes out once, not after its deadline, in the order of its
// lane and not before those of a class before; it is charged once and before it goes, no window
// holds more than its limit allows; and a poll's answer is right: when something can go it does,
// before that nothing does, and who is to wait for a push has nothing left.
//
// It is long because it is one thing: what has to be true of a pacer at each of its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "recorded.hpp"
#include "subjects.hpp"

namespace pacing {

struct tally {
    std::uint64_t histories = 0;
    std::uint64_t events = 0;
    std::uint64_t emitted = 0;
    std::uint64_t dropped[weir::drop_reasons] = {};
    std::uint64_t deeds = 0;  // of callbacks
    std::uint64_t throws = 0;
    std::uint64_t opened = 0;
    std::uint64_t full = 0;
    std::uint64_t late = 0;  // pushes that would have missed their deadline
};

template <class Subject>
class world {
    struct watching;
    using limits = typename Subject::limits;
    using limit_type = typename limits::limit_type;
    using lanes = typename Subject::lanes;
    static constexpr bool together = Subject::at_once != 0;
    static constexpr bool scheduled = requires(limit_type l) { l.next(); };

public:
    using pacer_type =
        weir::pacer<item, handing_over<world, Subject::at_once>, limit_type&, lanes, watching>;

    world(const opening& o, tally& sum) : about_(o), sum_(sum) {
        pacer_.emplace(limits_[0].limit, handing_over<world, Subject::at_once>{this}, o.options);
        pacer_->observer().to = this;
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() { ending_ = true; }

    // False if something is wrong.
    bool apply(const event& e) {
        ++sum_.events;
        if (e.what == act::poll_when_due) {
            const bool waits = last_.what == why::due && weir::earlier(now(), last_.at);
            clock::set({(waits ? last_.at : now()).count + e.time});
            poll();
        } else if (e.what == act::poll_after) {
            clock::set({now().count + e.time});
            poll();
        } else {
            undisturbed_ = false;
            const bool costs = !producers_[e.producer % std::size(producers_)] || e.n != 0;
            slept_through_ = slept_through_ && e.what == act::push && costs;
            obey(e, &e.then);
        }
        return trouble_.empty();
    }
    // Answered, and so the end of the history.
    [[nodiscard]] bool done() const { return last_.what == why::done; }

    bool finish() {
        undisturbed_ = false;
        if (about_.last == ending::close) obey({act::close}, nullptr);
        if (about_.last == ending::drain) obey({act::drain, 0, 0, 100 * interval}, nullptr);
        if (about_.last == ending::discard) obey({act::discard}, nullptr);
        if (about_.last != ending::none) {
            for (int i = 0; i < 5'000 && !done() && trouble_.empty(); ++i) {
                if (last_.what == why::paused) obey({act::resume}, nullptr);
                (void)apply({{act::poll_when_due}, {}});
            }
            require(done(), "does not end");
            poll();
            require(done(), "is not done any more");
        }
        for (auto& p : producers_) leave(p);
        ending_ = true;
        check_counts();
        pacer_.reset();
        for (const known& k : items_) require(!k.accepted || k.handed == 1, "lost an item");
        for (const auto& t : times_) require(limits::keeps(t), "a window holds too much");
        ++sum_.histories;
        return trouble_.empty();
    }

    [[nodiscard]] const std::string& trouble() const { return trouble_; }
    // What was handed over since it was asked last, and how things stand.
    [[nodiscard]] std::string status() {
        static constexpr const char* answers[] = {"due", "idle", "paused", "done"};
        std::string text;
        for (const std::size_t i : told_) {
            const known& k = items_[i];
            const seat& s = seats_[k.lane];
            text += "\n    item " + std::to_string(i) + " of lane " + std::to_string(k.lane) +
                    ", class " + std::to_string(s.priority) + (s.own_limit ? ", own limit" : "") +
                    ", cost " + std::to_string(k.cost);
        }
        told_.clear();
        text += " at " + text_of(now()) + ": " + std::to_string(emitted_) + " emitted, " +
                std::to_string(handed_ - emitted_) + " dropped, " +
                answers[static_cast<std::size_t>(last_.what)];
        if (last_.what == why::due) text += " at " + text_of(last_.at);
        return trouble_.empty() ? text : text + ": " + trouble_;
    }

    // --- for the sink

    void emit(std::span<item> some) {
        require(!ending_, "emitted by the destructor");
        if (!together) {
            require(!pacer_->paused(), "emitted while it was paused");
            require(!discarding_, "emitted what was to be discarded");
        }
        require(polling_, "emitted without a poll");
        ++seen_.batches;
        for (const item& one : some) {
            if (!account(one)) return;
            const known& k = items_[*one];
            require(!k.by.missed(now()), "emitted what had expired");
            require(!overtakes(k), "went before a class before it");
            const std::size_t own = seats_[k.lane].own_limit ? 1 : 0;
            units_[own] += k.cost;
            if (k.cost != 0) times_[own].add(now().count - about_.start, k.cost);
            ++emitted_;
            ++sum_.emitted;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            require(units_[i] == limits_[i].limit.charged, "was not charged once, or not before");
        }
        for (const item& one : some) act_of(one);
        ++seen_.well;
    }
    void drop(const item& one, weir::dropped reason) {
        if (!account(one)) return;
        const known& k = items_[*one];
        seats_[k.lane].dropped_in = polls_;
        switch (reason) {
            case weir::dropped::expired: require(k.by.missed(now()), "was not expired"); break;
            case weir::dropped::never:
                require(never(k.lane, k.cost), "could have gone one day");
                break;
            case weir::dropped::discarded: require(discarding_, "was not to be discarded"); break;
            case weir::dropped::abandoned: require(ending_, "was abandoned"); break;
        }
        ++dropped_[static_cast<std::size_t>(reason)];
        ++sum_.dropped[static_cast<std::size_t>(reason)];
        act_of(one);
    }

private:
    using why = weir::polled;

    struct watching : weir::unwatched {
        void on_emit(weir::tick, weir::word, weir::word, weir::word) noexcept {
            ++to->seen_.emitted;
        }
        void on_emitted(bool well) noexcept { ++(well ? to->seen_.told_well : to->seen_.told_ill); }
        void on_dropped(weir::dropped reason) noexcept {
            ++to->seen_.dropped[static_cast<std::size_t>(reason)];
        }
        world* to = nullptr;
    };
    struct observed {
        std::size_t emitted = 0;
        std::size_t told_well = 0;
        std::size_t told_ill = 0;
        std::size_t dropped[weir::drop_reasons] = {};
        std::size_t batches = 0;
        std::size_t well = 0;
    };
    struct known {
        weir::word cost;
        weir::deadline<clock> by;
        order then;
        std::size_t lane;
        std::size_t pushed_in;  // which poll, or after which
        bool in_callback;
        bool accepted;
        int handed;
    };
    struct seat {
        std::deque<std::size_t> items;  // that must be in the lane
        unsigned priority = 0;
        bool own_limit = false;
        std::size_t dropped_in = 0;
        bool held = false;
        std::size_t since = 0;  // which poll it was left or empty
    };

    [[nodiscard]] static instant now() { return clock::now(); }
    [[nodiscard]] std::string text_of(instant at) const {
        return std::to_string(static_cast<std::int64_t>(at.count - about_.start));
    }
    void require(bool kept, const char* otherwise) {
        if (!kept && trouble_.empty()) trouble_ = otherwise;
    }

    // What it is and that it was its turn in its lane.
    bool account(const item& one) {
        require(one != nullptr, "handed over nothing");
        if (one == nullptr) return false;
        known& k = items_[*one];
        require(++k.handed == 1, "handed over an item twice");
        std::deque<std::size_t>& all = seats_[k.lane].items;
        const bool first = !all.empty() && all.front() == *one;
        require(first, "out of order in its lane");
        if (!first) return false;
        all.pop_front();
        seats_[k.lane].since = polls_;
        told_.push_back(*one);
        ++handed_;
        return true;
    }
    // Strictly, but for what came during the poll, and for lanes that drop so many at a time.
    [[nodiscard]] bool overtakes(const known& k) const {
        if (about_.options.lowest_gets_one_in != 0) return false;
        const seat& mine = seats_[k.lane];
        for (const seat& s : seats_) {
            if (s.items.empty() || s.own_limit != mine.own_limit || s.priority >= mine.priority)
                continue;
            const known& other = items_[s.items.front()];
            const bool there = other.pushed_in < polls_ && s.dropped_in < polls_;
            if (there) return true;
        }
        return false;
    }
    [[nodiscard]] bool never(std::size_t lane, weir::word cost) {
        const auto& limit = limits_[seats_[lane].own_limit ? 1 : 0].limit;
        return limit.peek(cost, now()).verdict() == weir::verdict::never;
    }

    void act_of(const item& one) {
        const order then = items_[*one].then;
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
        const instant later = now() + o.time;
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
                const weir::next_poll<clock> busy{why::due, now(), false};
                require(pacer_->poll() == busy, "polled in its own callback");
                break;
            }
            case act::pause: pacer_->pause(); break;
            case act::pause_until: pacer_->pause_until(later); break;
            case act::throttled:
                pacer_->throttled(weir::nanoseconds(static_cast<std::int64_t>(o.time)));
                require(pacer_->paused(), "is not throttled");
                break;
            case act::resume: pacer_->resume(); break;
            case act::set_rate: set_rate(o); break;
            case act::close:
                closed_ = true;
                pacer_->close();
                break;
            case act::drain:
                closed_ = draining_ = true;
                until_ = later;
                pacer_->drain(later);
                break;
            case act::discard:
                closed_ = discarding_ = true;
                pacer_->discard();
                break;
            default: break;
        }
    }
    void open(typename pacer_type::producer_type& producer, const order& o) {
        const auto face = static_cast<unsigned>(o.n + o.time);
        weir::lane_options<limit_type> options{.priority = face % 3, .weight = face % 4};
        const bool own = about_.budgets && lanes::count > 1 && face % 5 < 3;
        if (own) options.budget = &limits_[1].limit;
        producer = pacer_->open(options);
        if (!producer) {
            for (const seat& other : seats_) {
                const bool free = !other.held && other.items.empty() && other.since + 1 < polls_;
                require(!free || closed_, "does not give away a lane that was left");
            }
            return;
        }
        require(!closed_, "opened a lane of a closed pacer");
        seat& s = seats_[producer.lane()];
        require(s.items.empty(), "opened a lane that is not empty");
        s = {{}, options.priority, own, 0, true, 0};
        ++sum_.opened;
    }
    void leave(typename pacer_type::producer_type& producer) {
        if (!producer) return;
        seats_[producer.lane()].held = false;
        seats_[producer.lane()].since = polls_;
        producer.close();
    }
    void push(typename pacer_type::producer_type& producer, const order& o, const order* then) {
        const auto by =
            o.time == 0 ? weir::deadline<clock>() : weir::deadline(now() + (o.time - 1));
        const std::size_t number = items_.size();
        const bool has_lane = static_cast<bool>(producer);
        const std::size_t lane = has_lane ? producer.lane() : 0;
        items_.push_back(
            {o.n, by, then == nullptr ? order{} : *then, lane, polls_, polling_, false, 0});
        item made = std::make_unique<std::size_t>(number);
        const auto result = producer.try_push(std::move(made), o.n, by);
        using how = weir::pushing;
        if (!result) require(made != nullptr, "took an item that it refused");  // NOLINT
        seat& s = seats_[lane];
        const std::size_t places = has_lane ? capacity() : 0;
        switch (result.how()) {
            case how::pushed:
                require(has_lane && !closed_ && !ending_, "took what was pushed after its end");
                s.items.push_back(number);
                items_[number].accepted = true;
                require(s.items.size() <= places + Subject::at_once, "more than fit");
                require(!weir::earlier(result.estimate(), now()),
                        "is expected before it was pushed");
                break;
            case how::full:
                ++sum_.full;
                require(s.items.size() >= places, "full, and is not");
                break;
            case how::closed: require(!has_lane || closed_ || ending_, "is not closed"); break;
            case how::never: require(never(lane, o.n), "refused for ever"); break;
            case how::would_miss_deadline:
                ++sum_.late;
                require(by.is_set(), "has no deadline to miss");
                break;
            case how::no_lane: require(!has_lane, "has a lane"); break;
            case how::misused: require(false, "two at once"); break;
        }
    }
    [[nodiscard]] std::size_t capacity() const {
        return lanes::capacity == 0 ? about_.options.capacity : lanes::capacity;
    }
    void set_rate(const order& o) {
        if constexpr (requires(const weir::quota& q) { pacer_->set_rate(q); }) {
            const weir::word rate = o.n < 255 ? 1 + o.n * o.n / 7 : highest_rate;
            const weir::word burst = 1 + o.time % static_cast<weir::word>(highest_burst);
            const weir::quota q(static_cast<std::int64_t>(rate), weir::seconds(1),
                                static_cast<std::int64_t>(burst));
            const bool slower = q.units() < pacer_->limit().quota().units();
            const auto reason = pacer_->set_rate(q);  // an error of the limit's own
            require(reason == decltype(reason)::none, "refused a rate");
            // It may be due earlier than it has said. Or it catches up fewer slots in its time.
            was_late_ = was_late_ || !polling_ || slower;
        }
    }

    void poll() {
        ++polls_;
        const weir::next_poll<clock> before = last_;
        const bool paused = pacer_->paused();
        const std::size_t handed = handed_;
        const std::size_t emitted = emitted_;
        const weir::word paid = charged();
        const bool called = pacer_->sleeper().was_called();
        discarding_ = discarding_ || (draining_ && !weir::earlier(now(), until_));
        polling_ = true;
        last_ = pacer_->poll();
        polling_ = false;
        const bool drops = handed_ - handed != emitted_ - emitted;  // makes others first

        std::size_t left = 0;
        for (const seat& s : seats_) left += s.items.size();
        require(pacer_->approx_size() == left, "does not know how much is left");
        if (last_.what == why::idle)
            require(left == 0 && !closed_, "idle, and there is more to do");
        if (last_.what == why::done) require(left == 0 && closed_, "done, and there is more to do");
        if (last_.what == why::paused) require(pacer_->paused(), "is not paused");
        if (discarding_) require(done(), "did not discard all");
        if (!pacer_->paused() && !draining_ && last_.what == why::due) check_not_late();
        // Nothing has happened since it said when to come back. (What goes on another budget may
        // change whose turn it is on this one.)
        if (undisturbed_ && !paused && !about_.budgets && before.what == why::due) {
            const bool early = weir::earlier(now(), before.at);
            const bool went = handed_ != handed;
            require(!early || drops || !went, "went before it was due");
            const bool again = last_.what == why::due && !weir::earlier(now(), last_.at);
            const bool at_once = !weir::earlier(polled_at_, before.at);
            require(early || at_once || went || done(), "nothing went when it was due");
            const bool same = at_once && polled_at_ == now();
            require(!same || went || !again, "is busy with nothing");
        }
        // And then no push makes anything go earlier, nor a lane that is opened if nobody is
        // called.
        const bool asleep =
            slept_through_ && !called && !paused && before.what == why::due && !before.wakes;
        // (But on another budget, which then changes whose turn it is where costs differ.)
        const bool certain = scheduled || !about_.budgets;
        if (asleep && certain && weir::earlier(now(), before.at)) {
            require(drops || charged() == paid, "would have slept while something could go");
        }
        if constexpr (scheduled) {
            weir::word units = 0;
            for (const seat& s : seats_) {
                for (const std::size_t i : s.items) units += items_[i].cost;
            }
            require(last_.lost <= units, "lost more than there is left");
            lost_ += last_.lost;
            require(pacer_->approx_lost() == lost_, "counts otherwise what it loses");
            require(was_late() || lost_ == 0, "lost a slot, and was never late");
        }
        undisturbed_ = slept_through_ = true;
        polled_at_ = now();
    }

    // Limits catch up so much; after a late poll parts of a slot may be lost. Several polls may be
    // late together: each drops what has expired, and nothing goes until the last.
    [[nodiscard]] bool was_late() {
        const instant enough = owed_since_.at + 3 * interval;
        was_late_ = was_late_ || (owed_since_.what == why::due && weir::earlier(enough, now()));
        const bool owes = last_.what == why::due && !weir::earlier(now(), last_.at);
        if (!owes || owed_since_.what != why::due) owed_since_ = last_;
        return was_late_;
    }

    [[nodiscard]] weir::word charged() const {
        return limits_[0].limit.charged + limits_[1].limit.charged;
    }

    // At the tick before the one that it wants to be polled at there was still something refused by
    // each limit.
    void check_not_late() {
        const instant before{last_.at.count - 1};
        if (weir::earlier(before, now())) return;
        for (const bool own : {false, true}) {
            bool refused = false;
            bool some = false;
            for (const seat& s : seats_) {
                if (s.items.empty() || s.own_limit != own) continue;
                const auto d =
                    limits_[own ? 1 : 0].limit.peek(items_[s.items.front()].cost, before);
                some = true;
                refused = refused || !d.admitted();
            }
            require(refused || !some, "wants to be polled late");
        }
    }
    void check_counts() {
        require(seen_.emitted == emitted_, "told of other emissions");
        require(seen_.told_well + seen_.told_ill == seen_.batches, "told of other batches");
        require(seen_.told_well == seen_.well, "told of other failures");
        for (std::size_t i = 0; i < weir::drop_reasons; ++i) {
            require(seen_.dropped[i] == dropped_[i], "told of other drops");
        }
    }

    // Before the limits, which begin with their clock.
    struct beginning {
        explicit beginning(instant start) { clock::set(start); }
    };

    opening about_;
    tally& sum_;
    beginning begins_{instant{about_.start}};
    limits limits_[2];
    std::vector<known> items_;
    std::vector<std::size_t> told_;
    seat seats_[lanes::count];
    recorded times_[2];  // of each limit
    weir::word units_[2] = {};
    observed seen_;
    std::size_t emitted_ = 0;
    std::size_t dropped_[weir::drop_reasons] = {};
    std::size_t handed_ = 0;
    std::size_t polls_ = 1;
    weir::word lost_ = 0;
    bool was_late_ = false;
    weir::next_poll<clock> last_{why::idle, instant(), true};
    weir::next_poll<clock> owed_since_{why::idle, instant(),
                                       true};  // what was answered when nothing was owed
    instant polled_at_{};
    instant until_{};
    bool undisturbed_ = false;    // nothing but polls since the last one
    bool slept_through_ = false;  // nor any but pushes and openings
    bool polling_ = false;
    bool closed_ = false;
    bool draining_ = false;
    bool discarding_ = false;
    bool ending_ = false;
    std::string trouble_;
    std::optional<pacer_type> pacer_;
    typename pacer_type::producer_type producers_[lanes::count + 1];
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
            events.push_back(any_event(chaos));
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
