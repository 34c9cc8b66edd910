// SPDX-License-Identifier: MIT
// What a cell answers. A decision stays in registers and costs no division: what it knows is in the
// cell's own time (fractions of a tick) and is turned into units and ticks only when asked.
#pragma once

#include <concepts>

#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>

namespace weir {

// A tick in fractions of which 2^shift make one, and a length of time back in ticks, rounded up.
template <class Word>
[[nodiscard]] constexpr Word fractions(tick now, unsigned shift) noexcept {
    return static_cast<Word>(static_cast<Word>(now.count) << shift);
}
template <class Word>
[[nodiscard]] constexpr Word ticks(Word time, unsigned shift) noexcept {
    const auto part = static_cast<Word>((Word{1} << shift) - 1);
    return static_cast<Word>((time >> shift) + ((time & part) != 0 ? 1U : 0U));
}

enum class verdict : unsigned char {
    admitted,
    wait,   // later: retry_after says when
    never,  // more units than the burst: no wait will help
};
[[nodiscard]] constexpr const char* describe(verdict v) noexcept {
    switch (v) {
        case verdict::admitted: return "admitted";
        case verdict::wait: return "wait";
        case verdict::never: return "never";
    }
    return "unknown verdict";
}

template <class Word>
class [[nodiscard]] decision {
public:
    using word_type = Word;
    static constexpr Word forever = largest<Word>;

    // `room` in units times `unit`; `reset` and `wait` in ticks times 2^shift. The verdict could be
    // told from `wait`, but then who asks only for it would pay for computing that.
    constexpr decision(weir::verdict verdict, Word room, Word unit, Word reset, Word wait,
                       unsigned shift) noexcept
        : verdict_(verdict), shift_(shift), room_(room), unit_(unit), reset_(reset), wait_(wait) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }

    // Units that could still pass at this instant.
    [[nodiscard]] constexpr Word remaining() const noexcept { return room_ / unit_; }

    // Ticks until the cell is as good as new, if nothing more comes.
    [[nodiscard]] constexpr Word reset_after() const noexcept { return ticks(reset_, shift_); }

    // Ticks after which the same request passes, if nothing else comes; one tick earlier it does
    // not. Zero if it was admitted, `forever` if it never will be.
    [[nodiscard]] constexpr Word retry_after() const noexcept {
        return verdict_ == verdict::never ? forever : ticks(wait_, shift_);
    }

private:
    weir::verdict verdict_;
    unsigned shift_;
    Word room_;
    Word unit_;
    Word reset_;
    Word wait_;
};

// What a rule makes of a state: the verdict, the state that follows (the same one if nothing is
// admitted) and, in ticks times 2^shift, the wait until it would be or, reserved, will be. Three
// words, so that a loop around a compare-exchange carries no more; the rest of a decision is told
// from `next`.
template <class Word>
struct step {
    weir::verdict verdict;
    Word next;
    Word wait;
};

// What came of taking as many units as there are: how many, and the step that took them or refused.
template <class Word>
struct taken {
    Word units;
    step<Word> how;
};

// A partial grant: how many of the units asked for were taken, and how the cell stands after it.
template <class Decision>
struct [[nodiscard]] grant {
    typename Decision::word_type units;
    Decision after;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return units != 0; }
};

// Of a decision in time or in ticks: "admitted, 19 remaining", "wait 100 ms", "never".
template <class Decision>
    requires requires(const Decision& d) {
        { d.verdict() } -> std::same_as<verdict>;
        d.retry_after();
    }
[[nodiscard]] constexpr text to_text(const Decision& d) noexcept {
    text t(describe(d.verdict()));
    if (d.verdict() == verdict::admitted) {
        if constexpr (requires { d.remaining(); }) t.add(", ").add(d.remaining()).add(" remaining");
    } else if (d.verdict() == verdict::wait) {
        t.add(" ");
        if constexpr (std::same_as<decltype(d.retry_after()), nanoseconds>) {
            t.add(to_text(d.retry_after()).c_str());
        } else {
            t.add(d.retry_after()).add(d.retry_after() == 1 ? " tick" : " ticks");
        }
    }
    if constexpr (requires { d.refused_by(); }) {
        if (!d.admitted()) t.add(", refused by limit ").add(d.refused_by());
    }
    return t;
}

// "5 units, 3 remaining", "0 units, wait 100 ms".
template <class Grant>
    requires requires(const Grant& g) {
        g.units;
        { g.after.verdict() } -> std::same_as<verdict>;
    }
[[nodiscard]] constexpr text to_text(const Grant& g) noexcept {
    text t;
    t.add(g.units).add(g.units == 1 ? " unit, " : " units, ");
    if (g.after.admitted()) return t.add(g.after.remaining()).add(" remaining");
    return t.add(to_text(g.after).c_str());
}

}  // namespace weir
