// The shape that all cells share, so that a limiter, a table or a test takes any of them.
#pragma once

#include <concepts>
#include <cstdint>

#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
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

// `peek` answers what `try_acquire` would: where that admits, how the cell would be afterwards.
template <class C>
concept cell = requires(C c, const C idle, tick now, typename C::word_type n,
                        const typename C::rate& rate, const quota& q, std::uint64_t hertz,
                        cell_state<typename C::word_type> state) {
    requires answer<typename C::decision_type>;
    { C::rate::make(q, hertz, options{}) } -> std::same_as<result<typename C::rate, quota_error>>;
    { C::rate::between(q, hertz_bounds{}, options{}) } -> std::same_as<quota_error>;
    { c.try_acquire(now, n, rate) } -> std::same_as<typename C::decision_type>;
    { c.charge(now, n, rate) } -> std::same_as<typename C::decision_type>;
    { c.acquire_up_to(now, n, rate) } -> std::same_as<grant<typename C::decision_type>>;
    { idle.peek(now, n, rate) } -> std::same_as<typename C::decision_type>;
    c.fill(now, n, rate);
    c.start(now, n, rate);
    { idle.state(now, rate) } -> std::same_as<cell_state<typename C::word_type>>;
    { c.restore(now, state, rate) } -> std::same_as<bool>;
};

}  // namespace weir
