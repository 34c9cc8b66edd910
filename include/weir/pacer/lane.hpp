// SPDX-License-Identifier: MIT
// lane: one producer's bounded queue into a pacer, and whether anybody holds it. The only file that
// knows Boost: the queue is boost::lockfree::spsc_queue, of 1.74 or newer, which on a Cortex-M3 is
// 120 bytes of code and calls nothing.
//
// One thread pushes, one takes; each function says whose it is. Both are wait-free. A push
// linearises where Boost stores the write index with release, which pairs with the acquire in
// `available`: who sees the item counted sees what is in it.
//
// Who holds a lane goes round: free -> opening -> open -> closing -> free. Any thread may take it
// from free, by a compare-exchange that only one wins. From then on until it closes nobody but the
// holder pushes, and only the taker makes it free again, after it has seen `closing` and then found
// it empty. Invariant: a free lane is empty and nobody can push into it, so nothing that was pushed
// is ever lost to the next holder or to nobody. `closing` is stored with release after the last
// push and loaded with acquire before that last look.
//
// The counts are relaxed: they publish no item, each has one writer, and others only estimate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if !__has_include(<boost/lockfree/spsc_queue.hpp>)
#error "weir's pacer needs the headers of Boost 1.74 or newer (Debian: libboost-dev)"
#endif
// Engines define a macro of this name; Boost has a parameter of it.
#pragma push_macro("check")
#undef check
#include <boost/lockfree/spsc_queue.hpp>
#pragma pop_macro("check")

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>

namespace weir {

// How a push ended; from `no_lane` on only where more is known than the lane, in the pacer.
enum class pushing : unsigned char {
    pushed,
    full,
    misused,  // in debug builds: a push while another one to the same lane is under way
    closed,
    no_lane,              // the producer never had one: see `pacer::open`
    would_miss_deadline,  // for certain: see `producer::try_push`
    never,                // it costs more than the limit ever lets pass
    no_ticket,            // of a cancel: its ticket is of no item of this lane
};
[[nodiscard]] constexpr const char* describe(pushing how) noexcept {
    switch (how) {
        case pushing::pushed: return "pushed";
        case pushing::full: return "the lane is full";
        case pushing::misused: return "another push into the same lane is under way";
        case pushing::closed: return "the lane or the pacer is closed";
        case pushing::no_lane: return "the pacer had no lane left for this producer: see lanes<N>";
        case pushing::would_miss_deadline: return "it would miss its deadline";
        case pushing::never: return "it costs more than the limit ever lets pass";
        case pushing::no_ticket: return "the ticket is of no item of this lane";
    }
    return "unknown";
}

// Who holds a lane; `left`: nobody any more, and something may still be in it.
enum class holder : unsigned char { nobody, producer, left };

namespace detail {

// Boost 1.74 pushes by copying once, and destroys a queue by assigning to a default T as long as
// there are any. So this is copied by moving what it holds elsewhere, and holds nothing by default:
// items need be neither copyable nor assignable. Who takes an item ends its life.
template <class T>
union slot {
    slot() noexcept {}  // NOLINT(modernize-use-equals-default): would be deleted
    template <class... From>
    explicit slot(std::in_place_t, From&&... from) : value{std::forward<From>(from)...} {}
    slot(const slot& other) noexcept : value(std::move(other.value)) { other.value.~T(); }
    slot& operator=(const slot&) noexcept { return *this; }  // the lane is empty then
    ~slot() {}  // NOLINT(modernize-use-equals-default): would be deleted

    mutable T value;
};

template <class T, std::size_t Capacity>
struct ring {
    using type = boost::lockfree::spsc_queue<slot<T>, boost::lockfree::capacity<Capacity>>;
};
template <class T>
struct ring<T, 0> {
    using type = boost::lockfree::spsc_queue<slot<T>>;
};

}  // namespace detail

// Of so many places; 0: as many as it is constructed with, allocated then and never again.
template <class T, std::size_t Capacity = 0>
class lane {
public:
    using item_type = T;

    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "an item is moved between threads where nobody could catch what it throws");

#ifdef NDEBUG
    static constexpr bool sees_misuse = false;
#else
    static constexpr bool sees_misuse = true;
#endif

    lane() requires(Capacity != 0) : capacity_(Capacity) {}
    explicit lane(std::size_t capacity) requires(Capacity == 0)
        : queue_(countable(capacity)), capacity_(countable(capacity)) {}
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    // Boost destroys what is left only from 1.77 on.
    ~lane() {
        for (std::size_t left = available(); left > 0; --left) (void)take();
    }

    // --- anybody

    // True if the lane was free; the caller then holds it and may push once `opened` was called.
    [[nodiscard]] bool open() noexcept {
        stage expected = stage::free;
        // Acquire: pairs with `retire`; the new holder comes after whatever the taker did. The
        // release that comes with it has no partner.
        while (!stage_.try_exchange_acq_rel(expected, stage::opening)) {
            if (expected != stage::free) return false;
        }
        return true;
    }

    // Items in it, as far as both sides have told; either may have gone on since.
    [[nodiscard]] std::size_t approx_size() const noexcept {
        if constexpr (tells_others) {
            // In this order, as far as the machine keeps it: a thread that is held up in between
            // sees too few and not too many.
            const word pushed = pushed_items_.count();
            const word items = left(pushed, taken_items_.count());
            return items < capacity_ ? static_cast<std::size_t>(items)
                                     : capacity_;  // one was taken before it was told
        } else {
            return queue_.read_available();
        }
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    // Units pushed and not yet taken, as far as both sides have told.
    [[nodiscard]] word approx_units() const noexcept {
        return left(pushed_.load_relaxed(), taken_.load_relaxed());
    }

    // --- the producer

    // Units pushed since the beginning.
    [[nodiscard]] word pushed_units() const noexcept { return pushed_.load_relaxed(); }

    // Release: pairs with `held_by`, so that what was written since `open` is seen with it.
    void opened() noexcept { stage_.store_release(stage::open); }

    // Makes an item of what is given, which is left as it is unless it answers `pushed`.
    template <class... From>
    [[nodiscard]] pushing try_push(word units, From&&... from) noexcept {
        if constexpr (sees_misuse) {
            bool busy = false;
            // Acquire: pairs with the release below. The release here has no partner.
            while (!busy_.try_exchange_acq_rel(busy, true)) {
                if (busy) return pushing::misused;
            }
        }
        const bool fits = queue_.write_available() != 0;  // and only this thread can change that
        if (fits) {
            (void)queue_.push(detail::slot<T>(std::in_place, std::forward<From>(from)...));
            pushed_.store_relaxed(pushed_.load_relaxed() + units);
            pushed_items_.one_more();
        }
        if constexpr (sees_misuse) busy_.store_release(false);  // pairs with the acquire above
        return fits ? pushing::pushed : pushing::full;
    }

    // After this the producer must not push; what is in the lane still comes out.
    // Release: pairs with `held_by`, so that who sees it sees the last push.
    void close() noexcept { stage_.store_release(stage::closing); }

    // --- the taker

    // Does anybody hold it, and will anything still come? Ask before `available`.
    [[nodiscard]] holder held_by() const noexcept {
        switch (stage_.load_acquire()) {  // pairs with `opened` and `close`
            case stage::open: return holder::producer;
            case stage::closing: return holder::left;
            default: return holder::nobody;
        }
    }

    // So many items are there, and stay until they are taken.
    [[nodiscard]] std::size_t available() const noexcept { return queue_.read_available(); }

    [[nodiscard]] bool is_empty() const noexcept { return available() == 0; }

    // The oldest item; only if there is one.
    [[nodiscard]] T& front() noexcept { return queue_.front().value; }

    // Moves it out; its place is free at once.
    [[nodiscard]] T take(word units = 0) noexcept {
        T& oldest = front();
        T item(std::move(oldest));
        oldest.~T();
        (void)queue_.consume_one([](auto&&) {});
        taken_.store_relaxed(taken_.load_relaxed() + units);
        taken_items_.one_more();
        return item;
    }

    // Anybody may open it again. Only if it was `left` and then found empty.
    // Release: pairs with `open`.
    void retire() noexcept { stage_.store_release(stage::free); }

private:
    enum class stage : std::uint8_t { free, opening, open, closing };

    // Boost's number is right for the two sides; others may find a full queue where the taker
    // overtakes them. On a microcontroller's only core none does, and a count costs 100 bytes.
    static constexpr bool tells_others = sizeof(word) == 8;
    class counted {
    public:
        void one_more() noexcept { items_.store_relaxed(items_.load_relaxed() + 1); }
        [[nodiscard]] word count() const noexcept { return items_.load_relaxed(); }

    private:
        atomic<word> items_{0};
    };
    struct uncounted {
        static void one_more() noexcept {}
    };
    using tally = std::conditional_t<tells_others, counted, uncounted>;

    // Boost's queue has one place more.
    [[nodiscard]] static std::size_t countable(std::size_t capacity) noexcept {
        return capacity == SIZE_MAX ? 0 : capacity;
    }

    [[nodiscard]] static word left(word pushed, word taken) noexcept {
        const word some = pushed - taken;
        return some > largest<word> / 2 ? 0 : some;  // taken before it was told
    }

    using ring = typename detail::ring<T, Capacity>::type;

    // Boost keeps the two indices on lines of their own, with the places right behind the second.
    // An alignment that is weaker than the type's own is an error, so the type's is there, too.
    alignas(own_line) alignas(ring) ring queue_;

    alignas(own_line) atomic<word> pushed_{0};  // units, by the producer
    [[no_unique_address]] tally pushed_items_;
    atomic<bool> busy_{false};

    alignas(own_line) atomic<word> taken_{0};  // units, by the taker
    [[no_unique_address]] tally taken_items_;

    alignas(own_line) atomic<stage> stage_{stage::free};
    std::size_t capacity_;
};

}  // namespace weir
