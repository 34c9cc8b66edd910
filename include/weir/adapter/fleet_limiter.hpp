// SPDX-License-Identifier: MIT
// fleet_limiter: one limit that many machines share, in a Redis, decided in this process. A thread
// of its own leases units; a request takes some of them by one exchange.
//
//     weir::fleet_limiter calls({.host = "redis.internal"}, "calls", weir::per_second(10'000),
//                               {.processes = 16});
//     if (calls.try_acquire()) serve();
//
// It is a limit that lends: a pacer may run on it, `striped` may stand before it, and `acquire` and
// `acquire_for` wait for it. Any number of threads may call everything but moves and the
// destructor. try_acquire, peek, take and refund are lock-free, and neither read a clock, nor make
// a system call, nor allocate. The invariant and the linearisation point are in fleet_stock.hpp.
//
// In every window W all processes together let pass at most
//
//     burst + rate x W + processes x burst()
//
// and what the policy adds while Redis cannot be asked: see fleet_supply.hpp and the guide. No more
// than burst() units are ever in stock, half of the quota's burst in all processes together. So a
// request for more units than that never passes. An idle process keeps `least_lease` units.
//
// A process that forks has the limit for itself; its child may spend the units of its copy, which
// are those of another process in the bound, and then nothing passes there: make a limit in the
// child. The copy's destructor does nothing. A process that is killed takes the units in its stock
// along.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_stock.hpp>
#include <weir/adapter/fleet_store.hpp>
#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/fleet_thread.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

class fleet_limiter {
public:
    using clock_type = default_clock;
    using instant = weir::instant<clock_type>;
    using decision_type = fleet_decision;
    using permit_type = fleet_permit;

    // Connects, leases the first units and starts the thread. Blocks no longer than connect_within
    // and answer_within. If Redis is away now the limit is made all the same, and its policy says
    // what passes; what no wait will mend, such as a wrong password, is the error.
    [[nodiscard]] static result<fleet_limiter, redis_error>
    make(const redis_options& to, std::string_view name, const quota& q, const fleet_options& o) {
        const redis_error reason = refusal(name, q, o);
        if (reason != redis_error::none) return reason;
        own_parts parts(new fleet_limiter::parts(to, name, q, o));
        const redis_error failed = parts->begin();
        if (failed != redis_error::none) return failed;
        return fleet_limiter(std::move(parts));
    }

    // The same, and throws `refused`; without exceptions it prints the sentence and ends.
    fleet_limiter(const redis_options& to, std::string_view name, const quota& q,
                  const fleet_options& o)
        : fleet_limiter(make(to, name, q, o).value()) {}

    // Why such a limit cannot be, or `none`.
    [[nodiscard]] static redis_error refusal(std::string_view name, const quota& q,
                                             const fleet_options& o) noexcept {
        if (const auto reason = remote_limiter::refusal(name, q); reason != redis_error::none)
            return reason;
        if (o.processes == 0) return redis_error::processes_not_said;
        const std::uint64_t most = largest_lease(q, o.processes);
        if (most == 0) return redis_error::burst_too_small_for_leases;
        const wide carried =
            multiply(most * o.processes, static_cast<std::uint64_t>(q.period().count()));
        const wide needed = multiply(static_cast<std::uint64_t>(q.units()), 5'000'000);
        if (carried < needed) return redis_error::burst_too_small_for_rate;
        const std::uint64_t least = o.least_lease.value_or(1);
        if (least == 0 || least > most) return redis_error::least_lease_too_large;
        return redis_error::none;
    }

    // The thread ends, and what is left goes back. Blocks until the call under way is over, and for
    // answer_within at most besides. Nobody else may use the limit by then.
    ~fleet_limiter() = default;
    fleet_limiter(fleet_limiter&&) noexcept = default;
    fleet_limiter& operator=(fleet_limiter&&) noexcept = default;

    // All n units now or none.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n = 1) noexcept {
        return decided(parts_->stock.take(n, n), n);
    }
    // The same. It needs no time, as the thread has one.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n, instant /*now*/) noexcept {
        return try_acquire(n);
    }

    // What try_acquire would answer. Takes nothing. Wait-free.
    [[nodiscard]] decision_type peek(unit_count n = 1) const noexcept {
        return decided(parts_->stock.look(n), n);
    }
    [[nodiscard]] decision_type peek(unit_count n, instant /*now*/) const noexcept {
        return peek(n);
    }

    // The most units that a request can have, and that are in stock at once: the quota's burst /
    // (2 x processes).
    [[nodiscard]] word burst() const noexcept { return parts_->stock.most(); }

    // From `least` to `most` units, or none.
    [[nodiscard]] permit_type take(unit_count least, unit_count most) noexcept {
        if (least > most) return {};
        const auto t = parts_->stock.take(least, most);
        return {t.passes, t.units != 0 ? t.units : t.passes ? word{least} : 0, t.units};
    }
    [[nodiscard]] permit_type take(unit_count least, unit_count most, instant /*now*/) noexcept {
        return take(least, most);
    }
    // What was not used goes back to the stock, as far as it fits. How many units did.
    word refund(permit_type&& p, unit_count unused = largest<word>) noexcept {
        const permit_type mine = std::move(p);
        return parts_->stock.put(smaller<word>(unused, mine.from_stock_));
    }
    word refund(permit_type&& p, unit_count unused, instant /*now*/) noexcept {
        return refund(std::move(p), unused);
    }

    // How it stands, as the thread last saw it. Makes a system call.
    [[nodiscard]] fleet_state state() const noexcept { return parts_->state(); }
    [[nodiscard]] fleet_counts counts() const noexcept { return parts_->counts(); }
    // The units in stock. Others may take some meanwhile, so it is a snapshot.
    [[nodiscard]] word approx_left() const noexcept { return parts_->stock.units(); }

private:
    struct parts : fleet_thread<parts, fleet_counts> {
        parts(const redis_options& to, std::string_view name, const quota& q,
              const fleet_options& o)
            : fleet_thread<parts, fleet_counts>(o.thread_name),
              stock(static_cast<word>(largest_lease(q, o.processes))),
              store(to, name, q),
              supply(q, o, stock.most(), random_seed().value) {}
        ~parts() {
            if (this->end()) supply.end(stock, store);
        }
        void take_turn() { supply.turn(stock, store); }

        fleet_stock stock;
        detail::fleet_store store;
        fleet_supply supply;
    };
    using own_parts = std::unique_ptr<parts, parts::unless_forked>;

    explicit fleet_limiter(own_parts its) noexcept : parts_(std::move(its)) {}

    // 0 if the burst is too small. No more than a stock can hold.
    [[nodiscard]] static std::uint64_t largest_lease(const quota& q,
                                                     std::uint32_t processes) noexcept {
        return smaller<std::uint64_t>(fleet_lease::largest(q, processes), largest<word> / 4);
    }

    [[nodiscard, gnu::always_inline]] decision_type decided(const fleet_stock::taken& t,
                                                            word n) const noexcept {
        if (t.passes) [[likely]]
            return {verdict::admitted, t.left, nanoseconds{}};
        return denied(t.left, n);
    }
    [[nodiscard, gnu::noinline]] decision_type denied(word left, word n) const noexcept {
        const fleet_stock& stock = parts_->stock;
        if (n > stock.most()) return {verdict::never, left, nanoseconds::longest()};
        return {verdict::wait, left, stock.wait()};
    }

    own_parts parts_;
};

}  // namespace weir
