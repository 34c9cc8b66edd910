// producer: the end of a lane at which items are put in; who has it holds the lane. One thread uses
// it at a time, any one: in debug builds two at once are answered with `misused`. It ends before
// its pacer does.
//
// A push is wait-free and makes no system call unless it has to wake a pacer that sleeps and has
// something to do for it: it has nothing, or waits for what another item need not wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

template <class Pacer>
class producer;

// How a push ended, and how things stand after it.
template <class Pacer>
class [[nodiscard]] push_result {
    using instant = weir::instant<typename Pacer::clock_type>;

public:
    push_result(pushing how, const producer<Pacer>& from, word cost, instant now) noexcept
        : how_(how), from_(&from), cost_(cost), now_(now) {}

    [[nodiscard]] explicit operator bool() const noexcept { return how_ == pushing::pushed; }
    [[nodiscard]] pushing how() const noexcept { return how_; }

    // When the item will be emitted, or would be if it was not pushed, as things stand: see
    // `producer::estimate`. Computed when asked, right after the push and by the same thread.
    [[nodiscard]] instant estimate() const noexcept {
        return from_->due(how_ == pushing::pushed ? cost_ : 0, now_);
    }

private:
    pushing how_;
    const producer<Pacer>* from_;
    word cost_;
    instant now_;
};
// The text of how it ended, such as "pushed" or "the lane is full".
template <class Pacer>
[[nodiscard]] constexpr text to_text(const push_result<Pacer>& pushed) noexcept {
    return text(describe(pushed.how()));
}

template <class Pacer>
class producer {
public:
    using item_type = typename Pacer::item_type;
    using clock_type = typename Pacer::clock_type;
    using instant = weir::instant<clock_type>;
    using deadline = weir::deadline<clock_type>;

    // Of no lane: everything is refused as `no_lane`.
    producer() noexcept = default;
    producer(producer&& other) noexcept
        : pacer_(std::exchange(other.pacer_, nullptr)), lane_(other.lane_) {}
    producer& operator=(producer&& other) noexcept {
        if (this != &other) {
            close();
            pacer_ = std::exchange(other.pacer_, nullptr);
            lane_ = other.lane_;
        }
        return *this;
    }
    ~producer() { close(); }

    [[nodiscard]] explicit operator bool() const noexcept { return pacer_ != nullptr; }

    // The item is moved only if it is pushed. It then comes out once: emitted, or dropped with the
    // reason. What costs 0 waits for its turn and not for the limit, but wakes no pacer that sleeps
    // until something else is due.
    //
    // `would_miss_deadline` is certain: the item would not go in time however the pacer is polled
    // and whatever the other lanes do, unless the pacer is resumed before its pause is over or the
    // limit is changed. What is before it in its lane counts if it has no deadline, and nothing
    // with a deadline behind it: that may expire. So an item that is accepted may still expire in
    // its lane. For a guess that counts everything see `estimate`.
    push_result<Pacer> try_push(item_type&& item, unit_count cost = 1, deadline d = {}) noexcept {
        return try_push(std::move(item), cost, d, clock_type::now());
    }
    push_result<Pacer> try_push(item_type&& item, unit_count cost, deadline d,
                                instant now) noexcept {
        if (pacer_ == nullptr) [[unlikely]] {
            return {lane_ == none ? pushing::no_lane : pushing::closed, *this, cost, now};
        }
        return {pacer_->push(lane_, std::move(item), cost, d, now), *this, cost, now};
    }

    // A guess: when an item pushed now would be emitted if the rate stays, nothing expires and
    // nobody with a higher priority comes. The lane's share of its class and a pause until a time
    // are counted in. A schedule tells enough for a good guess; other limits do not tell how much
    // of a burst is left. Who wants to push nothing that is likely to be late asks before:
    //
    //     if (earlier(by, lane.estimate())) return too_late(order);
    [[nodiscard]] instant estimate() const noexcept { return due(0, clock_type::now()); }
    [[nodiscard]] instant estimate(instant now) const noexcept { return due(0, now); }

    // Items that wait in the lane, and whether they are as many as its high-water mark.
    [[nodiscard]] std::size_t approx_size() const noexcept {
        return pacer_ == nullptr ? 0 : pacer_->approx_size(lane_);
    }
    [[nodiscard]] bool crowded() const noexcept {
        return pacer_ != nullptr && pacer_->crowded(lane_);
    }
    // Pushes that were refused as full, since the lane was opened.
    [[nodiscard]] word times_full() const noexcept {
        return pacer_ == nullptr ? 0 : pacer_->times_full(lane_);
    }

    // Which lane of the pacer it is, if it has one.
    [[nodiscard]] std::size_t lane() const noexcept { return lane_; }

    // No more pushes; what is in the lane still goes as if nothing had happened. Calls the pacer,
    // also if it sleeps until something is due: it gives the lane to others when it has looked.
    void close() noexcept {
        if (pacer_ != nullptr) std::exchange(pacer_, nullptr)->leave(lane_);
    }

private:
    friend Pacer;
    friend push_result<Pacer>;

    static constexpr std::size_t none = SIZE_MAX;

    producer(Pacer* of, std::size_t lane) noexcept : pacer_(of), lane_(lane) {}

    // Of the units in the lane the last `own` belong to the item that is asked for.
    [[nodiscard]] instant due(word own, instant now) const noexcept {
        return pacer_ == nullptr ? now : pacer_->due(lane_, own, now);
    }

    Pacer* pacer_ = nullptr;
    std::size_t lane_ = none;  // stays when it is closed
};

}  // namespace weir
