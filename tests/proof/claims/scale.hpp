// SPDX-License-Identifier: MIT
// Claims about how a quota becomes integers, in two parts. Whatever `scale` makes of a quota is as
// `is_kept` says. And of whatever is as this says, a rate makes what the proofs about that rate
// take for granted.
#pragma once

#include <cstdint>

#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

#include "backlog.hpp"

namespace proof {

// `low_bits` of a period are zero. Burst, what is owed or promised and the guard fit into half of
// the circle together.
template <class Word>
[[nodiscard]] constexpr bool is_kept(const weir::scale<Word>& s, unsigned low_bits) noexcept {
    const Word half = weir::largest<Word> / 2;
    const auto part = static_cast<Word>((Word{1} << low_bits) - 1);
    if (s.period == 0 || (s.period & part) != 0 || s.burst == 0 || s.guard > half) return false;
    const std::uint64_t room = half - s.guard;
    const weir::wide burst = weir::multiply(s.period, s.burst);
    const weir::wide debt = weir::multiply(s.period, s.debt);
    return burst.fits(room) && debt.fits(room - burst.low) && s.queue <= room - burst.low;
}

#ifdef WEIR_SCALE_IS_TOLD

// With the stand-in for scale.hpp, whose `make` returns what it is told.
template <class Claims>
struct rates {
    using Word = typename Claims::rate::word_type;

    struct told {
        std::int64_t period, guard, burst, debt, queue;
        unsigned shift;
    };
    [[nodiscard]] static constexpr bool
    a_rate_is_as_the_proofs_want_it(const told& t, unsigned low_bits) noexcept {
        if (t.guard < 0 || t.debt < 0 || t.queue < 0 || t.queue == INT64_MAX) return true;
        const auto q = weir::quota::make(t.queue + 1, weir::nanoseconds(t.period), t.burst);
        if (!q) return true;
        weir::options o;
        o.guard = weir::nanoseconds(t.guard);
        o.debt = t.debt;
        const auto s = weir::scale<Word>::make(*q, o, low_bits, t.shift);
        if (!is_kept(*s, low_bits)) return true;
        const auto r = Claims::rate::make(*q, t.shift, o);
        return r && Claims::of(*r).are_made();
    }
};

#else

// The language forbids to name a private function, but not where a template is made of it.
template <class Word>
struct opened {
    friend constexpr auto at_shift_of(opened) noexcept;
};
template <class Word, auto Function>
struct opener {
    friend constexpr auto at_shift_of(opened<Word>) noexcept { return Function; }
};
template struct opener<std::uint64_t, &weir::scale<std::uint64_t>::at_shift>;
template struct opener<std::uint32_t, &weir::scale<std::uint32_t>::at_shift>;

template <class Word>
struct scales {
    struct asked {
        weir::wide exact;  // the time of a refill is so many granules, divided by `one`
        weir::wide one;
        weir::wide usual;  // guards, in ticks
        weir::wide guard;
        std::int64_t units, burst, debt, queue;
        bool by_word;
        unsigned shift;
    };
    struct guards {
        weir::wide usual;
        bool by_word;
        weir::wide asked;
    };

    template <class Guards>
    using function = weir::result<weir::scale<Word>, weir::quota_error> (*)(
        const weir::quota&, const weir::options&, unsigned, const weir::granules&, const Guards&,
        unsigned) noexcept;
    template <class Guards>
    [[nodiscard]] static constexpr auto call(function<Guards> at_shift, const weir::quota& q,
                                             const weir::options& o, unsigned low_bits,
                                             const asked& a) noexcept {
        const auto g = __builtin_bit_cast(Guards, (guards{a.usual, a.by_word, a.guard}));
        return at_shift(q, o, low_bits, weir::granules(a.exact, a.one), g, a.shift);
    }
    [[nodiscard]] static constexpr bool what_is_made_fits(const asked& a,
                                                          unsigned low_bits) noexcept {
        if (a.exact == weir::wide{} || a.one == weir::wide{}) return true;
        const auto q = weir::quota::make(a.units, weir::nanoseconds(1), a.burst);
        if (!q || a.debt < 0 || (a.queue < 0 && a.queue != weir::options::by_guard)) return true;
        weir::options o;
        o.debt = a.debt;
        o.queue = a.queue;
        if (!a.by_word) o.guard = {};
        const auto s = call(at_shift_of(opened<Word>{}), *q, o, low_bits, a);
        return !s || (is_kept(*s, low_bits) && s->shift == a.shift);
    }
};

#endif

#define WEIR_CLAIMS_OF_SCALE(CLAIM) CLAIM(what_is_made_fits)
#define WEIR_CLAIMS_OF_RATES(CLAIM) CLAIM(a_rate_is_as_the_proofs_want_it)

}  // namespace proof
