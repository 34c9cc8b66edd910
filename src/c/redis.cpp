// SPDX-License-Identifier: MIT
// libweir_redis: exact limits in a Redis for C (include/weir/weir_redis.h).

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/adapter/redis.hpp>
#include <weir/weir.h>
#include <weir/weir_redis.h>

#include "border.hpp"
#include "limit.hpp"
#include "redis_border.hpp"
#include "redis_status.hpp"

struct weir_redis {
    explicit weir_redis(weir::redis_options o) : its(std::move(o)) {}
    weir::redis_connection its;
};
struct weir_remote {
    explicit weir_remote(weir::remote_limiter l) : its(std::move(l)) {}
    weir::remote_limiter its;
};

namespace weir::c {

namespace {

void put(weir_remote_answer* to, weir_status status) noexcept {
    if (to != nullptr) *to = {status, 0, 0, 0, 0, 0};
}
void put(weir_remote_answer* to, const remote_decision& d) noexcept {
    if (to == nullptr) return;
    weir_status status = WEIR_OK;
    if (d.failed())
        status = redis_number_of(d.error());
    else if (!d)
        status = d.verdict() == verdict::never ? WEIR_NEVER : WEIR_WAIT;
    *to = {status,
           0,
           as_signed(d.units()),
           as_signed(d.remaining()),
           d.verdict() == verdict::never ? WEIR_FOREVER : d.retry_after().count(),
           d.reset_after().count()};
}

// A decision by `act(limit, key, n)`: true if it admitted.
template <class Act>
bool decide(weir_remote* limit, const void* key, std::size_t size, std::int64_t n,
            weir_remote_answer* answer, Act act) noexcept {
    bool admitted = false;
    weir_status s = refusal(limit, key, size, n);
    if (s == WEIR_OK) {
        s = guarded([&] {
            const remote_decision d = act(limit->its, bytes(key, size), static_cast<word>(n));
            put(answer, d);
            admitted = d.admitted();
            return WEIR_OK;
        });
    }
    if (s != WEIR_OK) put(answer, s);
    return admitted;
}

[[nodiscard]] bool rule_of(const char* name, remote_rule& to) noexcept {
    if (name == nullptr) return true;
    for (const remote_rule rule : {remote_rule::gcra, remote_rule::fixed_window,
                                   remote_rule::sliding_window, remote_rule::sliding_log}) {
        if (std::string_view(name) == describe(rule)) {
            to = rule;
            return true;
        }
    }
    return false;
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;  // NOLINT(google-build-using-namespace): the border's own

weir_status weir_redis_new(const weir_redis_options* options, weir_redis** redis) {
    if (redis == nullptr) return WEIR_NULL;
    *redis = nullptr;
    return with(options,
                [&](weir::redis_options& its) { return make<weir_redis>(redis, std::move(its)); });
}

weir_status weir_redis_connect(weir_redis* redis) {
    if (redis == nullptr) return WEIR_NULL;
    return guarded([&] { return redis_number_of(redis->its.connect()); });
}

void weir_redis_free(weir_redis* redis) { delete redis; }

weir_status weir_remote_new(weir_redis* redis, const char* name, weir_quota quota, const char* rule,
                            weir_remote** remote) {
    if (remote == nullptr) return WEIR_NULL;
    *remote = nullptr;
    if (redis == nullptr || name == nullptr) return WEIR_NULL;
    weir::remote_rule which = weir::remote_rule::gcra;
    if (!rule_of(rule, which)) return WEIR_NO_CELL;
    return read(quota, [&](const weir::quota& q) -> weir_status {
        const weir::redis_error refused = weir::remote_limiter::refusal(name, q, which);
        if (refused != weir::redis_error::none) return redis_number_of(refused);
        return make<weir_remote>(remote, weir::remote_limiter(redis->its, name, q, which));
    });
}

void weir_remote_free(weir_remote* remote) { delete remote; }

bool weir_remote_try_acquire(weir_remote* remote, const void* key, size_t key_size, int64_t n,
                             weir_remote_answer* answer) {
    return decide(remote, key, key_size, n, answer,
                  [](auto& its, auto k, weir::word units) { return its.try_acquire(k, units); });
}

bool weir_remote_peek(weir_remote* remote, const void* key, size_t key_size, int64_t n,
                      weir_remote_answer* answer) {
    return decide(remote, key, key_size, n, answer,
                  [](auto& its, auto k, weir::word units) { return its.peek(k, units); });
}

int64_t weir_remote_acquire_up_to(weir_remote* remote, const void* key, size_t key_size, int64_t n,
                                  weir_remote_answer* answer) {
    std::int64_t taken = 0;
    (void)decide(remote, key, key_size, n, answer, [&](auto& its, auto k, weir::word units) {
        const auto d = its.acquire_up_to(k, units);
        taken = as_signed(d.units());
        return d;
    });
    return taken;
}

bool weir_remote_acquire(weir_remote* remote, const void* key, size_t key_size, int64_t n,
                         int64_t patience_ns, weir_remote_answer* answer) {
    bool acquired = false;
    weir_status s = refusal(remote, key, key_size, n);
    if (s == WEIR_OK && patience_ns < 0) s = WEIR_NEGATIVE;
    weir_remote_answer told = {s, 0, 0, 0, 0, 0};
    if (s == WEIR_OK) {
        told.status = guarded([&]() -> weir_status {
            const auto a = remote->its.acquire_for(bytes(key, key_size), static_cast<weir::word>(n),
                                                   weir::nanoseconds(patience_ns));
            acquired = static_cast<bool>(a);
            if (acquired) {
                told.units = n;
                return WEIR_OK;
            }
            told.retry_after_ns = a.wait.count();
            if (a.error != weir::redis_error::none) return redis_number_of(a.error);
            if (a.how == weir::ending::too_late) return WEIR_TOO_LATE;
            told.retry_after_ns = WEIR_FOREVER;
            return WEIR_NEVER;
        });
    }
    if (answer != nullptr) *answer = told;
    return acquired;
}

size_t weir_remote_try_acquire_each(weir_remote* remote, const weir_remote_request* requests,
                                    size_t count, weir_remote_answer* answers) {
    if (answers == nullptr) return 0;
    weir_status s = remote == nullptr || (requests == nullptr && count != 0) ? WEIR_NULL : WEIR_OK;
    for (std::size_t i = 0; s == WEIR_OK && i < count; ++i)
        s = refusal(remote, requests[i].key, requests[i].key_size, requests[i].n);
    std::size_t admitted = 0;
    if (s == WEIR_OK) {
        s = guarded([&] {
            std::vector<weir::remote_request> all;
            all.reserve(count);
            for (std::size_t i = 0; i < count; ++i)
                all.push_back({bytes(requests[i].key, requests[i].key_size),
                               static_cast<weir::word>(requests[i].n)});
            const auto told = remote->its.try_acquire_each(all);
            for (std::size_t i = 0; i < count; ++i) {
                put(answers + i, told[i]);
                admitted += told[i] ? 1U : 0U;
            }
            return WEIR_OK;
        });
    }
    if (s == WEIR_OK) return admitted;
    for (std::size_t i = 0; i < count; ++i) put(answers + i, s);
    return 0;
}

weir_status weir_remote_reset(weir_remote* remote, const void* key, size_t key_size) {
    if (const weir_status s = refusal(remote, key, key_size, 0); s != WEIR_OK) return s;
    return guarded([&] { return redis_number_of(remote->its.reset(bytes(key, key_size))); });
}
