// SPDX-License-Identifier: MIT
// request_lane: a lane through which a producer sends requests and not only items: take this item,
// cancel that one, clear all before this. The thread that polls reads them in that order and does
// what they say, so there is no protocol beside the lane's own. A cancel takes effect when it is
// read.
//
// An item has one of `capacity` places from its push until it is handed out, wherever it waits
// meanwhile. Invariant: items pushed - items handed out <= capacity. The producer looks at both
// counts before it pushes; the one that others write only grows, so an old value of it errs on the
// strict side. So whoever reads the lane has room for each item that it reads, and need never leave
// a request unread. The lane itself has room for as many requests again, so cancels fit when all
// places are taken: who sees that an item is out sees that its request has left the lane.
//
// Who holds it goes round as in lane.hpp, to which all of that is left. Each function says whose it
// is; all are wait-free. Otherwise the counts are relaxed, as in a lane: they publish no item, and
// each has one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/pacer/lane.hpp>

namespace weir {

enum class requested : std::uint8_t { push, cancel, clear };

// `number` is that of the item, or of the one to be cancelled.
template <class Queued>
class request {
public:
    template <class... From>
    explicit request(std::in_place_t, word number, From&&... from) noexcept
        : queued_{std::forward<From>(from)...}, number_(number), what_(requested::push) {}
    // The bytes are set because compilers do not see that nobody reads them.
    request(requested what, word number) noexcept : none_{}, number_(number), what_(what) {}
    request(request&& other) noexcept : number_(other.number_), what_(other.what_) {
        if (what_ == requested::push) ::new (&queued_) Queued(std::move(other.queued_));
    }
    request& operator=(request&&) = delete;
    ~request() {
        if (what_ == requested::push) queued_.~Queued();
    }

    [[nodiscard]] requested what() const noexcept { return what_; }
    [[nodiscard]] word number() const noexcept { return number_; }
    // Only of a push.
    [[nodiscard]] Queued& queued() noexcept { return queued_; }

private:
    union {
        Queued queued_;
        unsigned char none_[sizeof(Queued)];
    };
    word number_;
    requested what_;
};

// Of so many items; 0: as many as it is constructed with.
template <class Queued, std::size_t Capacity>
class request_lane {
    using requests = lane<request<Queued>, 2 * Capacity>;

public:
    static_assert(std::is_nothrow_move_constructible_v<Queued>,
                  "an item is moved between threads where nobody could catch what it throws");

    explicit request_lane(std::size_t /*capacity*/ = Capacity) requires(Capacity != 0)
        : capacity_(Capacity) {}
    explicit request_lane(std::size_t capacity) requires(Capacity == 0)
        : requests_(2 * capacity), capacity_(capacity) {}

    // --- anybody

    [[nodiscard]] bool open() noexcept { return requests_.open(); }
    // Items that were pushed and not yet handed out.
    [[nodiscard]] std::size_t approx_size() const noexcept {
        const word items = left(pushed_.load_relaxed(), gone_.load_relaxed());
        return items < capacity_ ? static_cast<std::size_t>(items) : capacity_;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    // Units that still wait to be emitted: without those that were withdrawn.
    [[nodiscard]] word approx_units() const noexcept {
        return left(requests_.pushed_units(), gone_units_.load_relaxed());
    }

    // --- the producer

    [[nodiscard]] word pushed_units() const noexcept { return requests_.pushed_units(); }
    void opened() noexcept { requests_.opened(); }

    // Makes an item of what is given, which is left as it is unless it answers `pushed`.
    template <class... From>
    [[nodiscard]] pushing try_push(word units, From&&... from) noexcept {
        const word count = pushed_.load_relaxed();
        // Acquire: pairs with `is_out`. So the place that the item's request had is free, too.
        if (count - gone_.load_acquire() >= capacity_) return pushing::full;
        const pushing how =
            requests_.try_push(units, std::in_place, number_of(count), std::forward<From>(from)...);
        if (how == pushing::pushed) pushed_.store_relaxed(count + 1);
        return how;
    }
    // The number of the item that was pushed last.
    [[nodiscard]] word newest() const noexcept { return number_of(pushed_.load_relaxed() - 1); }

    // `full`: so many requests were sent since the last poll that no other fits.
    [[nodiscard]] pushing try_cancel(word number) noexcept {
        return requests_.try_push(0, requested::cancel, number);
    }
    [[nodiscard]] pushing try_clear() noexcept {
        return requests_.try_push(0, requested::clear, word{0});
    }
    void close() noexcept { requests_.close(); }

    // --- the thread that polls

    [[nodiscard]] holder held_by() const noexcept { return requests_.held_by(); }

    // Calls act(request&&) for each that has been sent. There is room for its item.
    template <class Act>
    void read(Act act) noexcept {
        for (std::size_t n = requests_.available(); n > 0; --n) act(requests_.take());
    }
    // Requests that are unread.
    [[nodiscard]] std::size_t available() const noexcept { return requests_.available(); }
    [[nodiscard]] bool is_empty() const noexcept { return available() == 0 && all_out(); }

    // Units that do not wait any more: they were taken, or withdrawn.
    void no_longer_wait(word units) noexcept {
        gone_units_.store_relaxed(gone_units_.load_relaxed() + units);
    }
    // An item was handed out, and its place is free.
    // Release: pairs with `try_push`.
    void is_out() noexcept { gone_.store_release(gone_.load_relaxed() + 1); }
    // All that was pushed and read is out.
    [[nodiscard]] bool all_out() const noexcept {
        return pushed_.load_relaxed() == gone_.load_relaxed();
    }

    void retire() noexcept { requests_.retire(); }

private:
    // Odd, so that it is never 0.
    [[nodiscard]] static word number_of(word count) noexcept { return 2 * count + 1; }
    [[nodiscard]] static word left(word pushed, word gone) noexcept {
        const word some = pushed - gone;
        return some > largest<word> / 2 ? 0 : some;  // it went before its push was told
    }

    requests requests_;
    alignas(own_line) atomic<word> pushed_{0};  // items, by the producer
    alignas(own_line) atomic<word> gone_{0};    // items, by the thread that polls
    atomic<word> gone_units_{0};
    std::size_t capacity_;
};

}  // namespace weir
