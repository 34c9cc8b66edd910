// SPDX-License-Identifier: MIT
/* What the tests of weir_redis.h in C have in common. */
#ifndef WEIR_TESTS_REDIS_C_REDIS_H
#define WEIR_TESTS_REDIS_C_REDIS_H

#include <weir/weir_redis.h>

#include "../c/expect.h"

/* Patient, since a busy machine is slow and that is no outage. */
static inline weir_redis_options patient(const char* socket) {
    weir_redis_options options = WEIR_REDIS_OPTIONS_INIT;
    options.socket = socket;
    options.connect_within_ns = options.answer_within_ns = 600000000000;
    return options;
}

static inline weir_redis* connection(const weir_redis_options* options) {
    weir_redis* redis = NULL;
    NEED(weir_redis_new(options, &redis));
    NEED(weir_redis_connect(redis));
    return redis;
}

static inline weir_remote* limit_of(weir_redis* redis, const char* name, weir_quota quota,
                                    const char* rule) {
    weir_remote* limit = NULL;
    NEED(weir_remote_new(redis, name, quota, rule, &limit));
    return limit;
}

#endif
