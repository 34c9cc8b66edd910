// SPDX-License-Identifier: MIT
// A subject is one of weir's limits, by key, with what became of the arrivals that it was given.
//
// Cells are the catalogue's, each at its rate and told the virtual time. `queue` is a gcra that
// reserves: a request waits for its place. `pacer` is the schedule that a pacer releases its items
// by, with a lane for each key.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>
#include <weir/pacer/histogram.hpp>

#include "command/sim/arrival.hpp"
#include "command/sim/timeline.hpp"
#include "command/sim/worst_window.hpp"

namespace weir::command {

struct limit_terms {
    quota asked;
    nanoseconds longest_wait;
    bool only_counts = false;  // nothing but how many passed is wanted
    bool is_drawn = false;     // there will be a picture
};

// What became of the arrivals, so far.
struct tally {
    explicit tally(const limit_terms& terms)
        : worst(static_cast<std::uint64_t>(terms.asked.period().count()),
                terms.is_drawn ? worst_window::keeps::levels : worst_window::keeps::nothing) {}

    std::uint64_t admitted = 0;  // requests
    std::uint64_t admitted_units = 0;
    std::uint64_t refused = 0;
    std::uint64_t refused_units = 0;
    std::uint64_t never = 0;          // of those that were refused: they ask for more than a burst
    std::uint64_t without_place = 0;  // neither: there is no memory for a log of their key
    timeline passed;                  // units
    worst_window worst;
    std::vector<std::uint64_t> refused_by_key;

    // Of what waits.
    timeline queue;   // requests
    histogram waits;  // nanoseconds, of those that were admitted
    std::uint64_t longest_queue = 0;
    std::uint64_t last = 0;  // when the last one passed
};

class subject {
public:
    explicit subject(const limit_terms& terms) : terms_(terms), tally_(terms) {}
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    virtual void take(std::span<const arrival> batch) = 0;
    // Nothing more comes; what waits passes.
    virtual void end() {}

    // The pictures begin there, and not with the first arrival.
    void begin_at(std::uint64_t time) {
        tally_.passed.begin_at(time);
        tally_.queue.begin_at(time);
        tally_.worst.begin_at(time);
    }

    [[nodiscard]] const tally& so_far() const noexcept { return tally_; }
    [[nodiscard]] const quota& asked() const noexcept { return terms_.asked; }

protected:
    void pass(const arrival& a, std::uint64_t time) {
        ++tally_.admitted;
        tally_.admitted_units += a.cost;
        if (terms_.only_counts) return;
        tally_.passed.add(time, a.cost);
        if (time > tally_.last) tally_.last = time;
    }
    void refuse(const arrival& a, bool never) {
        ++tally_.refused;
        tally_.refused_units += a.cost;
        tally_.never += never ? 1 : 0;
        if (terms_.only_counts) return;
        if (a.key >= tally_.refused_by_key.size())
            tally_.refused_by_key.resize(std::size_t{a.key} + 1);
        ++tally_.refused_by_key[a.key];
    }

    limit_terms terms_;
    tally tally_;
};

// One line of the list of limits.
struct limit_kind {
    std::string_view name;
    std::string_view character;
    bool waits;
    // Null, and `why` says why, if this kind cannot hold the quota.
    std::unique_ptr<subject> (*make)(const limit_terms& terms, std::string& why);
};

// The catalogue's cells, then those that wait.
[[nodiscard]] std::span<const limit_kind> limit_kinds();
[[nodiscard]] const limit_kind* find_limit(std::string_view name);

}  // namespace weir::command
