// SPDX-License-Identifier: MIT
// fleet_keyed_limits: a limit for each key that many machines share, in a Redis, decided in this
// process. A thread of its own leases units of the keys that are busy, with one call for many of
// them; a request finds its key in a table and takes units by one exchange.
//
//     weir::fleet_keyed_limits per_tenant({.host = "redis.internal"}, "calls",
//                                         weir::per_second(1000), 100'000, {.processes = 16});
//     if (per_tenant.try_acquire(tenant)) serve();
//
// The table has a fixed size, for so many keys as are busy in this process within some seconds. Any
// number of threads may call everything but moves and the destructor. try_acquire and peek are
// lock-free, and neither read a clock, nor make a system call, nor allocate. The invariants and the
// linearisation point are in fleet_key_table.hpp.
//
// The first request for a key passes at once: it is credited with `least_lease` units (one, if
// nothing is said), which the thread charges to Redis a few milliseconds later. So of each key, in
// every window W, all processes together let pass at most
//
//     burst + rate x W + processes x (burst() + least_lease)
//
// and what the policy adds while Redis cannot be asked: see fleet_supply.hpp and the guide.
//
// A key is up to 64 bytes of any kind. Those of a remote_limiter with the same name and quota are
// the same limits, so a service may ask one and the next the other.
//
// A process that forks has the limits for itself; a child makes its own. The copy's destructor does
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <weir/adapter/fleet_key_record.hpp>
#include <weir/adapter/fleet_key_supply.hpp>
#include <weir/adapter/fleet_key_table.hpp>
#include <weir/adapter/fleet_key_word.hpp>
#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_limiter.hpp>
#include <weir/adapter/fleet_store.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/fleet_thread.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>

namespace weir {

class fleet_keyed_limits {
    using table = fleet_key_table<>;

public:
    using decision_type = fleet_decision;
    static constexpr std::size_t longest_key = table::longest_key;

    // Allocates all that it ever needs but for the calls, connects and starts the thread. Blocks no
    // longer than connect_within and answer_within. If Redis is away now the limits are made all
    // the same, and their policy says what passes; what no wait will mend, such as a wrong
    // password, is the error.
    [[nodiscard]] static result<fleet_keyed_limits, redis_error>
    make(const redis_options& to, std::string_view name, const quota& q, std::size_t keys,
         const fleet_options& o) {
        const redis_error reason = refusal(name, q, keys, o);
        if (reason != redis_error::none) return reason;
        own_parts parts(new fleet_keyed_limits::parts(to, name, q, keys, o));
        const redis_error failed = parts->begin();
        if (failed != redis_error::none) return failed;
        return fleet_keyed_limits(std::move(parts));
    }

    // The same, and throws `refused`; without exceptions it prints the sentence and ends.
    fleet_keyed_limits(const redis_options& to, std::string_view name, const quota& q,
                       std::size_t keys, const fleet_options& o)
        : fleet_keyed_limits(make(to, name, q, keys, o).value()) {}

    // Why such limits cannot be, or `none`.
    [[nodiscard]] static redis_error refusal(std::string_view name, const quota& q,
                                             std::size_t keys, const fleet_options& o) noexcept {
        if (keys == 0 || keys > most_keys) return redis_error::keys_refused;
        const redis_error reason = fleet_limiter::refusal(name, q, o);
        if (reason == redis_error::none && fleet_key_supply::credit(o) > fleet_key_word::most_units)
            return redis_error::least_lease_too_large;
        return reason;
    }
    static constexpr std::size_t most_keys = 100'000'000;

    // What so many keys take, in bytes.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t keys) noexcept {
        return table::places_for(keys) *
                   (table::bytes_a_place() + fleet_key_supply::bytes_a_place()) +
               sizeof(parts);
    }

    // The thread ends, and what is left goes back, as far as that takes no longer than 200 ms and a
    // call. Nobody else may use the limits by then.
    ~fleet_keyed_limits() = default;
    fleet_keyed_limits(fleet_keyed_limits&&) noexcept = default;
    fleet_keyed_limits& operator=(fleet_keyed_limits&&) noexcept = default;

    // All n units of the key now or none. A key of more than 64 bytes never passes.
    [[gnu::always_inline]] decision_type try_acquire(std::string_view key,
                                                     unit_count n = 1) noexcept {
        const table::taken t = parts_->keys.take(key, n);
        if (t.passes) [[likely]]
            return {verdict::admitted, t.left, nanoseconds{}};
        return denied(key, n, t);
    }
    // What try_acquire would answer, but for whether a new key finds a place. Takes nothing.
    // Wait-free but for the length of the key.
    [[nodiscard]] decision_type peek(std::string_view key, unit_count n = 1) const noexcept {
        const table::taken t = parts_->keys.look(key, n);
        if (t.passes) return {verdict::admitted, t.left, nanoseconds{}};
        return denied(key, n, t);
    }

    // The most units that a request can have, and that are in stock of a key at once: the quota's
    // burst / (2 x processes).
    [[nodiscard]] word burst() const noexcept { return parts_->keys.most(); }

    // How it stands, as the thread last saw it. `beyond` is of all keys together. Makes a system
    // call.
    [[nodiscard]] fleet_state state() const noexcept { return parts_->state(); }
    [[nodiscard]] fleet_key_counts counts() const noexcept { return parts_->counts(); }

private:
    struct parts : fleet_thread<parts, fleet_key_counts> {
        parts(const redis_options& to, std::string_view name, const quota& q, std::size_t count,
              const fleet_options& o)
            : fleet_thread<parts, fleet_key_counts>(o.thread_name),
              keys(count, largest_stock(q, o), fleet_key_supply::credit(o), random_seed()),
              store(to, name, q),
              supply(q, o, keys, random_seed().value) {}
        ~parts() {
            if (this->end()) supply.end(store);
        }
        void take_turn() { supply.turn(store); }

        table keys;
        detail::fleet_store store;
        fleet_key_supply supply;
    };
    using own_parts = std::unique_ptr<parts, parts::unless_forked>;

    explicit fleet_keyed_limits(own_parts its) noexcept : parts_(std::move(its)) {}

    [[nodiscard]] static word largest_stock(const quota& q, const fleet_options& o) noexcept {
        return static_cast<word>(
            smaller(fleet_lease::largest(q, o.processes), fleet_key_word::most_units));
    }

    [[nodiscard, gnu::noinline]] decision_type denied(std::string_view key, word n,
                                                      const table::taken& t) const noexcept {
        if (n > burst() || key.size() > longest_key)
            return {verdict::never, t.left, nanoseconds::longest()};
        const nanoseconds wait = microseconds(std::int64_t{t.wait});
        return {verdict::wait, t.left, std::max(wait, fleet_lease::longest_look)};
    }

    own_parts parts_;
};

}  // namespace weir
