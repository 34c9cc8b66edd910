// SPDX-License-Identifier: MIT
// producer: the end of a lane at which items are put in; who has it holds the lane. It knows the
// pacer's lane_set and which lane is its own, and decides whether an item may go into the lane.
//
// One thread uses it at a time, any one: in debug builds two at once are answered with `misused`.
// It ends before its pacer does.
//
// A push is wait-free and makes no system call unless it has to wake a pacer that sleeps and has
// something to do for it: it has nothing, or waits for what another item need not wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/deadline.hpp>
#include <weir/pacer/estimate.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/lane_set.hpp>
#include <weir/pacer/ticket.hpp>

namespace weir {

// How a push ended, and how things stand after it.
template <class LaneSet>
class [[nodiscard]] push_result {
    using instant = typename LaneSet::instant;
    static constexpr bool can_be_steered = LaneSet::lane_type::can_be_steered;
    using ticket_type = std::conditional_t<can_be_steered, weir::ticket, no_ticket>;

public:
    push_result(pushing how, const LaneSet* all, std::size_t lane, word cost, instant now) noexcept
        : how_(how), all_(all), lane_(lane), cost_(cost), now_(now) {
        if constexpr (can_be_steered) {
            if (how == pushing::pushed) {
                ticket_ = {(*all)[lane].items.newest(), static_cast<std::uint32_t>(lane)};
            }
        }
    }

    [[nodiscard]] explicit operator bool() const noexcept { return how_ == pushing::pushed; }
    [[nodiscard]] pushing how() const noexcept { return how_; }

    // For `cancel`; of no item if it was not pushed.
    [[nodiscard]] weir::ticket ticket() const noexcept requires can_be_steered { return ticket_; }

    // When the item will be emitted, or would be if it was not pushed, as things stand: see
    // `producer::estimate`. Computed when asked, right after the push and by the same thread.
    [[nodiscard]] instant estimate() const noexcept
        requires(!is_of_each_key<typename LaneSet::limit_type>) {
        if (all_ == nullptr) return now_;
        return detail::expected_time(*all_, lane_, how_ == pushing::pushed ? cost_ : 0, now_);
    }

private:
    pushing how_;
    const LaneSet* all_;
    std::size_t lane_;
    word cost_;
    instant now_;
    [[no_unique_address]] ticket_type ticket_{};
};
// The text of how it ended, such as "pushed" or "the lane is full".
template <class LaneSet>
[[nodiscard]] constexpr text to_text(const push_result<LaneSet>& pushed) noexcept {
    return text(describe(pushed.how()));
}

template <class Item, class Limit, class Lanes>
class producer {
    using lane_set_type = lane_set<Item, Limit, Lanes>;
    static constexpr bool can_be_steered = lane_set_type::lane_type::can_be_steered;

public:
    using item_type = Item;
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;
    using deadline = weir::deadline<clock_type>;
    using result_type = push_result<lane_set_type>;

    // Of no lane: everything is refused as `no_lane`.
    producer() noexcept = default;
    // Made by `pacer::open`. Of a lane that `all` has opened for it; null: of a closed pacer.
    producer(lane_set_type* all, std::size_t lane) noexcept : all_(all), lane_(lane) {}
    producer(producer&& other) noexcept
        : all_(std::exchange(other.all_, nullptr)), lane_(other.lane_) {}
    producer& operator=(producer&& other) noexcept {
        if (this != &other) {
            close();
            all_ = std::exchange(other.all_, nullptr);
            lane_ = other.lane_;
        }
        return *this;
    }
    ~producer() { close(); }

    [[nodiscard]] explicit operator bool() const noexcept { return all_ != nullptr; }

    // The item is moved only if it is pushed. It then comes out once: emitted, or dropped with the
    // reason. What costs 0 waits for its turn and not for the limit, but wakes no pacer that sleeps
    // until something else is due.
    //
    // `would_miss_deadline` is certain: the item would not go in time however the pacer is polled
    // and whatever the other lanes do, unless the pacer is resumed before its pause is over or the
    // limit is changed. What is before it in its lane counts if it has no deadline, and nothing
    // with a deadline behind it: that may expire. So an item that is accepted may still expire in
    // its lane. For a guess that counts everything see `estimate`.
    result_type try_push(item_type&& item, unit_count cost = 1, deadline d = {}) noexcept {
        return try_push(std::move(item), cost, d, clock_type::now());
    }
    result_type try_push(item_type&& item, unit_count cost, deadline d, instant now) noexcept {
        return {push(std::move(item), cost, d, now), all_, lane_, cost, now};
    }

    // Of a lane that can be steered (steered_lane.hpp). Both are requests, which the pacer obeys
    // when it reads them: before each turn of the lane, so what is cancelled before the turn of its
    // item does not go. Whatever was accepted comes out once, also then: who cancels learns from
    // the sink whether the item was emitted, or dropped as `cancelled`. Allowed when the pacer is
    // closed. `full`: as many requests as the lane has places came since the last poll, so try
    // again later.
    pushing cancel(ticket which) noexcept requires can_be_steered {
        if (all_ == nullptr) return none_of_mine();
        if (!which || which.lane != lane_) return pushing::no_ticket;
        return rung(*all_, mine().items.try_cancel(which.number));
    }
    // All that was pushed before it and still waits is dropped as `cleared`.
    pushing clear() noexcept requires can_be_steered {
        return all_ == nullptr ? none_of_mine() : rung(*all_, mine().items.try_clear());
    }

    // A guess: when an item pushed now would be emitted if the rate stays, nothing expires and
    // nobody with a higher priority comes. The lane's share of its class and a pause until a time
    // are counted in. A schedule tells enough for a good guess; other limits do not tell how much
    // of a burst is left. Who wants to push nothing that is likely to be late asks before:
    //
    //     if (earlier(by, lane.estimate())) return too_late(order);
    [[nodiscard]] instant estimate() const noexcept requires(!is_of_each_key<Limit>) {
        return estimate(clock_type::now());
    }
    [[nodiscard]] instant estimate(instant now) const noexcept requires(!is_of_each_key<Limit>) {
        return all_ == nullptr ? now : detail::expected_time(*all_, lane_, 0, now);
    }

    // Items that are in the lane, and whether they are as many as its high-water mark.
    [[nodiscard]] std::size_t approx_size() const noexcept {
        return all_ == nullptr ? 0 : mine().items.approx_size();
    }
    [[nodiscard]] bool crowded() const noexcept {
        return all_ != nullptr && mine().items.approx_size() >= mine().high_water;
    }
    // Pushes that were refused as full, since the lane was opened.
    [[nodiscard]] word times_full() const noexcept {
        return all_ == nullptr ? 0 : mine().times_full.load_relaxed();  // relaxed: its own count
    }

    // Which lane of the pacer it is, if it has one.
    [[nodiscard]] std::size_t lane() const noexcept { return lane_; }

    // No more pushes; what is in the lane still goes as if nothing had happened. Alerts the pacer,
    // also if it sleeps until something is due: it gives the lane to others when it has looked.
    void close() noexcept {
        if (all_ != nullptr) std::exchange(all_, nullptr)->leave(lane_);
    }

private:
    [[nodiscard]] pushing none_of_mine() const noexcept {
        return lane_ == lane_set_type::none ? pushing::no_lane : pushing::closed;
    }
    // Wakes a pacer that sleeps, if it was pushed.
    static pushing rung(lane_set_type& all, pushing how) noexcept {
        if (how == pushing::pushed) [[likely]]
            all.bell().ring();
        return how;
    }

    [[nodiscard]] auto& mine() const noexcept { return (*all_)[lane_]; }

    pushing push(Item&& item, word cost, deadline by, instant now) noexcept {
        if (all_ == nullptr) [[unlikely]]
            return none_of_mine();
        lane_set_type& all = *all_;
        auto& mine = all[lane_];
        if (all.closed()) return pushing::closed;
        if (all.outlook_of(mine).never(cost)) return pushing::never;
        if (by.is_set() &&
            (by.missed(now) || by.missed(detail::earliest_time(all, mine, cost, now)))) {
            return pushing::would_miss_deadline;
        }
        return rung(all, mine.try_push(std::move(item), cost, by, now));
    }

    lane_set_type* all_ = nullptr;
    std::size_t lane_ = lane_set_type::none;  // stays when it is closed
};

}  // namespace weir
