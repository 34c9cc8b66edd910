// SPDX-License-Identifier: MIT
// gcra: the Generic Cell Rate Algorithm (ITU-T I.371, virtual scheduling). The cell is the
// theoretical arrival time; what comes no more than a burst's time before it conforms.
// Any number of threads write it: the rule is in backlog.hpp, the protocol in one_word.hpp.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/one_word.hpp>

namespace weir {

template <class Word = word, template <class> class Atomic = atomic>
class gcra : public one_word<backlog_rate<Word>, Atomic> {};

static_assert(cell<gcra<>>);

}  // namespace weir
