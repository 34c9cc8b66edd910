// SPDX-License-Identifier: MIT
// A cell's decision with its ticks turned into time. It stays in registers, and what is not asked
// for is not computed.
#pragma once

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

template <answer Decision, clock Clock>
class [[nodiscard]] timed_decision {
public:
    using word_type = typename Decision::word_type;

    constexpr timed_decision(const Decision& d) noexcept  // NOLINT(google-explicit-constructor)
        : ticks_(d) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return ticks_.admitted(); }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return ticks_.verdict(); }

    // Units that could still pass at this instant.
    [[nodiscard]] constexpr word_type remaining() const noexcept { return ticks_.remaining(); }

    // Until the limit is as good as new, if nothing more comes.
    [[nodiscard]] constexpr nanoseconds reset_after() const noexcept {
        return to_time<Clock>(ticks_.reset_after());
    }

    // Until the same request passes, if nothing else comes. Zero if it was admitted, the longest
    // time if it never will be.
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        if (verdict() == verdict::never) return nanoseconds::longest();
        return to_time<Clock>(ticks_.retry_after());
    }

    // The same in ticks of the clock.
    [[nodiscard]] constexpr const Decision& ticks() const noexcept { return ticks_; }

private:
    Decision ticks_;
};

}  // namespace weir
