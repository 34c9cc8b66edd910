// counters: how many decisions went which way, for a limiter that is asked to count them. Relaxed
// increments on a cache line of their own: each count is exact, their sum may be a moment behind.
// A refund counts nothing, neither a permit's nor that of an all_of which has lost a race: what it
// gives back stays counted as admitted.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>

namespace weir {

class alignas(cache_line) counters final {
public:
    constexpr counters() noexcept = default;
    counters(counters&& other) noexcept
        : admitted_(other.admitted()),
          denied_(other.denied()),
          never_(other.never()),
          retries_(other.retries()) {}
    counters& operator=(counters&& other) noexcept {
        admitted_.store_relaxed(other.admitted());
        denied_.store_relaxed(other.denied());
        never_.store_relaxed(other.never());
        retries_.store_relaxed(other.retries());
        return *this;
    }
    ~counters() = default;

    [[nodiscard]] word admitted() const noexcept { return admitted_.load_relaxed(); }
    [[nodiscard]] word denied() const noexcept { return denied_.load_relaxed(); }
    [[nodiscard]] word never() const noexcept { return never_.load_relaxed(); }
    [[nodiscard]] word retries() const noexcept { return retries_.load_relaxed(); }

    void on_admitted() noexcept { admitted_.fetch_add_relaxed(1); }
    void on_denied() noexcept { denied_.fetch_add_relaxed(1); }
    void on_never() noexcept { never_.fetch_add_relaxed(1); }
    void on_retry() noexcept { retries_.fetch_add_relaxed(1); }

private:
    atomic<word> admitted_{0};  // decisions, whatever their number of units
    atomic<word> denied_{0};
    atomic<word> never_{0};
    atomic<word> retries_{0};  // races lost inside a decision
};

}  // namespace weir
