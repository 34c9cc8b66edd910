// SPDX-License-Identifier: MIT
// Planted mistakes that more than one suite must find.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/cell/quota.hpp>

namespace oracle {

// A gcra that gives a unit too much to who asks for at least `Least` and would have had to wait for
// one alone.
template <weir::word Least>
class generous_rate : public weir::gcra<>::rate {
public:
    using base = weir::gcra<>::rate;

    generous_rate() = default;
    constexpr generous_rate(const base& b) : base(b) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static constexpr weir::result<generous_rate, weir::quota_error>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = base::make(q, hertz, o);
        if (!made) return made.error();
        return generous_rate(*made);
    }

    [[nodiscard]] weir::step<weir::word> take(weir::word tat, weir::tick now,
                                              weir::word n) const noexcept {
        const auto s = base::take(tat, now, n);
        const bool last = s.verdict == weir::verdict::wait && s.wait <= period() && n >= Least;
        return last ? weir::step<weir::word>{weir::verdict::admitted, tat + cost(n), 0} : s;
    }
    // As it is; but GCC takes a pointer to the base's member for a breach of aliasing.
    [[nodiscard]] weir::step<weir::word> charge(weir::word tat, weir::tick now,
                                                weir::word n) const noexcept {
        return base::charge(tat, now, n);
    }
};
template <weir::word Least>
class generous_gcra : public weir::one_word<generous_rate<Least>, weir::atomic> {};

// A gcra without a guard: what lies further ahead than a burst is a relic to it, also if that is
// because the clock has run back.
class trusting_rate : public weir::gcra<>::rate {
public:
    using base = weir::gcra<>::rate;

    trusting_rate() = default;
    constexpr trusting_rate(const base& b) : base(b) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static constexpr weir::result<trusting_rate, weir::quota_error>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = base::make(q, hertz, o);
        if (!made) return made.error();
        return trusting_rate(*made);
    }

    [[nodiscard]] weir::step<weir::word> take(weir::word tat, weir::tick now,
                                              weir::word n) const noexcept {
        const auto at = weir::fractions<weir::word>(now, shift());
        const weir::word full = cost(burst()) + (weir::word{1} << shift());
        return base::take(tat - at > full ? at : tat, now, n);
    }
    [[nodiscard]] weir::step<weir::word> charge(weir::word tat, weir::tick now,
                                                weir::word n) const noexcept {
        return base::charge(tat, now, n);
    }
};
class trusting_gcra : public weir::one_word<trusting_rate, weir::atomic> {};

// Compares and then stores: what another thread writes in between is overwritten.
template <class T, template <class> class Atomic>
class in_two_steps : public Atomic<T> {
public:
    using Atomic<T>::Atomic;
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        const T seen = this->load_relaxed();
        const bool same = seen == expected;
        if (same) this->store_relaxed(desired);
        expected = seen;
        return same;
    }
};

}  // namespace oracle
