// SPDX-License-Identifier: MIT
// leaky_bucket: the bucket as a meter (ITU-T I.371, continuous-state leaky bucket). Units pour in
// and leak out at the quota's rate; what would overflow the capacity, the quota's burst, is refused
// at once. The cell is the instant at which the bucket will be empty, which makes it gcra's
// inequality in other words, as I.371 shows; so they share backlog.hpp and one_word.hpp, and a
// bucket can also be asked for its level.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/one_word.hpp>

namespace weir {

template <class Word = word, template <class> class Atomic = atomic>
class leaky_bucket : public one_word<backlog_rate<Word>, Atomic> {
public:
    // Units in the bucket, a partly leaked one included. Changes nothing.
    [[nodiscard]] Word level(tick now, const backlog_rate<Word>& r) const noexcept {
        return r.level(this->load(), now);
    }
};

static_assert(cell<leaky_bucket<>>);

}  // namespace weir
