// SPDX-License-Identifier: MIT
// A limit as it should be, as one thread sees it: the reference for those that many threads share,
// where each acts at one instant, in some order. Written from what is promised: a unit takes its
// time, what is held is a row of spans, and a refund takes out of the row what is still to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/limiter/limiter.hpp>

namespace stopped {

using weir::word;

// Of one unit a second.
template <class Clock>
class exact_limit {
public:
    struct permit_type {
        word id = 0;
        word units = 0;
        explicit operator bool() const { return units != 0; }
    };

    exact_limit(const weir::quota& q, const weir::options& o)
        : burst_(static_cast<word>(q.burst()) * unit), start_(static_cast<word>(o.start) * unit) {}

    bool try_acquire(word n) { return take(n, burst_, 0); }
    bool charge(word n) { return take(n, 2 * burst_, 0); }
    struct grant {
        word units;
    };
    grant acquire_up_to(word n) {
        const word fits = static_cast<word>(std::max<std::int64_t>(there(), 0)) / unit;
        n = std::min(n, fits);
        (void)take(n, burst_, 0);
        return {n};
    }
    word drain() { return acquire_up_to(burst_).units; }
    permit_type reserve(word n) {
        if (!take(n, burst_, 3'600 * unit)) return {};
        row_.push_back({++ids_, idle_});
        return {ids_, n};
    }
    void refund(permit_type&& p, word n) {
        const word now = begun();
        n = std::min(n, std::exchange(p.units, word{0}));
        const auto mine =
            std::find_if(row_.begin(), row_.end(), [&](const span& s) { return s.id == p.id; });
        if (mine == row_.end() || mine->end <= now) return;
        const word end = mine->end;
        // Who waits has been told when it starts.
        if (idle_ > now + burst_ && end != idle_) return;
        const word back = std::min(n * unit, end - now);
        ++writes_;
        idle_ -= back;
        row_.erase(mine);
        for (span& s : row_) {
            if (s.end > end) s.end -= back;
        }
    }
    void reset() { anew(burst_ - start_); }
    void restore(const weir::snapshot& s) { anew(weir::to_ticks<Clock>(s.time)); }

    // In ticks, of which debts are less than none.
    [[nodiscard]] std::int64_t there() {
        const word now = begun();
        return static_cast<std::int64_t>(burst_ - (std::max(idle_, now) - now));
    }

    [[nodiscard]] int writes() const { return writes_; }

private:
    static constexpr word unit = Clock::hertz();
    struct span {
        word id;
        word end;
    };

    // It starts with the first who comes.
    word begun() {
        const word now = Clock::now().count;
        if (!std::exchange(has_begun_, true)) idle_ = now + burst_ - start_;
        return now;
    }
    bool take(word n, word bound, word patience) {
        const word now = begun();
        const word next = std::max(idle_, now) + n * unit;
        if (n != 0 && (n * unit > bound || next > now + bound + patience)) return false;
        if (n != 0) ++writes_, idle_ = next;
        return true;
    }
    void anew(word ahead) {
        ++writes_;
        idle_ = begun() + ahead;
        row_.clear();
    }

    word burst_;
    word start_;
    bool has_begun_ = false;
    word idle_ = 0;
    std::vector<span> row_;
    word ids_ = 0;
    int writes_ = 0;
};

}  // namespace stopped
