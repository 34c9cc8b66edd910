// SPDX-License-Identifier: MIT
// log_decision: what a sliding_log answers.
#pragma once

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

namespace weir {

// What a log answers. It keeps no reference to the log, so it may outlive it.
template <class Word>
class [[nodiscard]] log_decision {
public:
    using word_type = Word;
    static constexpr Word forever = largest<Word>;

    // `reset` and `retry` in ticks.
    constexpr log_decision(weir::verdict verdict, Word remaining, Word reset, Word retry) noexcept
        : verdict_(verdict), remaining_(remaining), reset_(reset), retry_(retry) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }

    // Units that could still pass at the time of the decision.
    [[nodiscard]] constexpr Word remaining() const noexcept { return remaining_; }

    // Ticks until the log is as good as new, if nothing more comes.
    [[nodiscard]] constexpr Word reset_after() const noexcept { return reset_; }

    // Ticks after which the same request passes, if nothing else comes; one tick earlier it does
    // not. Zero if it was admitted, `forever` if it never will be.
    [[nodiscard]] constexpr Word retry_after() const noexcept { return retry_; }

private:
    weir::verdict verdict_;
    Word remaining_;
    Word reset_;
    Word retry_;
};

}  // namespace weir
