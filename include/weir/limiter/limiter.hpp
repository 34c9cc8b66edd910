// SPDX-License-Identifier: MIT
// limiter: a cell with its quota and a clock; what most users want and nothing else. All that it
// can be asked is `basic_limiter`'s; here is a quota that never changes.
//
// A limiter becomes ready with its first decision: see fixed_setting.hpp.
//
// On 64-bit machines a limiter of a gcra takes two cache lines. What decisions read is on the first
// one, beside the options, which nobody reads later. The quota is on the second one, with the cell.
#pragma once

#include <cstdint>
#include <utility>

#include <weir/base/result.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#if __STDC_HOSTED__
#include <weir/cell/gcra.hpp>
#include <weir/clock/default.hpp>
#endif
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/fixed_setting.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/own_parts.hpp>

namespace weir {

#ifdef WEIR_HAS_DEFAULT_CLOCK
template <cell Cell = gcra<>, clock Clock = default_clock, class Observer = unobserved>
#else
template <cell Cell, clock Clock, class Observer = unobserved>
#endif
class limiter : public basic_limiter<own_parts<Cell, fixed_setting<Cell, Clock>, Observer>> {
    using base = basic_limiter<own_parts<Cell, fixed_setting<Cell, Clock>, Observer>>;

public:
    // A quota that this limiter cannot hold does not compile in a constant (`constinit`), and one
    // that compiles works at every frequency that the clock may have. At run time the quota is
    // checked for the frequency that the clock has: if it cannot be held, this throws `refused`, or
    // without exceptions prints the reason and ends the program.
    constexpr explicit limiter(const quota& q, const options& o = {}) : limiter(unchecked{}, q, o) {
        quota_error reason = fixed_setting<Cell, Clock>::refusal(
            q, o);  // not const: or it would be a constant expression
        if (reason != quota_error::none) detail::refuse(reason);
    }

    // The same with an error value.
    [[nodiscard]] static result<limiter, quota_error> make(const quota& q,
                                                           const options& o = {}) noexcept {
        const quota_error reason = fixed_setting<Cell, Clock>::refusal(q, o);
        if (reason != quota_error::none) return reason;
        return limiter(unchecked{}, q, o);
    }

    // Both for a cell whose memory is somewhere else, such as a log in given places.
    constexpr limiter(Cell&& cell, const quota& q, const options& o = {})
        : limiter(make(std::move(cell), q, o).value()) {}
    [[nodiscard]] static result<limiter, quota_error> make(Cell&& cell, const quota& q,
                                                           const options& o = {}) noexcept {
        const quota_error reason = fixed_setting<Cell, Clock>::refusal(q, o);
        if (reason != quota_error::none) return reason;
        if (cell.places() < static_cast<std::uint64_t>(q.units()))
            return quota_error::log_too_small;
        return limiter(unchecked{}, std::move(cell), q, o);
    }

private:
    struct unchecked {};

    constexpr limiter(unchecked, const quota& q, const options& o) noexcept : base(q, o) {}
    limiter(unchecked, Cell&& cell, const quota& q, const options& o) noexcept
        : base(std::move(cell), q, o) {}
};

}  // namespace weir
