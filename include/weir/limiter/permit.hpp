// SPDX-License-Identifier: MIT
// permit: a place in the order of a limit, or the reason why there is none. It says when it starts
// and can be given back once; nothing happens if it is dropped. It refers to its limit, and must
// not be asked when it starts after that is gone. A limit that a container has moved, or made anew
// in the same place, is another one, which gives nothing back for it.
#pragma once

#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

template <class Limiter>
class [[nodiscard]] permit {
    using clock = typename Limiter::clock_type;
    using instant = weir::instant<clock>;

public:
    permit() noexcept = default;

    permit(permit&& other) noexcept
        : owner_(other.owner_),
          verdict_(other.verdict_),
          units_(std::exchange(other.units_, 0)),
          start_(other.start_),
          wait_(other.wait_),
          receipt_(other.receipt_) {}
    permit& operator=(permit&& other) noexcept {
        owner_ = other.owner_;
        verdict_ = other.verdict_;
        units_ = std::exchange(other.units_, 0);
        start_ = other.start_;
        wait_ = other.wait_;
        receipt_ = other.receipt_;
        return *this;
    }
    ~permit() = default;

    [[nodiscard]] explicit operator bool() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] weir::verdict verdict() const noexcept { return verdict_; }

    // What it holds: none if it was refused or has been given back.
    [[nodiscard]] word units() const noexcept { return units_; }

    // From when on it may be used; of a limit that changes its quota, as it looks now, and not
    // after `now` if it may be used by then.
    [[nodiscard]] instant start() const noexcept { return start(clock::now()); }
    [[nodiscard]] instant start([[maybe_unused]] instant now) const noexcept {
        if constexpr (requires { owner_->start_of(receipt_, now); }) {
            return owner_ == nullptr ? start_ : owner_->start_of(receipt_, now);
        } else {
            return start_;
        }
    }

    // How long its start lay ahead when it was asked for; of a refused one, how long it would have.
    // The longest time if it never would.
    [[nodiscard]] nanoseconds wait() const noexcept {
        if (verdict_ == verdict::never) return nanoseconds::longest();
        return to_time<clock>(wait_);
    }

private:
    friend Limiter;
    using word_type = typename Limiter::cell_type::word_type;
    using receipt = typename Limiter::receipt;

    permit(typename Limiter::owner_type owner, weir::verdict verdict, word units, instant now,
           word_type wait, receipt its) noexcept
        : owner_(owner),
          verdict_(verdict),
          units_(verdict == verdict::admitted ? units : 0),
          start_(now + wait),
          wait_(wait),
          receipt_(its) {}

    typename Limiter::owner_type owner_ = nullptr;
    weir::verdict verdict_ = verdict::never;
    word units_ = 0;
    instant start_{};
    word_type wait_ = 0;
    receipt receipt_{};
};

// "admitted, starts after 5 ms" of when it was asked for, "wait 5 s", "never".
template <class Limiter>
[[nodiscard]] constexpr text to_text(const permit<Limiter>& p) noexcept {
    text t(describe(p.verdict()));
    if (p.verdict() == verdict::never) return t;
    return t.add(p ? ", starts after " : " ").add(to_text(p.wait()).c_str());
}

}  // namespace weir
