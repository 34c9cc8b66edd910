// SPDX-License-Identifier: MIT
#include "delivery.hpp"

#include <algorithm>

namespace weir::soak {

delivery::delivery(std::size_t producers, std::size_t most_each) : producers_(producers) {
    for (producer& p : producers_) {
        p.accepted.resize(most_each);
        p.out.resize(most_each);
    }
}

void delivery::complain(const parcel& p, const char* what) {
    if (!problem_.empty()) return;
    problem_ = "item " + std::to_string(p.number) + " of producer " + std::to_string(p.producer) +
               " " + what;
}

void delivery::come_out(const parcel& p) {
    producer& from = producers_[p.producer];
    if (from.out[p.number]++ != 0) complain(p, "came out twice");
    if (from.next.size() <= p.lane) from.next.resize(p.lane + 1);
    std::uint32_t& next = from.next[p.lane];
    if (p.number < next) complain(p, "came out after one that was behind it in its lane");
    next = std::max(next, p.number + 1);
}

void delivery::emit(const parcel& p, instant<steady_clock> now) {
    come_out(p);
    ++emitted_;
    if (p.by.missed(now)) complain(p, "was emitted after its deadline");
}

void delivery::drop(const parcel& p, dropped reason, instant<steady_clock> now) {
    come_out(p);
    ++dropped_[static_cast<std::size_t>(reason)];
    if (reason == dropped::never) complain(p, "was dropped as one that the rate never lets pass");
    if (reason == dropped::expired && !p.by.missed(now)) complain(p, "expired before its deadline");
}

void delivery::settle() {
    for (std::uint32_t i = 0; i < producers_.size(); ++i) {
        const producer& p = producers_[i];
        for (std::uint32_t number = 0; number < p.accepted.size(); ++number) {
            const parcel it{i, number, 0, 0, {}};
            if (p.accepted[number] > p.out[number]) complain(it, "was accepted and is lost");
            if (p.accepted[number] < p.out[number]) complain(it, "was refused and came out");
        }
    }
}

word delivery::accepted() const {
    word sum = 0;
    for (const producer& p : producers_) {
        sum += static_cast<word>(std::count(p.accepted.begin(), p.accepted.end(), 1));
    }
    return sum;
}

}  // namespace weir::soak
