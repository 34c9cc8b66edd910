// SPDX-License-Identifier: MIT
// The shape that all cells share, so that a limiter, a table or a test takes any of them.
#pragma once

#include <concepts>
#include <cstdint>

#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

// A cell's state free of clock and rate: whole units and ticks, whose meaning is the cell's own.
template <class Word>
struct cell_state {
    Word units;
    Word ticks;

    friend constexpr bool operator==(cell_state, cell_state) = default;
};

// Can a cell at this rate be in that state?
template <class Word, class Rate>
[[nodiscard]] constexpr bool is_possible(cell_state<Word> state, const Rate& r) noexcept {
    const cell_state<Word> most = r.most_state();
    return state.units <= most.units && state.ticks <= most.ticks;
}
// A `now` that is late sees more ticks than any cell can hold.
template <class Word, class Rate>
[[nodiscard]] constexpr cell_state<Word> as_possible(cell_state<Word> seen,
                                                     const Rate& r) noexcept {
    return {seen.units, smaller(seen.ticks, r.most_state().ticks)};
}

// What a cell answers: `decision`, or what can be asked for the same.
template <class D>
concept answer = requires(const D d) {
    typename D::word_type;
    { d.verdict() } -> std::same_as<verdict>;
    { d.admitted() } -> std::same_as<bool>;
    { d.remaining() } -> std::same_as<typename D::word_type>;
    { d.reset_after() } -> std::same_as<typename D::word_type>;
    { d.retry_after() } -> std::same_as<typename D::word_type>;
};

// All that a limiter asks of every cell. What only some cells can do (`reserve`, refunds, `level`)
// is asked for where it is used.
//
// `peek` answers what `try_acquire` would: where that admits, how the cell would be afterwards.
// `take_up_to` takes from `least` to `most` units or none; with a `least` above `most` it is
// refused as what never fits. A cell that lacks one of these does not compile in a limiter, and the
// compiler names the expression. Each that takes units may be given an observer after the rate.
template <class C>
concept cell = requires(C c, const C idle, tick now, typename C::word_type n,
                        typename C::word_type most, typename C::word_type least,
                        const typename C::rate& rate, const quota& q, std::uint64_t hertz,
                        cell_state<typename C::word_type> state, unobserved observer) {
    requires answer<typename C::decision_type>;
    { C::rate::make(q, hertz, options{}) } -> std::same_as<result<typename C::rate, quota_error>>;
    { C::rate::between(q, hertz_bounds{}, options{}) } -> std::same_as<quota_error>;
    { c.try_acquire(now, n, rate, observer) } -> std::same_as<typename C::decision_type>;
    { c.charge(now, n, rate, observer) } -> std::same_as<typename C::decision_type>;
    { c.acquire_up_to(now, n, rate, observer) } -> std::same_as<grant<typename C::decision_type>>;
    {
        c.take_up_to(now, most, least, rate, observer)
        } -> std::same_as<taken<typename C::word_type>>;
    { idle.peek(now, n, rate) } -> std::same_as<typename C::decision_type>;
    { idle.debt(now, rate) } -> std::same_as<typename C::word_type>;
    c.fill(now, n, rate);
    c.start(now, n, rate);
    { idle.state(now, rate) } -> std::same_as<cell_state<typename C::word_type>>;
    { c.restore(now, state, rate) } -> std::same_as<bool>;
    { rate.most_state() } -> std::same_as<cell_state<typename C::word_type>>;
};

// It can promise units that have not come yet.
template <class Cell>
concept reserving_cell = requires(Cell c, typename Cell::word_type n,
                                  const typename Cell::rate& r) {
    c.reserve({}, n, n, r);
};

// It can take back what was promised.
template <class Cell>
concept refunding_cell = requires(typename Cell::word_type n, const typename Cell::rate& r) {
    r.refundable(n, {}, n, n);
};

}  // namespace weir
