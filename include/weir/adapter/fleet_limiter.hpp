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

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <weir/adapter/fleet_stock.hpp>
#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/fleet_thread.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/published.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

namespace detail {

// What a supply asks for units, over a connection of its own.
class fleet_store {
public:
    fleet_store(const redis_options& to, std::string_view name, const quota& q)
        : redis_(to), limit_(redis_, name, q) {}

    [[nodiscard]] static nanoseconds now() noexcept {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    }
    [[nodiscard]] fleet_answer lease(word n, std::uint64_t floor) {
        // A new connection may be one to a Redis that has lost what the old one knew.
        if (const redis_error reason = redis_.connect(); reason != redis_error::none)
            return {reason};
        const bool is_new = redis_.connections() != known_;
        const fleet_answer a = answer_of(limit_.lease("", n, is_new ? floor : 0));
        if (a.error == redis_error::none) known_ = redis_.connections();
        return a;
    }
    [[nodiscard]] fleet_answer give_back(word n) { return answer_of(limit_.give_back("", n)); }
    [[nodiscard]] nanoseconds next_try_after() const noexcept { return redis_.next_try_after(); }

private:
    [[nodiscard]] static fleet_answer answer_of(const remote_decision& d) noexcept {
        return {d.error(), static_cast<word>(d.units()), d.retry_after(), d.idle_at()};
    }

    redis_connection redis_;
    remote_limiter limit_;
    std::uint64_t known_ = 0;  // the connection of the last answer
};

}  // namespace detail

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
    [[nodiscard]] fleet_state state() const noexcept {
        fleet_state s = parts_->said.load().state;
        if (parts_->thread.is_forked()) s.mode = fleet_mode::forked;
        return s;
    }
    [[nodiscard]] fleet_counts counts() const noexcept { return parts_->said.load().counts; }
    // The units in stock. Others may take some meanwhile, so it is a snapshot.
    [[nodiscard]] word approx_left() const noexcept { return parts_->stock.units(); }

private:
    struct alignas(sizeof(std::uint64_t)) report {
        fleet_state state;
        fleet_counts counts;
    };

    struct parts {
        parts(const redis_options& to, std::string_view name, const quota& q,
              const fleet_options& o)
            : stock(static_cast<word>(largest_lease(q, o.processes))),
              store(to, name, q),
              supply(q, o, stock.most(), random_seed().value),
              thread(*this, o.thread_name) {}
        parts(const parts&) = delete;
        parts& operator=(const parts&) = delete;
        ~parts() {
            if (thread.end()) supply.end(stock, store);
        }

        [[nodiscard]] redis_error begin() {
            turn();
            const redis_error failed = supply.state().error;
            if (failed != redis_error::none && !detail::may_pass_later(failed)) return failed;
            return thread.start() ? redis_error::none : redis_error::no_thread;
        }

        void turn() {
            supply.turn(stock, store);
            said.store({supply.state(), supply.counts()});
        }

        [[nodiscard]] nanoseconds next_turn() const noexcept { return supply.next_turn(); }

        fleet_stock stock;
        // The rest is the thread's alone while it runs, but for what it publishes.
        alignas(own_line) published<report> said{report{}};
        detail::fleet_store store;
        fleet_supply supply;
        fleet_thread<parts> thread;
    };

    // In a child nothing is closed or said on the connection, which is the parent's.
    struct unless_forked {
        void operator()(parts* its) const {
            if (!its->thread.is_forked()) delete its;
        }
    };
    using own_parts = std::unique_ptr<parts, unless_forked>;

    explicit fleet_limiter(own_parts its) noexcept : parts_(std::move(its)) {}

    // 0 if the burst is too small. No more than a stock can hold.
    [[nodiscard]] static std::uint64_t largest_lease(const quota& q,
                                                     std::uint32_t processes) noexcept {
        const std::uint64_t all = static_cast<std::uint64_t>(q.burst()) / 2 / processes;
        return smaller<std::uint64_t>(all, largest<word> / 4);
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
