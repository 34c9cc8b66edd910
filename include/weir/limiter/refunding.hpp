// refunding: how a limit takes permits back, in any of the ways it is asked to. A base of limits,
// which know how much of what is held goes back at a time.
#pragma once

#include <utility>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/refunds.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/permit.hpp>

namespace weir {

template <class Limit, clock Clock>
class refunding {
public:
    // Gives back what of a permit has not been used, all of it by default, as far as it is still to
    // come: what lies in the past has drained. And while others wait, or until a debt is paid,
    // only of what was taken last: those who wait have been told when they start. Says how much
    // went back, which is nothing of a permit from before a reset, or given back before, and to
    // cells that cannot tell. One of another limit is left as it is. A time that is given must not
    // be late.
    refunded refund(permit<Limit>&& p, word unused = largest<word>) noexcept {
        return refund_at(std::move(p), unused, present{});
    }
    refunded refund(permit<Limit>&& p, word unused, tick now) noexcept {
        return refund_at(std::move(p), unused, given{now});
    }

    // How much of a permit a refund would give back now. Changes nothing.
    [[nodiscard]] refunded refundable(const permit<Limit>& p,
                                      word unused = largest<word>) const noexcept {
        return refundable_at(p, unused, present{});
    }
    [[nodiscard]] refunded refundable(const permit<Limit>& p, word unused,
                                      tick now) const noexcept {
        return refundable_at(p, unused, given{now});
    }

private:
    friend Limit;
    template <class...>
    friend class all_of;
    template <class>
    friend class lease;

    refunding() noexcept = default;

    // After all that came before.
    struct present {
        [[nodiscard]] tick operator()() const noexcept {
            order_clock();
            return Clock::now();
        }
    };

    struct given {
        tick now;
        [[nodiscard]] tick operator()() const noexcept { return now; }
    };

    template <class Now>
    refunded refund_at(permit<Limit>&& p, word unused, Now now) noexcept {
        if (p.owner_ != this) return {};
        const permit<Limit> mine = std::move(p);
        const word n = unused < mine.units_ ? unused : mine.units_;
        if (n == 0) return {};
        return static_cast<Limit&>(*this).give_back(mine.held_, n, n == mine.units_, now);
    }
    template <class Now>
    [[nodiscard]] refunded refundable_at(const permit<Limit>& p, word unused,
                                         Now now) const noexcept {
        const word n = unused < p.units_ ? unused : p.units_;
        if (p.owner_ != this || n == 0) return {};
        return static_cast<const Limit&>(*this).refundable_of(p.held_, n, now);
    }
};

}  // namespace weir
