// SPDX-License-Identifier: MIT
// fixed_window: so many units in a window of one period that opens with its first action.
// aligned_window: the same in windows that the clock opens, as exchanges count: with utc_clock in
// each UTC second or minute. The quota's burst is the window's units.
//
// What a window cannot promise: around the end of one and the start of the next, up to twice its
// units pass in less than a period; sliding_log is the cell that never lets them. Any number of
// threads write it: the rule is in window.hpp, the protocol in one_word.hpp.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/cell/window.hpp>

namespace weir {

template <class Word = word, template <class> class Atomic = atomic>
class fixed_window : public one_word<window_rate<Word, opens::with_first_action>, Atomic> {};

template <class Word = word, template <class> class Atomic = atomic>
class aligned_window : public one_word<window_rate<Word, opens::with_clock>, Atomic> {};

static_assert(cell<fixed_window<>>);

}  // namespace weir
