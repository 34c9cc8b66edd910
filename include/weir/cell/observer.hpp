// SPDX-License-Identifier: MIT
// What wants to hear of decisions. The cell reports lost races, the limiter reports the rest; the
// default hears nothing and leaves no instruction behind. There is no base to inherit from, because
// a function whose name is misspelt would then compile and never be called: an observer has all
// four.
#pragma once

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

namespace weir {

struct unobserved final {
    constexpr void on_admitted(word /*units*/) noexcept {}
    constexpr void on_denied() noexcept {}
    constexpr void on_never() noexcept {}
    constexpr void on_retry() noexcept {}
};

template <class T>
concept hears_decisions = requires(T hearer, word units) {
    hearer.on_admitted(units);
    hearer.on_denied();
    hearer.on_never();
    hearer.on_retry();
};

template <hears_decisions Observer>
[[gnu::always_inline]] constexpr void tell(Observer& observer, verdict v, word units) noexcept {
    switch (v) {
        case verdict::admitted: observer.on_admitted(units); break;
        case verdict::wait: observer.on_denied(); break;
        case verdict::never: observer.on_never(); break;
    }
}

}  // namespace weir
