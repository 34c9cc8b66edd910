// What wants to hear of decisions. The cell reports lost races, the limiter reports the rest; the
// default hears nothing and leaves no instruction behind.
#pragma once

namespace weir {

struct unobserved {
    constexpr void on_admitted() noexcept {}
    constexpr void on_denied() noexcept {}
    constexpr void on_never() noexcept {}
    constexpr void on_retry() noexcept {}
};

}  // namespace weir
