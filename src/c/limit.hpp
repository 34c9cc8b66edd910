// SPDX-License-Identifier: MIT
// What a `weir_limit` is behind its handle: an object with all that weir.h can ask of a limit. What
// a limit cannot do answers WEIR_NOT_SUPPORTED here, once for all.
//
// Calls that end in `_at` are for what is built of limits, which reads the clock once for all of
// them. A limit by another clock reads its own.
//
// libweir_redis makes a limit of this class, too: so it looks at the version of libweir first.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/default.hpp>
#include <weir/weir.h>
#include <weir/weir_redis.h>

namespace weir::c {

using clock = default_clock;
using now_type = instant<clock>;

[[nodiscard]] constexpr weir_status status_of(verdict v) noexcept {
    return static_cast<weir_status>(v);
}
static_assert(status_of(verdict::admitted) == WEIR_OK && status_of(verdict::wait) == WEIR_WAIT &&
              status_of(verdict::never) == WEIR_NEVER);

// Of what C counts in signed numbers.
[[nodiscard]] constexpr std::int64_t as_signed(std::uint64_t n) noexcept {
    return n > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(n);
}
// WEIR_ALL is as many as there can be.
[[nodiscard]] constexpr word as_units(std::int64_t n) noexcept {
    return n == WEIR_ALL ? largest<word> : static_cast<word>(n);
}

// What a call answers that decides nothing, for any reason.
inline bool refuse(weir_answer* answer, weir_status why) noexcept {
    if (answer != nullptr) *answer = {why, 0, 0, 0};
    return false;
}

// Only if somebody wants it, as it divides.
template <class Decision>
void tell(weir_answer* answer, const Decision& d) noexcept {
    if (answer == nullptr) return;
    answer->status = status_of(d.verdict());
    answer->refused_by = 0;
    if constexpr (requires { d.remaining(); }) {
        answer->remaining = as_signed(d.remaining());
    } else {
        answer->remaining = 0;
    }
    answer->retry_after_ns = d.admitted() ? 0 : d.retry_after().count();
}

// Decides, and tells what came of it. Apart, so that who passes no answer has the decision in line
// and nothing of it is kept for later. `decide` holds what it needs by value: it stays in
// registers.
template <class Decide>
[[gnu::noinline]] bool decide_and_tell(Decide decide, weir_answer* answer) noexcept {
    const auto d = decide();
    tell(answer, d);
    return d.admitted();
}
template <class Decide>
[[gnu::always_inline]] inline bool decided(Decide decide, weir_answer* answer) noexcept {
    if (answer == nullptr) [[likely]]
        return decide().admitted();
    return decide_and_tell(decide, answer);
}

}  // namespace weir::c

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
struct weir_limit {
    using word = weir::word;
    using now_type = weir::c::now_type;

    weir_limit() noexcept = default;
    weir_limit(const weir_limit&) = delete;
    weir_limit& operator=(const weir_limit&) = delete;
    virtual ~weir_limit() = default;

    // Each limit decides, and says what it would.
    virtual bool try_acquire(word n, weir_answer* answer) noexcept = 0;
    virtual bool try_acquire_at(word n, now_type now, weir_answer* answer) noexcept = 0;
    virtual bool peek_at(word n, now_type now, weir_answer* answer) noexcept = 0;
    virtual weir_status look(weir_state& state) noexcept = 0;
    virtual weir_status reset_at(now_type now) noexcept = 0;

    virtual bool charge(word, weir_answer* answer) noexcept { return cannot(answer); }
    virtual word acquire_up_to(word, weir_answer* answer) noexcept { return cannot(answer); }
    // May throw what the system's locks throw.
    virtual bool acquire(word, weir::nanoseconds, weir_answer* answer) { return cannot(answer); }

    // Places and leases. A permit that is refunded or undone holds nothing any more.
    virtual bool reserve_at(word, weir::nanoseconds, now_type, weir_permit& permit) noexcept {
        permit.status = WEIR_NOT_SUPPORTED;
        return false;
    }
    virtual bool take_at(word, word, now_type, weir_permit& permit) noexcept {
        permit.status = WEIR_NOT_SUPPORTED;
        return false;
    }
    virtual weir_status time_left(const weir_permit&, std::int64_t&) noexcept {
        return WEIR_NOT_SUPPORTED;
    }
    virtual weir_status refund(weir_permit&, word, std::int64_t&) noexcept {
        return WEIR_NOT_SUPPORTED;
    }
    virtual void refund_at(weir_permit&, word, now_type) noexcept {}
    virtual void undo(weir_permit&) noexcept {}
    [[nodiscard]] virtual word burst() const noexcept { return 0; }

    virtual weir_status set_remaining(word, weir::nanoseconds, std::int64_t&) noexcept {
        return WEIR_NOT_SUPPORTED;
    }
    virtual weir_status lower_remaining(word, weir::nanoseconds, std::int64_t&) noexcept {
        return WEIR_NOT_SUPPORTED;
    }
    virtual weir_status give_back() noexcept { return WEIR_NOT_SUPPORTED; }
    virtual weir_status set_quota(const weir::quota&, weir::nanoseconds) {
        return WEIR_NOT_SUPPORTED;
    }
    virtual weir_status save(weir_snapshot&) noexcept { return WEIR_NOT_SUPPORTED; }
    virtual weir_status restore(weir_snapshot) noexcept { return WEIR_NOT_SUPPORTED; }
    virtual weir_status set_anchor(std::int64_t) noexcept { return WEIR_NOT_SUPPORTED; }
    virtual weir_status look_at_fleet(weir_fleet_state&) noexcept { return WEIR_NOT_SUPPORTED; }

    // What others may build on it.
    [[nodiscard]] virtual bool is_shared() const noexcept { return true; }
    [[nodiscard]] virtual bool reserves() const noexcept { return false; }
    [[nodiscard]] virtual bool undoes() const noexcept { return false; }
    [[nodiscard]] virtual bool lends() const noexcept { return false; }

    // Two handles with the same one are the same limit.
    [[nodiscard]] virtual const void* identity() const noexcept { return this; }
    // In the caller's memory, so nothing is to be freed.
    [[nodiscard]] virtual bool is_view() const noexcept { return false; }

private:
    static bool cannot(weir_answer* answer) noexcept {
        return weir::c::refuse(answer, WEIR_NOT_SUPPORTED);
    }
};
