// SPDX-License-Identifier: MIT
// What is measured in the same way: each cell, the limiter, the peer. A subject is made from a
// quota; `take` reads the cycle clock itself or is given the time.
#pragma once

#include <mutex>
#include <utility>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"

namespace bench {

// Of each kind.
template <class Kind>
using cell_of = typename Kind::template cell<window_units>;

// A cell and its rate on lines of their own, as the limiter has them.
template <class Cell, class Observer = weir::unobserved>
class cell_subject {
public:
    static constexpr bool is_window = weir::period_cell<Cell>;
    static constexpr bool is_log = weir::log_cell<Cell>;

    explicit cell_subject(const weir::quota& q)
        : rate_(Cell::rate::make(q, core_clock::hertz()).value()) {}

    [[nodiscard]] static auto now() noexcept { return core_clock::now(); }
    [[gnu::always_inline]] bool take(weir::word n) noexcept { return take(n, now()); }
    [[gnu::always_inline]] bool take(weir::word n, weir::tick at) noexcept {
        return cell_.try_acquire(at, n, rate_, Observer()).admitted();
    }
    void fill(weir::word units) noexcept { cell_.fill(now(), units, rate_); }

private:
    alignas(weir::cache_line) Cell cell_;
    alignas(weir::cache_line) typename Cell::rate rate_;
};

template <class Limiter>
class limiter_subject {
public:
    static constexpr bool is_log = false;

    explicit limiter_subject(const weir::quota& q) : limiter_(q) {}

    [[nodiscard]] static auto now() noexcept { return Limiter::clock_type::now(); }
    [[gnu::always_inline]] bool take(weir::word n) noexcept {
        return limiter_.try_acquire(n).admitted();
    }
    [[gnu::always_inline]] bool take(weir::word n,
                                     weir::instant<typename Limiter::clock_type> at) noexcept {
        return limiter_.try_acquire(n, at).admitted();
    }
    void fill(weir::word units) noexcept {
        limiter_.reset();
        (void)limiter_.acquire_up_to(static_cast<weir::word>(limiter_.quota().burst()) - units);
    }

protected:
    [[nodiscard]] Limiter& limiter() noexcept { return limiter_; }

private:
    Limiter limiter_;
};

// A unit that is reserved and given back at once.
template <class Limiter>
class refunding_subject : public limiter_subject<Limiter> {
public:
    using limiter_subject<Limiter>::limiter_subject;
    using limiter_subject<Limiter>::take;

    bool take(weir::word n) noexcept {
        auto place = this->limiter().reserve(n, weir::nanoseconds{});
        const bool admitted{place};
        (void)this->limiter().refund(std::move(place));
        return admitted;
    }
};

// Two limits at once.
template <class Limiter>
class joint_subject {
public:
    static constexpr bool is_log = false;

    explicit joint_subject(const weir::quota& q) : first_(q), second_(q) {}

    [[nodiscard]] static auto now() noexcept { return Limiter::clock_type::now(); }
    bool take(weir::word n) noexcept { return both_.try_acquire(n).admitted(); }
    bool take(weir::word n, weir::instant<typename Limiter::clock_type> at) noexcept {
        return both_.try_acquire(n, at).admitted();
    }
    void fill(weir::word units) noexcept {
        for (auto* one : {&first_, &second_}) {
            one->reset();
            (void)one->acquire_up_to(static_cast<weir::word>(one->quota().burst()) - units);
        }
    }

private:
    Limiter first_;
    Limiter second_;
    weir::all_of<Limiter, Limiter> both_{first_, second_};
};

// The peer: the token bucket that one writes by hand, a mutex and doubles.
template <class Clock>
class mutex_bucket_by {
public:
    static constexpr bool is_log = false;

    explicit mutex_bucket_by(const weir::quota& q)
        : burst_(static_cast<double>(q.burst())),
          per_tick_(static_cast<double>(q.units()) * 1e9 / static_cast<double>(q.period().count()) /
                    static_cast<double>(Clock::hertz())),
          tokens_(burst_),
          last_(now()) {}

    [[nodiscard]] static weir::tick now() { return Clock::now(); }
    [[gnu::always_inline]] bool take(weir::word n) { return take(n, now()); }
    [[gnu::always_inline]] bool take(weir::word n, weir::tick at) {
        const std::lock_guard lock(mutex_);
        if (weir::earlier(last_, at)) {
            tokens_ += static_cast<double>(at.count - last_.count) * per_tick_;
            if (tokens_ > burst_) tokens_ = burst_;
            last_ = at;
        }
        const auto units = static_cast<double>(n);
        if (units > tokens_) return false;
        tokens_ -= units;
        return true;
    }
    void fill(weir::word units) {
        const std::lock_guard lock(mutex_);
        tokens_ = static_cast<double>(units);
        last_ = now();
    }

private:
    std::mutex mutex_;
    double burst_;
    double per_tick_;
    double tokens_;
    weir::tick last_;
};

// By the same clock as the cells, so that only what it does with the time is compared.
using mutex_bucket = mutex_bucket_by<core_clock>;

}  // namespace bench
