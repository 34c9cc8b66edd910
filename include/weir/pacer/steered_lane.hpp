// SPDX-License-Identifier: MIT
// steered_lane: a lane whose items can be cancelled, cleared, or replaced by a newer one of the
// same key while they wait. A pacer has them if its type says so:
//
//     weir::make_pacer<quote, weir::steered<weir::lanes<8>, &quote::symbol>>(...)
//
// What the producer sends goes through a request_lane. The thread that polls moves the items into
// steered_items, which belong to that thread alone: so steering needs no lock and no other
// protocol, and lanes of the usual kind pay nothing for it. Invariant: each item that was pushed is
// in a request that is unread, waits in its place, or was handed out exactly once.
//
// To the pacer it has the functions of a lane; `available` reads what has been sent. Each function
// says whose it is; all are wait-free but for how far they look for a ticket or a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/pacer_lane.hpp>
#include <weir/pacer/request_lane.hpp>
#include <weir/pacer/steered_items.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/ticket.hpp>

namespace weir {

// Lanes that can be steered, as many and as large as `Lanes` says. Key, if there is one, is a
// member of the item or a function of it: an item replaces a queued one with the same key.
template <class Lanes, auto Key = nullptr>
struct steered {
    static constexpr std::size_t count = Lanes::count;
    static constexpr std::size_t capacity = Lanes::capacity;
};

template <class Queued, std::size_t Capacity, auto Key>
class steered_lane {
    using requests = request_lane<Queued, Capacity>;
    using items = steered_items<Queued, Capacity, Key>;

public:
    using withdrawn_item = typename items::withdrawn_item;

    static_assert(Capacity <= most_steered_places, "a steered lane has at most 2^30 places");

    explicit steered_lane(std::size_t capacity = Capacity)
        : requests_(countable(capacity)), items_(countable(capacity)) {}

    // --- anybody

    [[nodiscard]] bool open() noexcept { return requests_.open(); }
    [[nodiscard]] std::size_t approx_size() const noexcept { return requests_.approx_size(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return requests_.capacity(); }
    [[nodiscard]] word approx_units() const noexcept { return requests_.approx_units(); }

    // --- the producer

    [[nodiscard]] word pushed_units() const noexcept { return requests_.pushed_units(); }
    void opened() noexcept { requests_.opened(); }
    template <class... From>
    [[nodiscard]] pushing try_push(word units, From&&... from) noexcept {
        return requests_.try_push(units, std::forward<From>(from)...);
    }
    [[nodiscard]] word newest() const noexcept { return requests_.newest(); }
    [[nodiscard]] pushing try_cancel(word number) noexcept { return requests_.try_cancel(number); }
    [[nodiscard]] pushing try_clear() noexcept { return requests_.try_clear(); }
    void close() noexcept { requests_.close(); }

    // --- the taker

    [[nodiscard]] holder held_by() const noexcept { return requests_.held_by(); }

    // Does what has been asked for. So many items wait then.
    [[nodiscard]] std::size_t available() noexcept {
        requests_.read([this](request<Queued>&& r) { obey(r); });
        return size_;
    }
    [[nodiscard]] bool is_empty() noexcept { return available() == 0 && requests_.all_out(); }

    // The one whose turn it is; only if one waits.
    [[nodiscard]] Queued& front() noexcept { return items_[waiting_.first]; }
    // Its place is free at once.
    [[nodiscard]] Queued take(word units = 0) noexcept {
        --size_;
        requests_.no_longer_wait(units);
        Queued oldest = items_.take_first(waiting_);
        requests_.is_out();
        return oldest;
    }

    // At once. False if it does not wait any more; it may be unread.
    bool cancel(word number) noexcept {
        const place_number p = items_.with_ticket(number, 0);
        if (p == nowhere) return false;
        withdraw(p, dropped::cancelled);
        return true;
    }
    // At once all that has been read.
    void clear() noexcept {
        while (waiting_.first != nowhere) withdraw(waiting_.first, dropped::cleared);
    }

    // What does not wait any more and has to be handed back.
    [[nodiscard]] bool any_withdrawn() const noexcept { return items_.any_withdrawn(); }
    // Its place is free at once.
    [[nodiscard]] withdrawn_item take_withdrawn() noexcept {
        withdrawn_item oldest = items_.take_withdrawn();
        requests_.is_out();
        return oldest;
    }

    void retire() noexcept { requests_.retire(); }

    // What such a lane takes of memory for each of its places.
    [[nodiscard]] static constexpr std::size_t bytes_per_place() noexcept {
        return 2 * sizeof(request<Queued>) + items::bytes_for(1);
    }

private:
    [[nodiscard]] static constexpr std::size_t countable(std::size_t capacity) noexcept {
        return capacity > most_steered_places ? 0 : capacity;
    }

    void obey(request<Queued>& r) noexcept {
        switch (r.what()) {
            case requested::push: accept(r); break;
            case requested::cancel: (void)cancel(r.number()); break;
            case requested::clear: clear(); break;
        }
    }
    void accept(request<Queued>& r) noexcept {
        const place_number p = items_.add(std::move(r.queued()), r.number(), 0, 0);
        const place_number older = items_.with_key_of(p);
        ++size_;
        if (older == nowhere) return items_.append(waiting_, p);
        forget(older);
        items_.replace(waiting_, older, p);
    }
    void withdraw(place_number p, dropped reason) noexcept {
        forget(p);
        items_.withdraw(waiting_, p, reason);
    }
    void forget(place_number p) noexcept {
        --size_;
        requests_.no_longer_wait(items_[p].cost);
    }

    requests requests_;
    items items_;
    typename items::list waiting_;
    std::size_t size_ = 0;  // of `waiting_`
};

template <class Queued, class Lanes, auto Key>
struct lane_kind<Queued, steered<Lanes, Key>> {
    using type = steered_lane<Queued, Lanes::capacity, Key>;
};

}  // namespace weir
