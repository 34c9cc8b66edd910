// SPDX-License-Identifier: MIT
// Rounds of a pacer whose lanes have priorities and whose items have deadlines, and whose time
// comes round meanwhile: as long as an item waits that was there before a poll, no item of a class
// behind it goes in that poll. Those of a lane come out in order, none is lost, and none goes after
// its deadline. And as of any pacer, in no span more than its rate and its catch-up allow.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/pacer/pacer.hpp>

#include "ledger.hpp"
#include "round.hpp"
#include "turning.hpp"

namespace weir::soak {

struct letter {
    std::uint32_t lane;
    std::uint32_t number;  // from 0 on, of its lane
    word cost;
    deadline<turning_clock<>> by;
};

// What was posted and what was delivered. Each item has the moment of its push in a count that all
// threads share: an item whose moment is not after that of a poll was there before the poll.
class post {
public:
    using clock = turning_clock<>;
    static constexpr std::size_t lanes = 4;
    static constexpr std::uint32_t most_posted = std::uint32_t{1} << 15;  // in each lane

    // Passages go to the log, counted from a time on.
    post(const std::array<unsigned, lanes>& priorities, pace_log& log, word origin);

    // --- of a lane's producer

    // Acquire and release: pairs with `polls`.
    void posted(const letter& l) {
        const auto moment = moments_.fetch_add(1, std::memory_order_acq_rel) + 1;
        boxes_[l.lane].pushed[l.number].store(moment, std::memory_order_release);
        boxes_[l.lane].accepted = l.number + 1;
    }

    // --- of who polls

    // Acquire: pairs with `posted`. What was pushed before is in its lane.
    void polls(instant<clock> now) {
        now_ = now;
        moment_ = moments_.load(std::memory_order_acquire);
    }
    void emit(const letter& l);
    void drop(const letter& l, dropped reason);

    // --- when all threads are done and the pacer is gone

    void settle();
    [[nodiscard]] std::uint64_t emitted() const { return emitted_; }
    // The first that is not as promised; empty if all is.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    struct box {
        unsigned priority = 0;
        std::uint32_t accepted = 0;
        std::uint32_t out = 0;
        std::vector<std::atomic<std::uint64_t>> pushed;
    };

    void come_out(const letter& l);
    void complain(const letter& l, const char* what);

    std::array<box, lanes> boxes_;
    pace_log& log_;
    word origin_;
    std::atomic<std::uint64_t> moments_{0};
    instant<clock> now_{};
    std::uint64_t moment_ = 0;
    std::uint64_t emitted_ = 0;
    std::string problem_;
};

// A test plants a share for the last class.
void soak_priorities_of(round& r, unsigned lowest_gets_one_in);

}  // namespace weir::soak
