// SPDX-License-Identifier: MIT
// limit: what everything that is built on limits needs of one, and nothing else. A limiter is one;
// so are an `adjustable`, an `all_of` whose members share a clock, a pacer's `schedule`, and any
// class of your own that has these functions (tests/own_limit.hpp is one).
//
//     limit          tries and peeks: enough for `all_of`, for a pacer and for threads that wait
//     lending        takes as many as there are, as a permit that is given back: for `lease`
//     reserving      promises a place in the order of the calls: waiting in turn, and Asio
//     undoing        takes back a place as if it had never been: for `all_of`, which cannot give
//                    back what it has taken of any other limit
//     moving_places  changes its quota, and with it when its places start
//     limit_view     refers to a limit that lies elsewhere, so a copy is the same limit
//
// Beside limits there are places: a cap on what has begun and not ended, which knows no time
// (`in_flight`). An `all_of` takes one as a member, and is a `calling` limit then.
//
// Times are instants of `clock_type`, and units may be counted in any unsigned type. None of these
// functions throws. A permit that was default-constructed holds no units. Nor does one that was
// moved from, so none are given back twice.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/observer.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

// What a limit answers.
template <class D>
concept limit_decision = requires(const D d) {
    { d.admitted() } -> std::same_as<bool>;
    { d.verdict() } -> std::same_as<verdict>;
    { d.retry_after() } -> std::same_as<nanoseconds>;
};

// All n units now or none; and what that would answer.
template <class L>
concept limit = clock<typename L::clock_type> &&
    requires(L l, const L same, word n, instant<typename L::clock_type> now) {
    { l.try_acquire(n, now) }
    noexcept->limit_decision;
    { same.peek(n, now) }
    noexcept->limit_decision;
};

template <limit L>
using decision_of =
    decltype(std::declval<const L&>().peek(word{}, instant<typename L::clock_type>{}));

// From `least` to `most` units now, or none and a false permit if there are fewer than `least`;
// nothing is from a `least` to a smaller `most`, so that is refused too. A refund gives back what
// is not used of them, as far as the limit can. No more than `burst` are there at once.
template <class L>
concept lending = limit<L> && std::movable<typename L::permit_type> &&
    std::default_initializable<typename L::permit_type> &&
    requires(L l, const L same, const typename L::permit_type p, word n, word least, word most,
             instant<typename L::clock_type> now) {
    { static_cast<bool>(p) }
    noexcept;
    { p.units() }
    noexcept->std::same_as<word>;
    { same.burst() }
    noexcept->std::same_as<word>;
    { l.take(least, most, now) }
    noexcept->std::same_as<typename L::permit_type>;
    { l.refund(std::declval<typename L::permit_type>(), n) }
    noexcept;
    { l.refund(std::declval<typename L::permit_type>(), n, now) }
    noexcept;
};

// All n units for as soon as they conform, but no later than `longest` from now, in the order of
// the calls.
template <class L>
concept reserving = limit<L> && std::movable<typename L::permit_type> &&
    std::default_initializable<typename L::permit_type> &&
    requires(L l, const typename L::permit_type p, word n, nanoseconds longest,
             instant<typename L::clock_type> now) {
    { l.reserve(n, longest, now) }
    noexcept->std::same_as<typename L::permit_type>;
    { static_cast<bool>(p) }
    noexcept;
    { p.verdict() }
    noexcept->std::same_as<verdict>;
    { p.units() }
    noexcept->std::same_as<word>;
    { p.wait() }
    noexcept->std::same_as<nanoseconds>;
    { p.start(now) }
    noexcept->std::same_as<instant<typename L::clock_type>>;
    { l.refund(std::declval<typename L::permit_type>()) }
    noexcept;
};

// Gives a permit back as if it had never been, or nothing of it if anybody has come after it. It
// reads no clock, so a late one does no harm.
template <class L>
concept undoing = reserving<L> && requires(L l) {
    { l.undo(std::declval<typename L::permit_type>()) }
    noexcept;
};

// Where a permit's start moves when the quota changes. Threads that wait for one sleep in its
// `nap`, which comes back at once when the quota changes: see `adjustable`.
template <class L>
concept moving_places = reserving<L> && requires {
    requires L::moves_places;
};

// It refers to a limit that lies elsewhere, as an entry of an array does, and `identity()` says to
// which one. A copy is the same limit, so what is built of limits keeps a copy of it, and only the
// address of any other limit.
template <class L>
concept limit_view = limit<L> && std::copy_constructible<L> && requires(const L l) {
    { l.identity() }
    noexcept->std::same_as<const void*>;
};

// A cap on what has begun and not ended. A token holds a place, and its end gives the place back.
template <class P>
concept places = requires(P p, const P same) {
    { p.try_begin() }
    noexcept->std::same_as<typename P::token_type>;
    { same.peek() }
    noexcept->limit_decision;
};

// What it admits is a call that has begun: the answer to `try_acquire` carries its token. Whoever
// waits for such a limit waits for a time, or for a place of `calls()`.
template <class L>
concept calling = limit<L> && requires(L l) {
    typename L::token_type;
    l.calls().try_begin();
};

namespace detail {

// A limit as it is given to what is built of limits, and as it is kept there.
template <class L>
using given_limit = std::conditional_t<limit_view<L>, L, L&>;

template <class L>
class kept_limit {
public:
    constexpr kept_limit(L& its) noexcept : its_(&its) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard, gnu::always_inline]] constexpr L& get() const noexcept { return *its_; }
    [[nodiscard]] constexpr const void* identity() const noexcept { return its_; }

private:
    L* its_;
};
template <limit_view L>
class kept_limit<L> {
public:
    kept_limit(const L& its) noexcept : its_(its) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard, gnu::always_inline]] L& get() const noexcept { return its_; }
    [[nodiscard]] const void* identity() const noexcept { return its_.identity(); }

private:
    mutable L its_;
};

// What somebody gives in place of a limit with a name: one that ends with the expression, or one
// that is const. Constructors take it, and `named` then says what is wrong, in one line.
template <class Given, class L>
concept not_named =
    !limit_view<L> && std::same_as<std::remove_cvref_t<Given>, L> &&
    (!std::is_lvalue_reference_v<Given> || std::is_const_v<std::remove_reference_t<Given>>);
template <class L, class Given>
[[nodiscard]] constexpr given_limit<L> named(std::remove_reference_t<Given>& its) noexcept {
    if constexpr (not_named<Given, L>) {
        constexpr bool it_is_const = std::is_const_v<std::remove_reference_t<Given>>;
        constexpr bool it_has_a_name = it_is_const;
        static_assert(it_has_a_name,
                      "this limit ends with the expression, and what is built of limits refers to "
                      "them: give it a name");
        static_assert(!it_is_const, "this limit is const, so nobody can take anything from it");
        return const_cast<L&>(its);  // NOLINT(cppcoreguidelines-pro-type-const-cast): not reached
    } else {
        return its;
    }
}

// A refusal that was only looked at counts as one that the limit has decided, if the limit counts.
// An `all_of` has its members count.
template <class Limit, class Decision>
[[gnu::always_inline]] inline void tell_refusal(Limit& limit, const Decision& d) noexcept {
    if constexpr (requires { limit.tell_refusals(d); }) {
        limit.tell_refusals(d);
    } else if constexpr (requires { tell(limit.observer(), d.verdict(), 0); }) {
        if (!d.admitted()) tell(limit.observer(), d.verdict(), 0);
    }
}

}  // namespace detail

}  // namespace weir
