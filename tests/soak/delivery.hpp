// SPDX-License-Identifier: MIT
// What went into a pacer and what came out of it: each item that was accepted once, those of a lane
// in their order, none after its deadline, and none dropped without the reason that is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/deadline.hpp>
#include <weir/pacer/terms.hpp>

namespace weir::soak {

struct parcel {
    std::uint32_t producer;
    std::uint32_t number;  // from 0 on, by its producer
    std::uint32_t lane;    // from 0 on, of those that this producer has opened
    word cost;
    deadline<steady_clock> by;
};

class delivery {
public:
    delivery(std::size_t producers, std::size_t most_each);

    // By its producer: it was told that its item was pushed.
    void accept(const parcel& p) { producers_[p.producer].accepted[p.number] = 1; }

    // By whoever polls, at the time of the poll.
    void emit(const parcel& p, instant<steady_clock> now);
    // At a time that is no earlier.
    void drop(const parcel& p, dropped reason, instant<steady_clock> now);

    // All threads are done and the pacer is gone: is anything missing?
    void settle();

    [[nodiscard]] word accepted() const;
    [[nodiscard]] word emitted() const { return emitted_; }
    [[nodiscard]] word dropped_for(dropped reason) const {
        return dropped_[static_cast<std::size_t>(reason)];
    }

    // The first that is not as promised; empty if all is.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    struct producer {
        std::vector<std::uint8_t> accepted;
        std::vector<std::uint8_t> out;
        std::vector<std::uint32_t> next;  // of each lane: what may come out of it
    };

    void come_out(const parcel& p);
    void complain(const parcel& p, const char* what);

    std::vector<producer> producers_;
    word emitted_ = 0;
    word dropped_[drop_reasons] = {};
    std::string problem_;
};

}  // namespace weir::soak
