// SPDX-License-Identifier: MIT
// any_limit: a limit behind a handle, as all_of, leases, stripes and pacers take limits: it tries,
// peeks, lends, and gives back a place as if it had never been. A limit that cannot take back is
// asked like the others, and gives nothing back; who has a choice asks it last (see `undoes`).
//
// It refers to the limit, so a copy is the same one.
#pragma once

#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/limiter/limit.hpp>

#include "limit.hpp"

namespace weir::c {

class any_decision {
public:
    [[nodiscard]] bool admitted() const noexcept { return answer_.status == WEIR_OK; }
    [[nodiscard]] explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] weir::verdict verdict() const noexcept {
        switch (answer_.status) {
            case WEIR_OK: return verdict::admitted;
            case WEIR_WAIT: return verdict::wait;
            default: return verdict::never;
        }
    }
    [[nodiscard]] word remaining() const noexcept { return static_cast<word>(answer_.remaining); }
    [[nodiscard]] nanoseconds retry_after() const noexcept {
        return nanoseconds(answer_.retry_after_ns);
    }

private:
    friend class any_limit;
    weir_answer answer_{WEIR_NEVER, 0, 0, 0};
};

class any_permit {
public:
    any_permit() noexcept {  // NOLINT(cppcoreguidelines-pro-type-member-init): what is inside is
                             // none
        its_.status = WEIR_NEVER;
        its_.seal = 0;
        its_.units = 0;
        its_.wait_ns = 0;
    }
    any_permit(any_permit&& other) noexcept : its_(other.its_) { other.its_.units = 0; }
    any_permit& operator=(any_permit&& other) noexcept {
        its_ = other.its_;
        if (&other != this) other.its_.units = 0;
        return *this;
    }
    ~any_permit() = default;

    [[nodiscard]] explicit operator bool() const noexcept { return its_.status == WEIR_OK; }
    [[nodiscard]] weir::verdict verdict() const noexcept {
        switch (its_.status) {
            case WEIR_OK: return verdict::admitted;
            case WEIR_WAIT: return verdict::wait;
            default: return verdict::never;
        }
    }
    [[nodiscard]] word units() const noexcept { return static_cast<word>(its_.units); }
    [[nodiscard]] nanoseconds wait() const noexcept { return nanoseconds(its_.wait_ns); }
    [[nodiscard]] now_type start(now_type now) const noexcept {
        return later(now, nanoseconds(its_.wait_ns));
    }

private:
    friend class any_limit;
    weir_permit its_;
};

class any_limit {
public:
    using clock_type = clock;
    using permit_type = any_permit;

    // If nobody wants to know more than whether the units were taken, much is not computed.
    enum class telling : bool { whether, all };

    any_limit(weir_limit& its,  // NOLINT(google-explicit-constructor)
              telling what = telling::all) noexcept
        : its_(&its), tells_all_(what == telling::all) {}

    any_decision try_acquire(unit_count n, now_type now) noexcept {
        any_decision d;
        const bool admitted = its_->try_acquire_at(n, now, tells_all_ ? &d.answer_ : nullptr);
        return told(d, admitted);
    }
    [[nodiscard]] any_decision peek(unit_count n, now_type now) const noexcept {
        any_decision d;
        const bool admitted = its_->peek_at(n, now, tells_all_ ? &d.answer_ : nullptr);
        return told(d, admitted);
    }

    [[nodiscard]] word burst() const noexcept { return its_->burst(); }
    [[nodiscard]] any_permit take(unit_count least, unit_count most, now_type now) noexcept {
        any_permit p;
        (void)its_->take_at(least, most, now, p.its_);
        return p;
    }
    void refund(any_permit&& p, unit_count unused = largest<word>) noexcept {
        any_permit mine = std::move(p);
        std::int64_t back = 0;
        if (mine.its_.units != 0) (void)its_->refund(mine.its_, unused, back);
    }
    void refund(any_permit&& p, unit_count unused, now_type now) noexcept {
        any_permit mine = std::move(p);
        if (mine.its_.units != 0) its_->refund_at(mine.its_, unused, now);
    }
    void reset(now_type now) noexcept { (void)its_->reset_at(now); }

    // Of a limit without places it takes the units, which do not come back.
    [[nodiscard]] any_permit reserve(unit_count n, nanoseconds longest, now_type now) noexcept {
        any_permit p;
        if (its_->undoes()) {
            (void)its_->reserve_at(n, longest, now, p.its_);
        } else {
            const any_decision d = try_acquire(n, now);
            p.its_.status = d.answer_.status;
            p.its_.wait_ns = d.answer_.retry_after_ns;
        }
        return p;
    }
    void undo(any_permit&& p) noexcept {
        any_permit mine = std::move(p);
        if (mine.its_.units != 0) its_->undo(mine.its_);
    }

    [[nodiscard]] const void* identity() const noexcept { return its_->identity(); }
    [[nodiscard]] weir_limit& handle() const noexcept { return *its_; }

private:
    [[nodiscard]] any_decision told(any_decision d, bool admitted) const noexcept {
        if (!tells_all_) d.answer_.status = admitted ? WEIR_OK : WEIR_WAIT;
        return d;
    }

    weir_limit* its_;
    bool tells_all_;
};

static_assert(limit_view<any_limit> && lending<any_limit> && undoing<any_limit>);

}  // namespace weir::c
