// SPDX-License-Identifier: MIT
// A cell whose rate is watched: Relacy sees who reads and who writes the rate that threads share,
// and so whether a limiter publishes it before it is read. Rates that are a thread's own are not.
#pragma once

#include <cstdint>

#include <weir/cell/gcra.hpp>
#include <weir/cell/observer.hpp>

#include "../check.hpp"

namespace model {

// Where a rate is shared, and what Relacy knows of it; not in the rate, which must be trivial.
struct watch {
    const void* from = nullptr;
    const void* to = nullptr;
    shared<rl::var<int>> rate;
};
inline watch watched;

class watched_rate : public weir::gcra<>::rate {
public:
    using plain = weir::gcra<>::rate;

    watched_rate() = default;
    watched_rate(const plain& p) : plain(p) {}  // NOLINT(google-explicit-constructor)
    watched_rate(const watched_rate&) = default;
    ~watched_rate() = default;
    watched_rate& operator=(const watched_rate& other) {
        if (is_shared()) (*watched.rate)(RL_INFO) = 1;
        plain::operator=(other.seen());
        return *this;
    }

    [[nodiscard]] static weir::result<watched_rate, weir::quota_error>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o) noexcept {
        const auto made = plain::make(q, hertz, o);
        if (!made) return made.error();
        return watched_rate(*made);
    }

    [[nodiscard]] const plain& seen() const {
        if (is_shared()) static_cast<void>((*watched.rate)(RL_INFO).load());
        return *this;
    }

private:
    [[nodiscard]] bool is_shared() const { return watched.from <= this && this < watched.to; }
};

class watched_cell : public weir::gcra<> {
public:
    using rate = watched_rate;

    template <class Observer = weir::unobserved>
    auto try_acquire(weir::tick now, word_type n, const rate& r, Observer&& o = {}) noexcept {
        return gcra::try_acquire(now, n, r.seen(), o);
    }
    template <class Observer = weir::unobserved>
    auto charge(weir::tick now, word_type n, const rate& r, Observer&& o = {}) noexcept {
        return gcra::charge(now, n, r.seen(), o);
    }
    template <class Observer = weir::unobserved>
    auto acquire_up_to(weir::tick now, word_type n, const rate& r, Observer&& o = {}) noexcept {
        return gcra::acquire_up_to(now, n, r.seen(), o);
    }
};

}  // namespace model
