// SPDX-License-Identifier: MIT
// instant: a time of one clock, in that clock's ticks. Its type names the clock, so a time of
// another clock does not compile where it would be taken for one of this clock.
//
//     limit.try_acquire(1, clock::now());
//     limit.try_acquire(1, weir::instant<frame_time>(frame.number));  // a time of your own
//
// The second line is for those who bring their own time: a game's frames, the time stamps of
// events. It says in so many words whose time the number is. A cell belongs to no clock: it takes a
// `tick`, and each instant becomes one.
#pragma once

#include <concepts>

#include <weir/base/word.hpp>

namespace weir {

template <class Clock>
struct instant;

namespace detail {

template <class>
inline constexpr bool is_instant = false;
template <class Clock>
inline constexpr bool is_instant<instant<Clock>> = true;

// What somebody may take for a time of a limit's clock: a number, a tick, a time of another clock.
template <class T>
concept looks_like_a_time = std::integral<T> || std::floating_point<T> || std::same_as<T, tick> ||
    is_instant<T> || requires(T t) {
    t.time_since_epoch();
};

}  // namespace detail

template <class Clock>
struct instant {
    word count = 0;  // ticks

    // Explicit, so that nobody gives {} as a time.
    constexpr explicit instant() noexcept = default;

    // A number that is wider than the word keeps its low bits: times live on a circle.
    template <std::integral Number>
    [[gnu::always_inline]] constexpr explicit instant(Number ticks) noexcept
        : count(static_cast<word>(ticks)) {}
    [[gnu::always_inline]] constexpr explicit instant(tick t) noexcept : count(t.count) {}

    // Not constexpr: clang would look into it wherever a conversion is only considered.
    template <detail::looks_like_a_time Other>
    instant(Other) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "this is no time of the limit's clock: take that clock's now(), or write "
                      "weir::instant<Clock>(ticks) to say whose ticks these are");
    }

    [[gnu::always_inline]] constexpr operator tick() const noexcept {  // NOLINT(google-explicit-*)
        return {count};
    }

    friend constexpr bool operator==(instant, instant) = default;

    // So many ticks later.
    template <std::integral Number>
    [[nodiscard, gnu::always_inline]] friend constexpr instant operator+(instant t,
                                                                         Number ticks) noexcept {
        return instant(t.count + static_cast<word>(ticks));
    }

    // What else somebody may write; the compiler says what to write instead. Not constexpr, either.
    template <class Other>
        requires(!std::integral<Other>)
    friend instant operator+(instant t, const Other&) noexcept {
        static_assert(sizeof(Other) == 0,
                      "a time is moved by ticks; so much time later is weir::later(t, time)");
        return t;
    }
    template <class Other>
    friend instant operator-(instant t, const Other&) noexcept {
        static_assert(sizeof(Other) == 0,
                      "the time that lies between a and b is weir::time_between(a, b)");
        return t;
    }
    template <class Other>
    friend int operator<=>(instant, const Other&) noexcept {
        static_assert(sizeof(Other) == 0,
                      "times wrap around: write earlier(a, b) in place of a < b");
        return 0;
    }
};

template <class Clock>
[[nodiscard, gnu::always_inline]] constexpr bool earlier(instant<Clock> a,
                                                         instant<Clock> b) noexcept {
    return earlier(a.count, b.count);
}

// Times of two clocks, or of a clock that is not known, say nothing about each other.
template <class A, class B>
bool earlier(instant<A> a, instant<B> b) = delete;
template <class A>
bool earlier(instant<A> a, tick b) = delete;
template <class B>
bool earlier(tick a, instant<B> b) = delete;
template <class A, class B>
bool operator==(instant<A> a, instant<B> b) = delete;

}  // namespace weir
