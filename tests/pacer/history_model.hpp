// SPDX-License-Identifier: MIT
// What is known of a pacer in a random history: its limits, the items that it accepted, what must
// be in each lane, and what it has been told. It is kept up with what happens and checks nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/pacer/pacer.hpp>

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
    std::uint64_t steered = 0;  // cancels and clears that were obeyed
    std::uint64_t late = 0;     // pushes that would have missed their deadline
};

// An item that was pushed, accepted or not.
struct known {
    weir::word cost;
    weir::deadline<clock> by;
    order then;
    std::size_t lane;
    std::size_t pushed_in;  // which poll, or after which
    bool in_callback;
    bool accepted;
    int handed;
    weir::ticket ticket{};
    std::optional<weir::dropped> withdrawn{};
};

struct known_lane {
    std::deque<std::size_t> items;      // that must be in it
    std::deque<std::size_t> withdrawn;  // and what must be handed back
    std::size_t requests = 0;           // since the last poll
    unsigned priority = 0;
    bool own_limit = false;
    std::size_t dropped_in = 0;
    bool held = false;
    std::size_t since = 0;  // which poll it was left or empty
};

// What the pacer's observer was told, and what its sink has seen.
struct observed {
    std::size_t emitted = 0;
    std::size_t told_well = 0;
    std::size_t told_ill = 0;
    std::size_t dropped[weir::drop_reasons] = {};
    std::size_t batches = 0;
    std::size_t well = 0;
};

template <class Subject>
struct model {
    using limits_type = typename Subject::limits;
    using limit_type = typename limits_type::limit_type;
    using lanes_type = typename Subject::lanes;
    using next_poll = weir::next_poll<clock>;
    static constexpr std::size_t most_in_a_batch = Subject::at_once;
    static constexpr bool steered = Subject::steered;
    static constexpr bool together = most_in_a_batch != 0;
    static constexpr bool scheduled = requires(limit_type l) { l.next(); };

    explicit model(const opening& o) : about(o) {}

    [[nodiscard]] static instant now() { return clock::now(); }
    [[nodiscard]] std::string text_of(instant time) const {
        return std::to_string(static_cast<std::int64_t>(time.count - about.start));
    }

    // The first breach is what the history is about.
    void require(bool kept, const char* otherwise) {
        if (!kept && trouble.empty()) trouble = otherwise;
    }

    [[nodiscard]] bool done() const { return last.what == weir::polled::done; }

    [[nodiscard]] auto& limit_of(bool own) { return limits[own ? 1 : 0].limit; }
    [[nodiscard]] bool never(std::size_t lane, weir::word cost) {
        return limit_of(lanes[lane].own_limit).peek(cost, now()).verdict() == weir::verdict::never;
    }
    [[nodiscard]] weir::word charged() const {
        return limits[0].limit.charged + limits[1].limit.charged;
    }
    [[nodiscard]] std::size_t capacity() const {
        return lanes_type::capacity == 0 ? about.options.capacity : lanes_type::capacity;
    }
    [[nodiscard]] std::size_t items_left() const {
        std::size_t left = 0;
        for (const known_lane& l : lanes) left += l.items.size() + l.withdrawn.size();
        return left;
    }
    [[nodiscard]] bool any_withdrawn() const {
        for (const known_lane& l : lanes) {
            if (!l.withdrawn.empty()) return true;
        }
        return false;
    }

    // Requests are obeyed before anything else goes, so that the model need not know when.
    void withdraw(std::size_t number, weir::dropped reason) {
        known& k = items[number];
        known_lane& its = lanes[k.lane];
        const auto at = std::find(its.items.begin(), its.items.end(), number);
        if (at == its.items.end()) return;
        its.items.erase(at);
        its.withdrawn.push_back(number);
        k.withdrawn = reason;
    }
    void clear(std::size_t lane) {
        while (!lanes[lane].items.empty())
            withdraw(lanes[lane].items.front(), weir::dropped::cleared);
    }
    // In place of a queued one of the same key, or behind all.
    void queue(std::size_t number) {
        known_lane& its = lanes[items[number].lane];
        for (std::size_t& other : its.items) {
            if (!Subject::has_keys || key_of(other) != key_of(number)) continue;
            items[other].withdrawn = weir::dropped::replaced;
            its.withdrawn.push_back(std::exchange(other, number));
            return;
        }
        its.items.push_back(number);
    }
    [[nodiscard]] weir::word units_left() const {
        weir::word left = 0;
        for (const known_lane& l : lanes) {
            for (const std::size_t i : l.items) left += items[i].cost;
        }
        return left;
    }

    // Does it go before what is in a class before it? Strictly, but for what came during the poll,
    // and for lanes that drop so many at a time.
    [[nodiscard]] bool overtakes(const known& k) const {
        if (about.options.lowest_gets_one_in != 0) return false;
        const known_lane& mine = lanes[k.lane];
        for (const known_lane& l : lanes) {
            if (l.items.empty() || l.own_limit != mine.own_limit || l.priority >= mine.priority)
                continue;
            const known& other = items[l.items.front()];
            const bool there = other.pushed_in < polls && l.dropped_in < polls;
            if (there) return true;
        }
        return false;
    }

    // Limits catch up so much; after a late poll parts of a slot may be lost. Several polls may be
    // late together: each drops what has expired, and nothing goes until the last.
    [[nodiscard]] bool is_late() {
        using weir::polled;
        const instant enough = owed_since.at + 3 * interval;
        was_late = was_late || (owed_since.what == polled::due && weir::earlier(enough, now()));
        const bool owes = last.what == polled::due && !weir::earlier(now(), last.at);
        if (!owes || owed_since.what != polled::due) owed_since = last;
        return was_late;
    }

    // What was handed over since it was asked last, and how things stand.
    [[nodiscard]] std::string status() {
        std::string text;
        for (const std::size_t i : told) {
            const known& k = items[i];
            const known_lane& l = lanes[k.lane];
            text += "\n    item " + std::to_string(i) + " of lane " + std::to_string(k.lane) +
                    ", class " + std::to_string(l.priority) + (l.own_limit ? ", own limit" : "") +
                    ", cost " + std::to_string(k.cost);
        }
        told.clear();
        text += " at " + text_of(now()) + ": " + std::to_string(emitted) + " emitted, " +
                std::to_string(handed - emitted) + " dropped, " + describe(last.what);
        if (last.what == weir::polled::due) text += " at " + text_of(last.at);
        return trouble.empty() ? text : text + ": " + trouble;
    }

    // Before the limits, which begin with their clock.
    struct beginning {
        explicit beginning(instant start) { clock::set(start); }
    };

    opening about;
    beginning begins{instant{about.start}};
    limits_type limits[2];
    std::vector<known> items;
    std::vector<std::size_t> told;
    known_lane lanes[lanes_type::count];
    recorded times[2];  // of each limit
    weir::word units[2] = {};
    observed seen;
    std::size_t emitted = 0;
    std::size_t dropped[weir::drop_reasons] = {};
    std::size_t handed = 0;
    std::size_t polls = 1;
    weir::word lost = 0;
    bool was_late = false;
    next_poll last{weir::polled::idle, instant(), true};
    next_poll owed_since{last};  // what was answered when nothing was owed
    instant polled_at{};
    instant until{};
    bool undisturbed = false;    // nothing but polls since the last one
    bool slept_through = false;  // nor any but pushes and openings
    bool polling = false;
    bool closed = false;
    bool draining = false;
    bool discarding = false;
    bool ending = false;
    std::string trouble;
};

}  // namespace pacing
