// SPDX-License-Identifier: MIT
// place_queue: those who wait for a place of an in_flight, in the order in which they came. It is
// hosted because only an operating system has a mutex. A call that ends while nobody waits does not
// come here.
//
// Somebody who waits joins the queue, looks once more whether a place is free, and only then
// sleeps. Whoever frees a place takes the first out of the queue and tells him of it. Nobody is
// given the place: who was told has to begin like all others, and others may be faster. So each who
// was told does one of three: he takes a place, he joins again in front, or he passes on what he
// was told. A pacer promises nothing, so another one behind it is told as well.
//
// Invariant: if a place is free, then nobody waits, or somebody was told and has not acted on it
// yet, or whoever freed the place is about to tell. The mutex is held to change the queue and to
// wake. Of a user's functions only what wakes an event loop is called with it, which must end no
// call. How to tell is stored with relaxed order, as
// the mark, which is exchanged next, releases it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <weir/base/word.hpp>
#include <weir/limiter/in_flight.hpp>

namespace weir::detail {

// Somebody in the queue of one in_flight.
class place_waiter {
public:
    // Called with the queue's mutex held. False: what it is told may come to nothing, without a
    // word.
    using told = void (*)(place_waiter&) noexcept;

    constexpr place_waiter(told how, bool acts_on_it) noexcept
        : how_(how), acts_on_it_(acts_on_it) {}
    place_waiter(const place_waiter&) = delete;
    place_waiter& operator=(const place_waiter&) = delete;
    ~place_waiter() = default;

private:
    template <class Locks>
    friend class place_queue;

    told how_;
    bool acts_on_it_;
    bool waits_ = false;
    place_waiter* before_ = nullptr;
    place_waiter* after_ = nullptr;
};

// Locks::of(in_flight) is the mutex of its queue.
template <class Locks>
class place_queue {
public:
    // At the end of the queue, or in front of it. Then look whether a place is free: what becomes
    // free after that, it is told.
    static void join(in_flight& calls, place_waiter& who, bool in_front) noexcept {
        const auto lock = Locks::lock(calls);
        if (!who.waits_) link(calls, who, in_front);
        calls.tell_.store_relaxed(&tell);
        calls.mark(true);
    }

    // It waits no longer. False if it had been told before.
    static bool leave(in_flight& calls, place_waiter& who) noexcept {
        const auto lock = Locks::lock(calls);
        if (!who.waits_) return false;
        unlink(calls, who);
        if (calls.first_ == nullptr) calls.mark(false);
        return true;
    }

    // So many places are free.
    static void tell(in_flight& calls, word places) noexcept {
        const auto lock = Locks::lock(calls);
        while (calls.first_ != nullptr && places != 0) {
            place_waiter& who = *calls.first_;
            unlink(calls, who);
            if (who.acts_on_it_) --places;
            who.how_(who);
        }
        if (calls.first_ == nullptr) calls.mark(false);
    }

private:
    static void link(in_flight& calls, place_waiter& who, bool in_front) noexcept {
        who.waits_ = true;
        who.before_ = in_front ? nullptr : calls.last_;
        who.after_ = in_front ? calls.first_ : nullptr;
        (who.before_ == nullptr ? calls.first_ : who.before_->after_) = &who;
        (who.after_ == nullptr ? calls.last_ : who.after_->before_) = &who;
    }
    static void unlink(in_flight& calls, place_waiter& who) noexcept {
        who.waits_ = false;
        (who.before_ == nullptr ? calls.first_ : who.before_->after_) = who.after_;
        (who.after_ == nullptr ? calls.last_ : who.after_->before_) = who.before_;
    }
};

// A few mutexes for all of them.
class place_locks {
public:
    [[nodiscard]] static std::mutex& of(const in_flight& calls) noexcept {
        constexpr std::size_t count = 16;
        constinit static std::mutex mutexes[count];
        return mutexes[reinterpret_cast<std::uintptr_t>(&calls) / sizeof(in_flight) % count];
    }
    [[nodiscard]] static auto lock(const in_flight& calls) noexcept {
        return std::lock_guard(of(calls));
    }
};
using places_waited_for = place_queue<place_locks>;

}  // namespace weir::detail
