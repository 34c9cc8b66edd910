// SPDX-License-Identifier: MIT
// each: what a keyed pacer is told by type: what an item's destination is, and of which kind the
// limits of the destinations are. And the overall limit of those that have none.
#pragma once

#include <cstddef>
#include <type_traits>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

// Key names what an item is for: a member of it, or a function of it. Each key has a limit of this
// cell. With several quotas, Class names which of them a key has: a number or an enumerator below
// Classes.
template <auto Key, class Cell = gcra<>, auto Class = nullptr, std::size_t Classes = 1>
struct each {
    // One quota, or an array with one for each class.
    using quotas = std::conditional_t<Classes == 1, quota, quota[Classes]>;
};

// Lets everything go.
template <clock Clock>
class no_limit {
public:
    using clock_type = Clock;
    class decision {
    public:
        [[nodiscard]] static constexpr bool admitted() noexcept { return true; }
        [[nodiscard]] static constexpr weir::verdict verdict() noexcept {
            return verdict::admitted;
        }
        [[nodiscard]] static constexpr nanoseconds retry_after() noexcept { return {}; }
    };

    [[nodiscard]] static constexpr decision try_acquire(word, instant<Clock>) noexcept {
        return {};
    }
    [[nodiscard]] static constexpr decision peek(word, instant<Clock>) noexcept { return {}; }
};

}  // namespace weir
