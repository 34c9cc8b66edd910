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
struct instant {
    word count = 0;  // ticks

    constexpr instant() noexcept = default;

    // A number that is wider than the word keeps its low bits: times live on a circle.
    template <std::integral Number>
    [[gnu::always_inline]] constexpr explicit instant(Number ticks) noexcept
        : count(static_cast<word>(ticks)) {}
    [[gnu::always_inline]] constexpr explicit instant(tick t) noexcept : count(t.count) {}

    // Whatever else is given in place of an instant.
    template <class Other>
    constexpr instant(Other) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "this is no time of the limit's clock: take that clock's now(), or write "
                      "weir::instant<Clock>(ticks) to say whose ticks these are");
    }

    [[gnu::always_inline]] constexpr operator tick() const noexcept {  // NOLINT(google-explicit-*)
        return {count};
    }

    friend constexpr bool operator==(instant, instant) = default;

    // So many ticks later.
    [[nodiscard, gnu::always_inline]] friend constexpr instant operator+(instant t,
                                                                         word ticks) noexcept {
        return instant(t.count + ticks);
    }
};

template <class Clock>
[[nodiscard, gnu::always_inline]] constexpr bool earlier(instant<Clock> a,
                                                         instant<Clock> b) noexcept {
    return earlier(a.count, b.count);
}
template <class A, class B>
bool earlier(instant<A> a, instant<B> b) = delete;  // of two clocks

}  // namespace weir
