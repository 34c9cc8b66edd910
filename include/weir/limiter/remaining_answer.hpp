// SPDX-License-Identifier: MIT
// remaining_answer: what a limit answers when it is told what a server says is left.
#pragma once

#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/obeyed.hpp>

namespace weir {

template <class Decision>
class remaining_answer {
public:
    constexpr remaining_answer(obeyed how, nanoseconds time, const Decision& after) noexcept
        : how_(how), time_(time), after_(after) {}

    // No more than the units that were told pass until the reset.
    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return how_ == obeyed::whole || how_ == obeyed::needless;
    }
    [[nodiscard]] constexpr obeyed how() const noexcept { return how_; }

    // For so long no more than these units pass: until the reset, or for less time if the limit
    // cannot look so far ahead.
    [[nodiscard]] constexpr nanoseconds obeyed_for() const noexcept { return time_; }

    // How the limit stands now. Until the reset more may come than remain now, up to what was told.
    [[nodiscard]] constexpr const Decision& after() const noexcept { return after_; }
    [[nodiscard]] constexpr auto remaining() const noexcept { return after_.remaining(); }

private:
    obeyed how_;
    nanoseconds time_;
    Decision after_;
};

// "obeyed until the reset, 3 remaining", "obeyed, but not until the reset: for 10 s, 0 remaining".
template <class Decision>
[[nodiscard]] constexpr text to_text(const remaining_answer<Decision>& a) noexcept {
    text t(describe(a.how()));
    if (a.how() == obeyed::in_part) t.add(": for ").add(to_text(a.obeyed_for()).c_str());
    return t.add(", ").add(a.remaining()).add(" remaining");
}

}  // namespace weir
