// SPDX-License-Identifier: MIT
// libweir_redis: leased limits for C (include/weir/weir_redis.h).
//
// A fleet_limiter is an object of the class that libweir has for limits. So all calls of weir.h ask
// it, and a pacer, a stripe, a lease and an all_of take it, without a second set of calls. What it
// costs: both libraries must have been built from one version of that class, which is looked at
// before the first use.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <weir/adapter/fleet_keyed.hpp>
#include <weir/adapter/fleet_limiter.hpp>
#include <weir/adapter/fleet_store.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/weir.h>
#include <weir/weir_redis.h>

#include "border.hpp"
#include "held.hpp"
#include "limit.hpp"
#include "redis_border.hpp"
#include "redis_status.hpp"

namespace weir::c {

namespace {

static_assert(static_cast<int>(when_away::local_share) == WEIR_AWAY_LOCAL_SHARE &&
              static_cast<int>(when_away::closed) == WEIR_AWAY_CLOSED &&
              static_cast<int>(when_away::open) == WEIR_AWAY_OPEN);
static_assert(static_cast<int>(fleet_mode::not_leased_yet) == WEIR_FLEET_NO_LEASE_YET &&
              static_cast<int>(fleet_mode::leased) == WEIR_FLEET_LEASED &&
              static_cast<int>(fleet_mode::degraded) == WEIR_FLEET_DEGRADED &&
              static_cast<int>(fleet_mode::forked) == WEIR_FLEET_FORKED);

// The thread reads its name when it begins, which may be after the call that makes the limit. So
// the limit keeps a copy, where no move of the limit moves it.
using kept_name = std::unique_ptr<const std::string>;

// What all leased limits are made of.
struct terms {
    const redis_options& to;
    const quota& its_quota;
    fleet_options options;
    kept_name thread_name;
};

// Calls `act(terms)`. What it throws is a status.
template <class Act>
[[nodiscard]] weir_status with_terms(const weir_redis_options* to, const char* name,
                                     const weir_quota& q, const weir_fleet_options* given,
                                     Act act) noexcept {
    constexpr std::size_t longest_thread_name = 15;
    if (name == nullptr) return WEIR_NULL;
    weir_fleet_options o = WEIR_FLEET_OPTIONS_INIT;
    if (const weir_status s = read(given, o); s != WEIR_OK) return s;
    if (o.when_away > std::uint32_t{WEIR_AWAY_OPEN} || o.thread_name == nullptr ||
        strnlen(o.thread_name, longest_thread_name + 1) > longest_thread_name)
        return WEIR_NO_VALUE;
    if (o.least_lease != WEIR_DEFAULT && o.least_lease < 0) return WEIR_NEGATIVE;
    return with(to, [&](redis_options& its) {
        return read(q, [&](const quota& its_quota) {
            terms t{its, its_quota, {}, std::make_unique<const std::string>(o.thread_name)};
            t.options.processes = o.processes;
            t.options.away = static_cast<when_away>(o.when_away);
            if (o.least_lease != WEIR_DEFAULT)
                t.options.least_lease = static_cast<std::uint64_t>(o.least_lease);
            t.options.thread_name = t.thread_name->c_str();
            return act(t);
        });
    });
}

void fill(weir_fleet_state& to, const fleet_state& s, const fleet_counts& c, word burst) noexcept {
    to.mode = static_cast<std::int32_t>(s.mode);
    to.error = redis_number_of(s.error);
    to.mode_ns =
        std::max<std::int64_t>(0, weir::detail::fleet_store::now().count() - s.since.count());
    to.burst = as_signed(burst);
    to.beyond = s.beyond;
    to.calls = c.calls;
    to.failures = c.failures;
    to.leases = c.leases;
    to.leased = c.leased;
    to.given_back = c.given_back;
    to.lost = c.lost;
    to.minted = c.minted;
    to.passed = c.passed;
    to.charged = c.charged;
}

class held_fleet final : public weir_limit {
    using kept = kept_permit<fleet_permit>;

public:
    held_fleet(fleet_limiter&& its, const quota& q, kept_name&& name) noexcept
        : name_(std::move(name)), quota_(q), limit_(std::move(its)) {}

    bool try_acquire(word n, weir_answer* answer) noexcept override {
        return decided([this, n] { return limit_.try_acquire(n); }, answer);
    }
    // It needs no time, as its thread has one.
    bool try_acquire_at(word n, now_type, weir_answer* answer) noexcept override {
        return try_acquire(n, answer);
    }
    bool peek_at(word n, now_type, weir_answer* answer) noexcept override {
        return decided([this, n] { return std::as_const(limit_).peek(n); }, answer);
    }
    word acquire_up_to(word n, weir_answer* answer) noexcept override {
        const fleet_permit p = limit_.take(word{1}, n);
        c::tell(answer, limit_.peek(word{p || n == 0 ? 0U : 1U}));
        return p.units();
    }
    bool acquire(word n, nanoseconds patience, weir_answer* answer) override {
        return c::tell(answer, acquire_for(limit_, n, patience));
    }

    bool take_at(word least, word most, now_type, weir_permit& permit) noexcept override {
        fleet_permit mine = limit_.take(least, most);
        permit.status = mine ? WEIR_OK : WEIR_WAIT;
        permit.wait_ns = 0;
        return static_cast<bool>(kept::put(std::move(mine), this, permit));
    }
    weir_status refund(weir_permit& permit, word units, std::int64_t& back) noexcept override {
        if (!kept::is_of(this, permit)) return WEIR_FOREIGN_PERMIT;
        permit.units = 0;
        back = as_signed(limit_.refund(std::move(kept::of(permit)), units));
        return WEIR_OK;
    }
    void refund_at(weir_permit& permit, word units, now_type) noexcept override {
        std::int64_t back = 0;
        (void)refund(permit, units, back);
    }
    [[nodiscard]] word burst() const noexcept override { return limit_.burst(); }

    weir_status reset_at(now_type) noexcept override { return WEIR_NOT_SUPPORTED; }
    weir_status look(weir_state& state) noexcept override {
        state.quota = as_c(quota_);
        state.remaining = as_signed(limit_.approx_left());
        state.can_lend = 1;
        return WEIR_OK;
    }
    weir_status look_at_fleet(weir_fleet_state& state) noexcept override {
        fill(state, limit_.state(), limit_.counts(), limit_.burst());
        return WEIR_OK;
    }
    [[nodiscard]] bool lends() const noexcept override { return true; }

private:
    kept_name name_;
    quota quota_;
    fleet_limiter limit_;
};

// A key that is too long is not looked at, not even to hash it.
[[nodiscard]] weir_status refusal_of_key(const weir_fleet_keyed* limits, const void* key,
                                         std::size_t size, std::int64_t n) noexcept {
    const weir_status s = refusal(limits, key, size, n);
    return s == WEIR_OK && size > fleet_keyed_limits::longest_key ? WEIR_FLEET_KEY_TOO_LONG : s;
}
bool refuse_key(weir_answer* answer, weir_status why) noexcept {
    (void)refuse(answer, why);
    if (answer != nullptr && why == WEIR_FLEET_KEY_TOO_LONG) answer->retry_after_ns = WEIR_FOREVER;
    return false;
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;  // NOLINT(google-build-using-namespace): the border's own

struct weir_fleet_keyed {
    weir_fleet_keyed(kept_name&& n, weir::fleet_keyed_limits&& limits) noexcept
        : name(std::move(n)), its(std::move(limits)) {}

    kept_name name;
    weir::fleet_keyed_limits its;
};

weir_status weir_fleet_new(const weir_redis_options* redis, const char* name, weir_quota quota,
                           const weir_fleet_options* options, weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    if (const weir_status s = of_one_version(weir_version()); s != WEIR_OK) return s;
    return with_terms(redis, name, quota, options, [&](terms& t) {
        auto made = weir::fleet_limiter::make(t.to, name, t.its_quota, t.options);
        if (!made) return redis_number_of(made.error());
        return make<held_fleet>(limit, std::move(*made), t.its_quota, std::move(t.thread_name));
    });
}

weir_status weir_fleet_look(weir_limit* limit, weir_fleet_state* state) {
    if (limit == nullptr) return WEIR_NULL;
    if (const weir_status s = of_one_version(weir_version()); s != WEIR_OK) return s;
    const weir_fleet_state unknown = WEIR_FLEET_STATE_INIT;
    return write(state, unknown, [&](weir_fleet_state& all) { return limit->look_at_fleet(all); });
}

weir_status weir_fleet_keyed_new(const weir_redis_options* redis, const char* name,
                                 weir_quota quota, size_t keys, const weir_fleet_options* options,
                                 weir_fleet_keyed** limits) {
    if (limits == nullptr) return WEIR_NULL;
    *limits = nullptr;
    return with_terms(redis, name, quota, options, [&](terms& t) {
        auto made = weir::fleet_keyed_limits::make(t.to, name, t.its_quota, keys, t.options);
        if (!made) return redis_number_of(made.error());
        return make<weir_fleet_keyed>(limits, std::move(t.thread_name), std::move(*made));
    });
}

void weir_fleet_keyed_free(weir_fleet_keyed* limits) { delete limits; }

bool weir_fleet_keyed_try_acquire(weir_fleet_keyed* limits, const void* key, size_t key_size,
                                  int64_t n, weir_answer* answer) {
    if (const weir_status s = refusal_of_key(limits, key, key_size, n); s != WEIR_OK)
        return refuse_key(answer, s);
    return decided(
        [limits, k = bytes(key, key_size), units = static_cast<weir::word>(n)] {
            return limits->its.try_acquire(k, units);
        },
        answer);
}

bool weir_fleet_keyed_peek(weir_fleet_keyed* limits, const void* key, size_t key_size, int64_t n,
                           weir_answer* answer) {
    if (const weir_status s = refusal_of_key(limits, key, key_size, n); s != WEIR_OK)
        return refuse_key(answer, s);
    return decided(
        [limits, k = bytes(key, key_size), units = static_cast<weir::word>(n)] {
            return std::as_const(limits->its).peek(k, units);
        },
        answer);
}

weir_status weir_fleet_keyed_look(weir_fleet_keyed* limits, weir_fleet_state* state) {
    if (limits == nullptr) return WEIR_NULL;
    const weir_fleet_state unknown = WEIR_FLEET_STATE_INIT;
    return write(state, unknown, [&](weir_fleet_state& all) {
        const weir::fleet_key_counts c = limits->its.counts();
        fill(all, limits->its.state(), c, limits->its.burst());
        all.keys = c.keys;
        all.entered = c.entered;
        all.forgotten = c.forgotten;
        all.without_place = c.without_place;
        return WEIR_OK;
    });
}

size_t weir_fleet_keyed_bytes(size_t keys) {
    if (keys == 0 || keys > weir::fleet_keyed_limits::most_keys) return 0;
    return weir::fleet_keyed_limits::bytes_for(keys);
}
