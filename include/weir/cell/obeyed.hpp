// SPDX-License-Identifier: MIT
// obeyed: what becomes of a number that a server tells: so many units are left, and the count
// begins anew so much later. Each rule answers in `lowered`, a pure function, the stricter of a
// state and of what was told, for a reset that is no further ahead than its `furthest_reset`.
#pragma once

#include <concepts>

#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

namespace weir {

enum class obeyed : unsigned char {
    whole,     // no more than the units that were told pass until the reset
    needless,  // nor would more without being told: the limit itself is as strict or stricter
    in_part,   // not until the reset: the limit cannot look so far ahead
    no_place,  // nothing has changed: a keyed table has no place for the key
};
[[nodiscard]] constexpr const char* describe(obeyed o) noexcept {
    switch (o) {
        case obeyed::whole: return "obeyed until the reset";
        case obeyed::needless: return "the limit lets no more pass anyway";
        case obeyed::in_part: return "obeyed, but not until the reset";
        case obeyed::no_place: return "the table has no place for the key";
    }
    return "unknown outcome";
}

// What a rule makes of a state and of what was told: the state that follows, and for how many ticks
// no more than the told units pass. That is the time until the reset, or less if it is obeyed in
// part.
template <class Word>
struct lowered_to {
    obeyed how;
    Word next;
    Word ticks;
};

// What came of it in a cell: for how many ticks it is obeyed, and how the cell stands after it.
template <class Decision>
struct told_remaining {
    obeyed how;
    typename Decision::word_type ticks;
    Decision after;
};

// A rule that has one.
template <class Rate>
concept lowers = requires(const Rate r, typename Rate::word_type n, tick now) {
    { r.furthest_reset() } -> std::same_as<typename Rate::word_type>;
    { r.lowered(n, now, n, n, true) } -> std::same_as<lowered_to<typename Rate::word_type>>;
};

// It can be told what a server says is left.
template <class Cell>
concept told_cell = requires(Cell c, tick now, typename Cell::word_type n,
                             const typename Cell::rate& r) {
    { c.set_remaining(now, n, n, r) } -> std::same_as<told_remaining<typename Cell::decision_type>>;
    {
        c.lower_remaining(now, n, n, r)
        } -> std::same_as<told_remaining<typename Cell::decision_type>>;
};

// A reset may be as far ahead as half the word's circle, in ticks of which one has 2^shift
// fractions.
template <class Word>
[[nodiscard]] constexpr Word furthest_reset(unsigned shift) noexcept {
    return static_cast<Word>(largest<Word> / 2 >> shift);
}
// What a rule makes of it, or if the reset is further than the rule can look, of as much of it.
template <lowers Rate, class Word>
[[nodiscard]] constexpr lowered_to<Word> lowered_by(const Rate& r, Word state, tick now, Word units,
                                                    Word reset, bool anew) noexcept {
    const Word furthest = r.furthest_reset();
    lowered_to<Word> to = r.lowered(state, now, units, smaller(reset, furthest), anew);
    if (reset > furthest) to.how = obeyed::in_part;
    return to;
}

}  // namespace weir
