// SPDX-License-Identifier: MIT
// A stand-in that is found before the shipped header: its `make` returns the scale that is told in
// the quota and the options, number by number. So a claim about what a rate makes of a scale is one
// of every scale, and not only of those that some quota has.
#pragma once

#define scale shipped_scale
#include_next <weir/cell/scale.hpp>
#undef scale

namespace weir {

template <class Word>
struct scale : shipped_scale<Word> {
    // Period and guard are in fractions of a tick, and so is the queue: the quota's units, which
    // are one more. The frequency is the shift.
    [[nodiscard]] static constexpr result<scale, quota_error>
    make(const quota& q, const options& o, unsigned /*low_bits*/, std::uint64_t hertz,
         unsigned /*least*/ = 0, unsigned /*precise*/ = 0) noexcept {
        return scale{{static_cast<Word>(q.period().count()), static_cast<Word>(o.guard.count()),
                      static_cast<Word>(q.burst()), static_cast<Word>(o.debt),
                      static_cast<Word>(q.units() - 1), static_cast<unsigned>(hertz)}};
    }
};

}  // namespace weir
