// SPDX-License-Identifier: MIT
// in_flight: a cap on calls that have begun and not ended, such as five at once. A call that begins
// takes a place and holds it by a token; the token's end gives the place back, once.
//
//     weir::in_flight calls{5};
//     if (auto call = calls.try_begin()) send(request, std::move(call));
//
// Where threads wait for a place: begin.hpp. With a rate beside it: all_of.hpp.
//
// All of it is one word: the cap, the places in use, and a mark that somebody waits. Invariant: the
// places in use are the tokens that hold one, and no exchange adds one beyond the cap. So no place
// is lost and none is given back twice: a token is moved, never copied, and forgets its place when
// it gives the place back. Linearisation point of a begin, an end and a new cap: the exchange of
// the word. Of a refused begin: the load that has shown no free place.
//
// What was done before a call ended happens before what is done after the next call has begun: an
// end releases the word, and a begin acquires it. Relaxed loads suffice elsewhere: a value that was
// seen is acted on only if the exchange finds it unchanged, and a refused begin acts on nothing.
//
// A thread that is stopped anywhere holds up nobody; a place that it has counts as in use. Whoever
// waits has a mark set in the same word that an end changes. So an end either comes before the look
// of who waits, which then sees the free place, or after it, and then sees the mark.
#pragma once

#include <cstdint>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/unit_count.hpp>

namespace weir {

// Why a cap is refused.
enum class in_flight_error : std::uint8_t { none, no_place, too_many };

[[nodiscard]] constexpr const char* describe(in_flight_error reason) noexcept {
    switch (reason) {
        case in_flight_error::none: return "no error";
        case in_flight_error::no_place: return "an in_flight lets at least one call begin";
        case in_flight_error::too_many: return "an in_flight cannot count so many calls";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops here and shows the name.
inline void an_in_flight_lets_at_least_one_call_begin() {}
inline void an_in_flight_cannot_count_so_many_calls() {}

template <class Locks>
class place_queue;
class place_waiter;

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(in_flight_error reason) {
    if (reason == in_flight_error::no_place) detail::an_in_flight_lets_at_least_one_call_begin();
    if (reason == in_flight_error::too_many) detail::an_in_flight_cannot_count_so_many_calls();
}

class in_flight;

// A call that has begun, or none. Its end, by `end` or by the destructor, gives the place back. One
// thread has it at a time; it may be moved to another thread and end there.
class [[nodiscard]] call_token {
public:
    constexpr call_token() noexcept = default;
    call_token(call_token&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    call_token& operator=(call_token&& other) noexcept {
        if (this != &other) {
            end();
            of_ = std::exchange(other.of_, nullptr);
        }
        return *this;
    }
    ~call_token() { end(); }

    // Does it hold a place? The token must have a name: one that is only asked ends on the spot.
    [[nodiscard]] explicit operator bool() const& noexcept { return of_ != nullptr; }
    template <class Token = call_token>
    explicit operator bool() && noexcept {
        static_assert(sizeof(Token) == 0, "the call would end at once: give its token a name, "
                                          "if (auto call = calls.try_begin()) ...");
        return false;
    }

    // Gives the place back; does nothing the second time. Lock-free while nobody waits. If somebody
    // does, it wakes who came first, under a mutex that is held for a moment.
    [[gnu::always_inline]] void end() noexcept;

private:
    friend in_flight;

    explicit call_token(in_flight& of) noexcept : of_(&of) {}

    in_flight* of_ = nullptr;
};

// What `peek` answers. A place becomes free when a call ends, and nobody knows when that will be.
class [[nodiscard]] place_decision {
public:
    // After so long look again, if nothing wakes you. It is what `retry_after` says.
    static constexpr nanoseconds look_again = milliseconds(1);

    constexpr explicit place_decision(word there) noexcept : there_(there) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return there_ != 0; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept {
        return admitted() ? verdict::admitted : verdict::wait;
    }
    // Places that are free after this one.
    [[nodiscard]] constexpr word remaining() const noexcept { return admitted() ? there_ - 1 : 0; }
    [[nodiscard]] static constexpr nanoseconds reset_after() noexcept { return {}; }
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        return admitted() ? nanoseconds{} : look_again;
    }

private:
    word there_;
};

// It must outlive its tokens, the calls of `end`, and whoever waits. Neither copied nor moved.
class in_flight {
public:
    using token_type = call_token;

    // The largest cap. A word has half its bits for the cap.
    static constexpr word largest_most = largest<word> >> (bits_of<word> / 2 + 1);

    // A cap of 0 does not compile in a constant expression; otherwise it throws `refused`, or
    // without exceptions prints the reason and ends the program. `refusal` tells it before.
    constexpr explicit in_flight(unit_count most)
        : state_((detail::refuse(refusal(most)), at(most))) {}
    in_flight(const in_flight&) = delete;
    in_flight& operator=(const in_flight&) = delete;
    ~in_flight() = default;

    [[nodiscard]] static constexpr in_flight_error refusal(unit_count most) noexcept {
        if (most == 0) return in_flight_error::no_place;
        return most > largest_most ? in_flight_error::too_many : in_flight_error::none;
    }

    // A token that holds a place, or a false one if no place is free. Lock-free: a try fails only
    // if another thread's call has begun or ended. A refusal writes nothing.
    [[gnu::always_inline]] call_token try_begin() noexcept {
        word seen = state_.load_relaxed();
        lost_races lost;
        while (in_use(seen) < most(seen)) {
            // Acquire: pairs with the release in `give_back`. The release has no partner.
            if (state_.try_exchange_acq_rel(seen, seen + one)) return call_token(*this);
            lost.again_acquire(state_, seen);
        }
        return {};
    }

    // What try_begin would answer. Wait-free.
    [[nodiscard]] place_decision peek() const noexcept {
        const word seen = state_.load_relaxed();
        return place_decision(in_use(seen) < most(seen) ? most(seen) - in_use(seen) : 0);
    }

    // Another cap from now on. Calls that have begun go on: after a lower cap none begins until
    // enough have ended. After a higher one who waits is woken. An invalid cap is refused, and the
    // old one stays. Lock-free while nobody waits.
    [[nodiscard]] in_flight_error set_most(unit_count wanted) noexcept {
        const in_flight_error reason = refusal(wanted);
        if (reason != in_flight_error::none) return reason;
        word seen = state_.load_relaxed();
        lost_races lost;
        // Acquire: pairs with the release in `mark`, so that it is seen how to tell.
        while (!state_.try_exchange_acq_rel(seen, at(wanted) | (seen & ~at(largest<word>)))) {
            lost.again_acquire(state_, seen);
        }
        if (wanted > most(seen)) tell(seen, wanted - most(seen));
        return in_flight_error::none;
    }

    // Wait-free.
    [[nodiscard]] word most() const noexcept { return most(state_.load_relaxed()); }
    [[nodiscard]] word approx_in_use() const noexcept { return in_use(state_.load_relaxed()); }

private:
    friend call_token;
    template <class Locks>
    friend class detail::place_queue;

    // The cap's bits, those of the places in use, and the mark, which is the lowest.
    static constexpr unsigned half = bits_of<word> / 2;
    static constexpr word marked = 1;
    static constexpr word one = 2;

    [[nodiscard]] static constexpr word at(word most) noexcept { return most << half; }
    [[nodiscard]] static constexpr word most(word state) noexcept { return state >> half; }
    [[nodiscard]] static constexpr word in_use(word state) noexcept {
        return (state & ~at(largest<word>)) / one;
    }

    // By a token, once.
    [[gnu::always_inline]] void give_back() noexcept {
        word seen = state_.load_relaxed();
        lost_races lost;
        // Release: pairs with the acquire in `try_begin`. Acquire: pairs with the release in
        // `mark`.
        while (!state_.try_exchange_acq_rel(seen, seen - one)) lost.again_acquire(state_, seen);
        tell(seen, 1);
    }

    [[gnu::always_inline]] void tell(word seen, word places) noexcept {
        if ((seen & marked) != 0) [[unlikely]]
            tell_.load_relaxed()(*this, places);
    }

    // For the queue, by who has its mutex: somebody waits, or nobody does.
    void mark(bool waits) noexcept {
        word seen = state_.load_relaxed();
        // Release: pairs with the acquire in `give_back` and in `set_most`: who sees the mark sees
        // how to tell. It is exchanged also if it is there already, so that the next end sees that
        // somebody else waits.
        while (!state_.try_exchange_acq_rel(seen, waits ? seen | marked : seen & ~marked)) {
        }
    }

    alignas(own_line) alignas(atomic<word>) atomic<word> state_;
    // How those who wait are told of free places.
    atomic<void (*)(in_flight&, word) noexcept> tell_{nullptr};
    // Who came first and last of those who wait; by who has the queue's mutex.
    detail::place_waiter* first_ = nullptr;
    detail::place_waiter* last_ = nullptr;
};

inline void call_token::end() noexcept {
    if (in_flight* const of = std::exchange(of_, nullptr)) of->give_back();
}

}  // namespace weir
