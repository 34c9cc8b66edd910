// SPDX-License-Identifier: MIT
/* c_test <socket of a Redis>: weir_redis.h from C. */
#include <weir/weir_redis_tls.h>

#include "c_redis.h"

static void decides(weir_redis* redis) {
    static const char* const rules[] = {NULL, "gcra", "fixed_window", "sliding_log"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        weir_remote* limit =
            limit_of(redis, rules[i] == NULL ? "any" : rules[i], weir_per_hour(10), rules[i]);
        weir_remote_answer a;
        EXPECT(weir_remote_try_acquire(limit, "ann", 3, 4, &a));
        EXPECT(a.status == WEIR_OK && a.units == 4 && a.remaining == 6 && a.retry_after_ns == 0);
        EXPECT(a.reset_after_ns > 0);
        EXPECT(weir_remote_peek(limit, "ann", 3, 6, NULL));
        EXPECT(weir_remote_acquire_up_to(limit, "ann", 3, WEIR_ALL, &a) == 6);
        EXPECT(!weir_remote_try_acquire(limit, "ann", 3, 1, &a));
        EXPECT(a.status == WEIR_WAIT && a.retry_after_ns > 0 && a.units == 0);
        EXPECT(!weir_remote_try_acquire(limit, "ann", 3, 11, &a));
        EXPECT(a.status == WEIR_NEVER && a.retry_after_ns == WEIR_FOREVER);
        EXPECT(!weir_remote_acquire(limit, "ann", 3, 1, 1000000, &a));
        EXPECT(a.status == WEIR_TOO_LATE && a.retry_after_ns > 1000000);
        EXPECT(!weir_remote_acquire(limit, "ann", 3, 11, WEIR_FOREVER, &a));
        EXPECT(a.status == WEIR_NEVER);
        EXPECT(weir_remote_try_acquire(limit, "an\0", 3, 1, NULL)); /* another key */
        EXPECT(weir_remote_try_acquire(limit, NULL, 0, 1, NULL));
        EXPECT_STATUS(WEIR_OK, weir_remote_reset(limit, "ann", 3));
        EXPECT(weir_remote_acquire(limit, "ann", 3, 10, 0, &a));
        EXPECT(a.status == WEIR_OK && a.units == 10);
        weir_remote_free(limit);
    }
}

static void many_at_once(weir_redis* redis) {
    weir_remote* limit = limit_of(redis, "many", weir_per_hour(300), NULL);
    weir_remote_request requests[500];
    weir_remote_answer answers[500];
    for (size_t i = 0; i < 500; ++i) {
        requests[i].key = "a";
        requests[i].key_size = 1;
        requests[i].n = 1;
    }
    EXPECT(weir_remote_try_acquire_each(limit, requests, 500, answers) == 300);
    EXPECT(answers[0].status == WEIR_OK && answers[499].status == WEIR_WAIT);
    EXPECT(weir_remote_try_acquire_each(limit, requests, 0, answers) == 0);
    requests[7].n = -1;
    EXPECT(weir_remote_try_acquire_each(limit, requests, 500, answers) == 0);
    EXPECT(answers[0].status == WEIR_NEGATIVE && answers[499].status == WEIR_NEGATIVE);
    EXPECT(weir_remote_try_acquire_each(NULL, requests, 1, answers) == 0);
    EXPECT(answers[0].status == WEIR_NULL);
    EXPECT(weir_remote_try_acquire_each(limit, requests, 1, NULL) == 0);
    weir_remote_free(limit);
}

static void refuses(weir_redis* redis) {
    weir_remote* limit = NULL;
    weir_remote_answer a;
    char name[300];
    char long_key[1025];
    EXPECT_STATUS(WEIR_NULL, weir_remote_new(NULL, "x", weir_per_hour(1), NULL, &limit));
    EXPECT_STATUS(WEIR_NULL, weir_remote_new(redis, NULL, weir_per_hour(1), NULL, &limit));
    EXPECT_STATUS(WEIR_NULL, weir_remote_new(redis, "x", weir_per_hour(1), NULL, NULL));
    EXPECT_STATUS(WEIR_NO_CELL, weir_remote_new(redis, "x", weir_per_hour(1), "bucket", &limit));
    EXPECT_STATUS(WEIR_BAD_QUOTA - 1, weir_remote_new(redis, "x", weir_per_hour(0), NULL, &limit));
    EXPECT_STATUS(WEIR_REDIS_NAME_REFUSED,
                  weir_remote_new(redis, "", weir_per_hour(1), NULL, &limit));
    memset(name, 'x', sizeof name);
    name[299] = 0;
    EXPECT_STATUS(WEIR_REDIS_NAME_REFUSED,
                  weir_remote_new(redis, name, weir_per_hour(1), NULL, &limit));
    EXPECT_STATUS(
        WEIR_REDIS_BURST_NOT_THE_WINDOW,
        weir_remote_new(redis, "x", weir_with_burst(weir_per_hour(5), 1), "fixed_window", &limit));
    EXPECT(limit == NULL);
    EXPECT(!weir_remote_try_acquire(NULL, "a", 1, 1, &a) && a.status == WEIR_NULL);
    limit = limit_of(redis, "x", weir_per_hour(5), NULL);
    EXPECT(!weir_remote_try_acquire(limit, NULL, 1, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_remote_try_acquire(limit, "a", 1, -1, &a) && a.status == WEIR_NEGATIVE);
    memset(long_key, 'k', sizeof long_key);
    EXPECT(!weir_remote_try_acquire(limit, long_key, sizeof long_key, 1, &a));
    EXPECT(a.status == WEIR_REDIS_KEY_TOO_LONG);
    EXPECT(weir_remote_acquire_up_to(limit, "a", 1, -1, &a) == 0 && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_remote_acquire(limit, "a", 1, 1, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT_STATUS(WEIR_NULL, weir_remote_reset(NULL, "a", 1));
    weir_remote_free(limit);
    weir_remote_free(NULL);
    weir_redis_free(NULL);
    EXPECT_STATUS(WEIR_NULL, weir_redis_connect(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_redis_new(NULL, NULL));
}

static void looks_at_options(void) {
    weir_redis* redis = NULL;
    weir_redis_options o = WEIR_REDIS_OPTIONS_INIT;
    o.port = 70000;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_redis_new(&o, &redis));
    o = (weir_redis_options)WEIR_REDIS_OPTIONS_INIT;
    o.answer_within_ns = 0;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_redis_new(&o, &redis));
    EXPECT_GROWTH(weir_redis_options, WEIR_REDIS_OPTIONS_INIT, weir_redis_new(&given, &redis));
    EXPECT(redis == NULL);
    o = (weir_redis_options)WEIR_REDIS_OPTIONS_INIT;
    o.socket = "/nowhere";
    NEED(weir_redis_new(&o, &redis));
    EXPECT_STATUS(WEIR_REDIS_DOWN, weir_redis_connect(redis));
    weir_remote* limit = limit_of(redis, "x", weir_per_hour(5), NULL);
    weir_remote_answer a;
    EXPECT(!weir_remote_try_acquire(limit, "a", 1, 1, &a) && a.status == WEIR_REDIS_DOWN);
    EXPECT(!weir_remote_acquire(limit, "a", 1, 1, 5000000, &a) && a.status == WEIR_REDIS_DOWN);
    EXPECT_STATUS(WEIR_REDIS_DOWN, weir_remote_reset(limit, "a", 1));
    weir_remote_free(limit);
    weir_redis_free(redis);
}

static void has_a_sentence_for_each(void) {
    static const struct {
        weir_status first;
        weir_status last;
    } parts[] = {{WEIR_REDIS_NAME_REFUSED, WEIR_REDIS_LOG_TOO_LONG},
                 {WEIR_REDIS_TOO_SLOW, WEIR_REDIS_REFUSED},
                 {WEIR_FLEET_PROCESSES_NOT_SAID, WEIR_FLEET_KEY_TOO_LONG},
                 {WEIR_TLS_AUTHORITIES_NOT_READ, WEIR_TLS_CERTIFICATE_WANTED},
                 {WEIR_NOT_OF_ONE_VERSION, WEIR_NOT_OF_ONE_VERSION}};
    for (weir_status s = -200; s >= -300; --s) {
        int is_one = 0;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
            is_one |= s <= parts[i].first && s >= parts[i].last;
        EXPECT((strcmp(weir_text(s), "unknown status") != 0) == is_one);
        for (weir_status other = -200; other > s; --other)
            EXPECT(!is_one || strcmp(weir_text(s), weir_text(other)) != 0);
    }
    EXPECT(strcmp(weir_text(WEIR_REDIS_REFUSED), "Redis refuses, for a reason of its own") == 0);
}

static void knows_its_structs(void) {
#define EXPECT_SIZE(name) EXPECT(weir_size_of(#name) == sizeof(weir_##name))
    EXPECT_SIZE(redis_options);
    EXPECT_SIZE(remote_answer);
    EXPECT_SIZE(remote_request);
    EXPECT_SIZE(fleet_options);
    EXPECT_SIZE(fleet_state);
    EXPECT_SIZE(redis_tls_options);
}

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const weir_redis_options options = patient(arguments[1]);
    weir_redis* redis = connection(&options);
    decides(redis);
    many_at_once(redis);
    refuses(redis);
    looks_at_options();
    has_a_sentence_for_each();
    knows_its_structs();
    weir_redis_free(redis);
    return failures != 0;
}
