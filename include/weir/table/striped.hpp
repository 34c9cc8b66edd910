// SPDX-License-Identifier: MIT
// striped: one limit that many cores hit at once. Units lie in stripes, each on cache lines of its
// own, and come there by whole leases from a shared limit. Most decisions take a unit from the
// caller's stripe: one exchange, no clock, no line that another core writes.
//
//     weir::limiter<> shared{weir::per_second(1'000'000).with_burst(20'000)};
//     weir::striped requests(shared);
//     if (requests.try_acquire()) serve();
//
// Any number of threads may call everything, without locks. A request that the caller's stripe
// cannot serve restocks the stripe. If another thread restocks it at that moment, the request goes
// to the shared limit, so a thread that is stopped or killed half-way holds up nobody. A lease is
// doubled if the last one lasted less than 100 us, and halved if the shared limit does not have all
// of it. It is at most burst / (2 x stripes); a request for more goes to the shared limit.
//
// Invariant: the units in a stripe, and those that its restocker has taken and not yet put there or
// spent, are at most one largest lease. A restock begins when the stripe holds fewer units than the
// restocker wants, takes one lease, and is the stripe's only one. Therefore:
//
// - Spent. Units spent since the beginning never exceed those taken from the shared limit.
// - Windows. In any window at most stripes x largest lease more units pass than the shared limit
//   allows; that is at most half its burst. `shared_quota` makes up for that: any window then holds
//   at most burst + rate x time of the quota that you gave to it.
// - Denials. A request is denied only if the shared limit denies it, or in a back-off. At most
//   (stripes - 1) x largest lease are in other stripes then, and in the caller's stripe fewer than
//   asked for and what another thread is about to put there. Nobody has to wait for those units:
//   the shared limit fills regardless. After its `retry_after`, and the rest of a back-off if there
//   is one, the request passes if nobody else takes the units.
// - Back-off. After the shared limit has denied a restocker, its stripe takes no units for the time
//   in which a largest lease comes together, less some jitter, and no longer than 100 us. Without
//   that all cores would ask a limit that is used up for each single unit.
//
// A decision linearises at the exchange in the stripe, or where the shared limit's decision does.
//
// The end of a thread is harmless: units lie in this object, which is not for shared memory. So is
// fork; if a restock was under way, the child's requests to that stripe go to the shared limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/table/front_decision.hpp>
#include <weir/table/restock_pace.hpp>
#include <weir/table/stripe_stock.hpp>

namespace weir {

template <lending Limit, std::size_t Stripes = 16, class Policy = stripe_of_thread>
class striped {
    static_assert(Stripes != 0 && (Stripes & (Stripes - 1)) == 0,
                  "the number of stripes is a power of two");

    using restock = typename Policy::stock::restock;
    static constexpr bool resets = requires(Limit l, instant<typename Limit::clock_type> now) {
        l.reset(now);
    };

public:
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;
    using decision_type = front_decision<Limit>;
    using permit_type = typename Limit::permit_type;
    static constexpr bool moves_places = moving_places<Limit>;
    static constexpr bool seldom_reads_clock = true;  // so nobody should read it in advance

    // A denial that is not the shared limit's comes no longer than this after one that was.
    static constexpr nanoseconds longest_back_off = restock_pace<clock_type>::longest_back_off;

    // The limit must outlive this object. `largest_lease` makes leases smaller than they would be.
    constexpr explicit striped(detail::given_limit<Limit> shared,
                               unit_count largest_lease = largest<word>) noexcept
        : limit_(shared), largest_lease_(largest_lease) {
        if constexpr (requires(stripe & s) { s.stock.belong_to(0, Stripes); })
            for (std::size_t i = 0; i < Stripes; ++i) stripes_[i].stock.belong_to(i, Stripes);
    }
    template <detail::not_named<Limit> Other>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): `not_named` takes no such object
    constexpr explicit striped(Other&& shared, unit_count largest_lease = largest<word>) noexcept
        : striped(detail::named<Limit, Other>(shared), largest_lease) {}
    striped(const striped&) = delete;
    striped& operator=(const striped&) = delete;
    // Gives back what is left, as `give_back` does; nobody else may use the object by then.
    ~striped() {
        if constexpr (told_clock<clock_type>) {
            for (stripe& s : stripes_) return_rest(s, s.pace.taken_at());
        } else {
            give_back();
        }
    }

    // The quota of the shared limit with which all that passes keeps `whole`.
    [[nodiscard]] static constexpr quota
    shared_quota(const quota& whole, unit_count largest_lease = largest<word>) noexcept {
        // Leases are at most half of the burst, and none if that is below one for each stripe.
        const auto all = static_cast<std::uint64_t>(whole.burst());
        const std::uint64_t lease = largest_lease;
        const std::uint64_t without_leases = smaller<std::uint64_t>(all, 2 * Stripes - 1);
        std::uint64_t burst = all - (all + 2) / 3;
        if (lease <= all / Stripes && burst < all - lease * Stripes) burst = all - lease * Stripes;
        if (burst < without_leases) burst = without_leases;
        return quota::make(whole.units(), whole.period(), static_cast<std::int64_t>(burst)).value();
    }

    // All n units now, or none; n = 0 asks the shared limit and takes nothing. Lock-free.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n = 1) noexcept {
        stripe& s = mine();
        return n != 0 && s.stock.try_take(n) ? decision_type() : ask(s, n);
    }
    // The time is needed only if the stripe has too little.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n, instant now) noexcept {
        stripe& s = mine();
        return n != 0 && s.stock.try_take(n) ? decision_type() : ask(s, n, now);
    }

    // What try_acquire would answer. Takes nothing, restocks nothing. Wait-free if the limit's is.
    [[nodiscard]] decision_type peek(unit_count n = 1) const noexcept {
        return peek(n, clock_type::now());
    }
    [[nodiscard]] decision_type peek(unit_count n, instant now) const noexcept {
        const stripe& s = mine();
        if (n != 0 && s.stock.could_take(n)) return decision_type();
        if (const word quiet = s.pace.quiet(n, now); quiet != 0) return held_back(n, quiet, now);
        return decision_type(limit_.get().peek(n, now));
    }

    // What is left in the stripes goes back to the shared limit, by its rule of refunds; what the
    // limit cannot take back is lost. A stripe that is being restocked keeps its units. Lock-free.
    // A time that is given must not be late.
    void give_back() noexcept {
        for (stripe& s : stripes_) return_rest(s);
    }
    void give_back(instant now) noexcept {
        for (stripe& s : stripes_) return_rest(s, now);
    }

    // The shared limit as at the beginning, and nothing in the stripes. A stripe that is being
    // restocked keeps its units.
    void reset() noexcept requires resets { reset(clock_type::now()); }
    void reset(instant now) noexcept requires resets {
        for (stripe& s : stripes_) {
            s.pace.reset();
            if (s.stock.begin_restock(largest<word>) != restock::begun) continue;
            (void)s.stock.take_all();
            s.stock.end_restock(0);
        }
        limit_.get().reset(now);
    }

    // Units in all stripes. Others may take units meanwhile, so it is a snapshot.
    [[nodiscard]] word approx_left() const noexcept {
        word all = 0;
        for (const stripe& s : stripes_) all += s.stock.units();
        return all;
    }
    // Leases that have been taken since the beginning.
    [[nodiscard]] word approx_restocks() const noexcept {
        word all = 0;
        for (const stripe& s : stripes_) all += s.pace.restocks();
        return all;
    }

    // Decisions that a policy with sections had to make by an exchange, since the beginning.
    [[nodiscard]] word approx_exchanged() const noexcept requires
        requires(const typename Policy::stock& s) {
        s.exchanged();
    }
    {
        word all = 0;
        for (const stripe& s : stripes_) all += s.stock.exchanged();
        return all;
    }

    // The shared limit. It may be asked for itself, and has `remaining`, `debt` and its observer.
    [[nodiscard]] Limit& shared() noexcept { return limit_.get(); }
    [[nodiscard]] const Limit& shared() const noexcept { return limit_.get(); }

    // These are the shared limit's. A reservation has nothing to do with stripes.
    [[nodiscard]] word burst() const noexcept { return limit_.get().burst(); }
    [[nodiscard]] permit_type take(unit_count least, unit_count most, instant now) noexcept {
        return limit_.get().take(least, most, now);
    }
    [[nodiscard]] permit_type
    reserve(unit_count n,
            nanoseconds max_wait = nanoseconds::longest()) noexcept requires reserving<Limit> {
        return reserve(n, max_wait, clock_type::now());
    }
    [[nodiscard]] permit_type reserve(unit_count n, nanoseconds max_wait,
                                      instant now) noexcept requires reserving<Limit> {
        return limit_.get().reserve(n, max_wait, now);
    }
    auto refund(permit_type&& p, unit_count unused = largest<word>) noexcept {
        return limit_.get().refund(std::move(p), unused);
    }
    auto refund(permit_type&& p, unit_count unused, instant now) noexcept {
        return limit_.get().refund(std::move(p), unused, now);
    }
    auto undo(permit_type&& p) noexcept requires undoing<Limit> {
        return limit_.get().undo(std::move(p));
    }
    template <class... Arguments>
    void nap(Arguments&&... arguments) requires moves_places {
        limit_.get().nap(std::forward<Arguments>(arguments)...);
    }

private:
    // The permit is the restocker's alone.
    struct alignas(cache_line) stripe {
        typename Policy::stock stock{};
        restock_pace<clock_type> pace{};
        alignas(cache_line) permit_type permit{};
    };

    [[nodiscard, gnu::always_inline]] stripe& mine() noexcept {
        return stripes_[Policy::mine(Stripes)];
    }
    [[nodiscard, gnu::always_inline]] const stripe& mine() const noexcept {
        return stripes_[Policy::mine(Stripes)];
    }

    [[nodiscard]] word most() const noexcept {
        return smaller<word>(largest_lease_, limit_.get().burst() / (2 * Stripes));
    }

    // Apart, so that a unit out of the stripe costs what it must. Nobody holds the stripe's restock
    // while the shared limit is asked for n.
    template <class... Now>
    [[nodiscard, gnu::noinline]] decision_type ask(stripe& s, word n, Now... given) noexcept {
        const instant now = detail::time_of_call<clock_type>(given...);
        if (const word quiet = s.pace.quiet(n, now); quiet != 0) {
            const decision_type d = held_back(n, quiet, now);
            if (d.shared() != nullptr) detail::tell_refusal(limit_.get(), *d.shared());
            return d;
        }
        const word largest_now = most();
        if (n == 0 || n > largest_now) return decision_type(limit_.get().try_acquire(n, now));

        const restock how = s.stock.begin_restock(n);
        if (how == restock::served) return decision_type();
        if (how == restock::begun) {
            const word units = restocked(s, n, largest_now, now);
            s.stock.end_restock(units == 0 ? 0 : units - n);
            if (units != 0) return decision_type();
        }
        const decision_type d(limit_.get().try_acquire(n, now));
        if (how == restock::begun && d.verdict() == verdict::wait)
            s.pace.back_off(n, limit_.get().peek(largest_now, now).retry_after(), now);
        return d;
    }

    // A whole lease of n units or more from the shared limit, or nothing.
    [[nodiscard]] word restocked(stripe& s, word n, word largest_now, instant now) noexcept {
        const word units = s.pace.next_lease(n, largest_now, now);
        permit_type p;
        if (limit_.get().peek(units, now).admitted()) p = limit_.get().take(units, units, now);
        if (!p) {
            s.pace.was_vain(units);
            return 0;
        }
        s.pace.took(units, now);
        s.permit = std::move(p);
        return units;
    }

    // As the shared limit says, or if that has units again, until the end of the back-off.
    [[nodiscard]] decision_type held_back(word n, word quiet, instant now) const noexcept {
        const auto d = limit_.get().peek(n, now);
        return d.admitted() ? decision_type(quiet) : decision_type(d);
    }

    // What is left is of the last lease, as there were fewer units before that than its restocker
    // spent.
    template <class... Now>
    void return_rest(stripe& s, Now... now) noexcept {
        if (s.stock.begin_restock(largest<word>) != restock::begun) return;
        const word left = s.stock.take_all();
        if (left != 0) (void)limit_.get().refund(std::move(s.permit), left, now...);
        s.stock.end_restock(0);
    }

    detail::kept_limit<Limit> limit_;
    word largest_lease_;
    stripe stripes_[Stripes]{};
};

// An entry of an array may be given by value: striped(shots[player]).
template <class Limit, class... More>
striped(Limit&&, More...) -> striped<std::remove_cvref_t<Limit>>;

}  // namespace weir
