// SPDX-License-Identifier: MIT
// held: any limit of the library behind the handle of C: a limiter, an adjustable, an entry of a
// table. What a limit cannot do is left to `weir_limit`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/limit.hpp>

#include "border.hpp"
#include "limit.hpp"

namespace weir::c {

// What came of waiting, in the words of an answer.
inline bool tell(weir_answer* answer, const acquisition& a) noexcept {
    if (a.how == ending::acquired) {
        if (answer != nullptr) *answer = {WEIR_OK, 0, 0, 0};
        return true;
    }
    const bool never = a.how == ending::never;
    if (answer != nullptr) {
        *answer = {never ? WEIR_NEVER : WEIR_TOO_LATE, 0, 0, never ? WEIR_FOREVER : a.wait.count()};
    }
    return false;
}

// A permit of C++ in C's memory, for the limit that `identity` is.
//
// C copies it as bytes, which is as good as moving it, since one copy alone is ever given back and
// nothing happens where one ends. What is no permit of this limit is not looked into. (A permit of
// a limiter itself knows its limit, too.)
template <class Permit>
class kept_permit {
    static_assert(sizeof(Permit) <= sizeof(weir_permit::inside));
    static_assert(alignof(Permit) <= alignof(std::int64_t));
    static_assert(std::is_trivially_destructible_v<Permit>);

public:
    static Permit& put(Permit&& mine, const void* identity, weir_permit& permit) noexcept {
        permit.seal = seal(identity);
        permit.units = as_signed(mine.units());
        return *std::construct_at(reinterpret_cast<Permit*>(permit.inside), std::move(mine));
    }
    [[nodiscard]] static bool is_of(const void* identity, const weir_permit& permit) noexcept {
        return permit.seal == seal(identity);
    }
    [[nodiscard]] static Permit& of(weir_permit& permit) noexcept {
        return *std::launder(reinterpret_cast<Permit*>(permit.inside));
    }
    [[nodiscard]] static const Permit& of(const weir_permit& permit) noexcept {
        return *std::launder(reinterpret_cast<const Permit*>(permit.inside));
    }

private:
    [[nodiscard]] static std::uint32_t seal(const void* identity) noexcept {
        const auto number = reinterpret_cast<std::uintptr_t>(identity);
        return static_cast<std::uint32_t>(number >> 3U) ^ 0x5EA1'5EA1U;
    }
};

template <class Limit>
class held : public weir_limit {
    using own_clock = typename Limit::clock_type;
    using own_now = instant<own_clock>;
    using permit_type = typename Limit::permit_type;
    static constexpr bool can_undo = undoing<Limit>;
    static constexpr bool can_reserve = reserving<Limit>;
    static constexpr bool changes = requires(Limit l, const quota& q, nanoseconds over) {
        l.set_quota(q, over);
    };
    static constexpr bool is_saved = requires(const Limit l) { l.save(); };
    using kept = kept_permit<permit_type>;

public:
    template <class... Arguments>
    explicit held(Arguments&&... arguments) : limit_(std::forward<Arguments>(arguments)...) {}

    bool try_acquire(word n, weir_answer* answer) noexcept override {
        return decided([this, n] { return limit_.try_acquire(n); }, answer);
    }
    bool try_acquire_at(word n, now_type now, weir_answer* answer) noexcept override {
        return decided([this, n, at = own(now)] { return limit_.try_acquire(n, at); }, answer);
    }
    bool peek_at(word n, now_type now, weir_answer* answer) noexcept override {
        return decided([this, n, at = own(now)] { return std::as_const(limit_).peek(n, at); },
                       answer);
    }
    bool charge(word n, weir_answer* answer) noexcept override {
        return decided([this, n] { return limit_.charge(n); }, answer);
    }
    word acquire_up_to(word n, weir_answer* answer) noexcept override {
        const auto g = limit_.acquire_up_to(n);
        c::tell(answer, g.after);
        return g.units;
    }
    bool acquire(word n, nanoseconds patience, weir_answer* answer) override {
        return c::tell(answer, acquire_for(limit_, n, patience));
    }

    bool reserve_at(word n, nanoseconds longest, now_type now,
                    weir_permit& permit) noexcept override {
        if constexpr (can_reserve) {
            const bool waits = longest != nanoseconds{};
            return put(limit_.reserve(n, longest, own(now)), waits, permit);
        }
        return weir_limit::reserve_at(n, longest, now, permit);
    }
    bool take_at(word least, word most, now_type now, weir_permit& permit) noexcept override {
        return put(limit_.take(least, most, own(now)), false, permit);
    }
    weir_status time_left(const weir_permit& permit, std::int64_t& time) noexcept override {
        if (!kept::is_of(identity(), permit)) return WEIR_FOREIGN_PERMIT;
        const own_now now = detail::fresh_now<own_clock>();
        time = time_between(now, kept::of(permit).start(now)).count();
        return WEIR_OK;
    }
    weir_status refund(weir_permit& permit, word units, std::int64_t& back) noexcept override {
        if (!kept::is_of(identity(), permit)) return WEIR_FOREIGN_PERMIT;
        permit.units = 0;
        back = as_signed(limit_.refund(std::move(kept::of(permit)), units).units());
        return WEIR_OK;
    }
    void refund_at(weir_permit& permit, word units, now_type now) noexcept override {
        permit.units = 0;
        (void)limit_.refund(std::move(kept::of(permit)), units, own(now));
    }
    void undo(weir_permit& permit) noexcept override {
        permit.units = 0;
        if constexpr (can_undo) (void)limit_.undo(std::move(kept::of(permit)));
    }
    [[nodiscard]] word burst() const noexcept override { return limit_.burst(); }

    weir_status reset_at(now_type now) noexcept override {
        limit_.reset(own(now));
        return WEIR_OK;
    }
    weir_status set_remaining(word n, nanoseconds reset, std::int64_t& time) noexcept override {
        return told(limit_.set_remaining(n, reset), time);
    }
    weir_status lower_remaining(word n, nanoseconds reset, std::int64_t& time) noexcept override {
        return told(limit_.lower_remaining(n, reset), time);
    }
    weir_status set_quota(const quota& q, nanoseconds over) override {
        if constexpr (changes) return status_of(limit_.set_quota(q, over));
        return weir_limit::set_quota(q, over);
    }
    weir_status look(weir_state& state) noexcept override {
        return guarded([&] {
            const own_now now = detail::fresh_now<own_clock>();
            const auto d = std::as_const(limit_).peek(0, now);
            state.quota = as_c(limit_.quota());
            state.remaining = as_signed(d.remaining());
            state.debt = as_signed(limit_.debt(now));
            state.reset_after_ns = d.reset_after().count();
            state.can_reserve = can_reserve ? 1 : 0;
            state.can_lend = 1;
            return WEIR_OK;
        });
    }
    weir_status save(weir_snapshot& saved) noexcept override {
        if constexpr (is_saved) {
            const auto s = limit_.save();
            saved = {s.units, s.time.count()};
            return WEIR_OK;
        }
        return weir_limit::save(saved);
    }
    weir_status restore(weir_snapshot saved) noexcept override {
        if constexpr (is_saved) {
            return limit_.restore({saved.units, nanoseconds(saved.time_ns)}) ? WEIR_OK
                                                                             : WEIR_NOT_RESTORED;
        }
        return weir_limit::restore(saved);
    }
    weir_status set_anchor(std::int64_t anchor) noexcept override {
        if constexpr (requires(own_now t) { limit_.set_anchor(t); }) {
            limit_.set_anchor(own_now(anchor));  // utc_clock counts nanoseconds since 1970
            return WEIR_OK;
        }
        return weir_limit::set_anchor(anchor);
    }

    [[nodiscard]] bool reserves() const noexcept override { return can_reserve; }
    [[nodiscard]] bool undoes() const noexcept override { return can_undo; }
    [[nodiscard]] bool lends() const noexcept override { return true; }
    [[nodiscard]] const void* identity() const noexcept override {
        if constexpr (limit_view<Limit>) {
            return limit_.identity();
        } else {
            return this;
        }
    }
    [[nodiscard]] bool is_view() const noexcept override { return limit_view<Limit>; }

private:
    [[gnu::always_inline]] static own_now own([[maybe_unused]] now_type now) noexcept {
        if constexpr (std::is_same_v<own_clock, clock>) {
            return now;
        } else {
            return own_clock::now();
        }
    }
    template <class Answer>
    [[nodiscard]] static weir_status told(const Answer& a, std::int64_t& time) noexcept {
        time = a.obeyed_for().count();
        if (a) return WEIR_OK;
        return a.how() == obeyed::in_part ? WEIR_IN_PART : WEIR_NO_PLACE;
    }
    // A permit that is granted starts at once, if nobody was ready to wait.
    bool put(permit_type&& mine, bool waits, weir_permit& permit) const noexcept {
        permit.status = status_of(mine.verdict());
        permit.wait_ns = waits || !mine ? mine.wait().count() : 0;
        return static_cast<bool>(kept::put(std::move(mine), identity(), permit));
    }

    Limit limit_;
};

// An entry of a table in C's memory.
template <class Entry>
[[nodiscard]] weir_limit* put_view(const Entry& entry, weir_view& view) noexcept {
    static_assert(sizeof(held<Entry>) <= sizeof(view.inside) &&
                  alignof(held<Entry>) <= alignof(weir_view));
    return std::construct_at(reinterpret_cast<held<Entry>*>(view.inside), entry);
}

}  // namespace weir::c
