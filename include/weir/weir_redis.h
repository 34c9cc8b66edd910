// SPDX-License-Identifier: MIT
/* Limits in a Redis that many machines share, in C: in libweir_redis, which needs libweir and
 * hiredis. Their guide is adapter/fleet.md, and adapter/c.md for C.
 *
 * A connection and its limits are one thread's own. Every call but those that free blocks, no
 * longer than the options of the connection say, or the patience. The rest is as in weir.h: a call
 * that takes units returns true if it took them, all others a status; weir_text() has the sentence
 * of each. No sentence has a word of a server, a key or an option in it.
 */
#ifndef WEIR_WEIR_REDIS_H
#define WEIR_WEIR_REDIS_H

#include <weir/weir.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why Redis gives no decision. After the first three of the second part nobody knows whether units
 * were taken; else none were. */
enum {
    WEIR_REDIS_NAME_REFUSED = -201,
    WEIR_REDIS_KEY_TOO_LONG = -202,
    WEIR_REDIS_BURST_NOT_THE_WINDOW = -203,
    WEIR_REDIS_PERIOD_NOT_WHOLE = -204,
    WEIR_REDIS_NUMBERS_TOO_LARGE = -205,
    WEIR_REDIS_LOG_TOO_LONG = -206,

    WEIR_REDIS_TOO_SLOW = -210,
    WEIR_REDIS_CUT_OFF = -211,
    WEIR_REDIS_NOT_UNDERSTOOD = -212,
    WEIR_REDIS_DOWN = -213,
    WEIR_REDIS_NOT_SIGNED_IN = -214,
    WEIR_REDIS_NOT_PERMITTED = -215,
    WEIR_REDIS_READ_ONLY = -216,
    WEIR_REDIS_OUT_OF_MEMORY = -217,
    WEIR_REDIS_BUSY = -218,
    WEIR_REDIS_MOVED = -219,
    WEIR_REDIS_FOREIGN_KEY = -220,
    WEIR_REDIS_REFUSED = -221
};

/* --- a connection */

typedef struct weir_redis_options {
    uint32_t size;
    uint32_t abi;
    const char* host;
    const char* socket;   /* path of a Unix socket; then host and port say nothing */
    const char* user;     /* NULL: Redis's default user */
    const char* password; /* NULL: no AUTH */
    int32_t port;
    int32_t database;
    int64_t connect_within_ns;
    int64_t answer_within_ns; /* for each call, and each 256 of many */
} weir_redis_options;
#define WEIR_REDIS_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(weir_redis_options), WEIR_ABI, "127.0.0.1", NULL, NULL, NULL, 6379, 0, 1000000000,  \
            100000000                                                                              \
    }

typedef struct weir_redis weir_redis;

/* Nothing is sent. NULL in place of options: all as in WEIR_REDIS_OPTIONS_INIT. */
WEIR_API weir_status weir_redis_new(const weir_redis_options* options, weir_redis** redis);
/* Connects now, to find a wrong option when a program starts. Nobody has to. */
WEIR_API weir_status weir_redis_connect(weir_redis* redis);
/* After its limits. NULL is nothing. */
WEIR_API void weir_redis_free(weir_redis* redis);

/* --- limits on it */

typedef struct weir_remote weir_remote;

/* The name has 1 to 200 bytes. The rule is "gcra", "fixed_window", "sliding_window" or
 * "sliding_log"; NULL: "gcra". The connection must outlive it. */
WEIR_API weir_status weir_remote_new(weir_redis* redis, const char* name, weir_quota quota,
                                     const char* rule, weir_remote** remote);
/* NULL is nothing. */
WEIR_API void weir_remote_free(weir_remote* remote);

/* Unless it is NULL it is written by each call. */
typedef struct weir_remote_answer {
    weir_status status;
    uint32_t unused;
    int64_t units;          /* that were taken */
    int64_t remaining;      /* units that could still pass */
    int64_t retry_after_ns; /* until the same request passes; WEIR_FOREVER: never */
    int64_t reset_after_ns; /* until it is as good as new */
} weir_remote_answer;

/* A key is any bytes, 1024 at most. All n units now, or none. */
WEIR_API WEIR_MUST_USE bool weir_remote_try_acquire(weir_remote* remote, const void* key,
                                                    size_t key_size, int64_t n,
                                                    weir_remote_answer* answer);
/* What weir_remote_try_acquire would answer. */
WEIR_API WEIR_MUST_USE bool weir_remote_peek(weir_remote* remote, const void* key, size_t key_size,
                                             int64_t n, weir_remote_answer* answer);
/* As many as there are now, up to n: returns how many it took. */
WEIR_API int64_t weir_remote_acquire_up_to(weir_remote* remote, const void* key, size_t key_size,
                                           int64_t n, weir_remote_answer* answer);
/* Waits for n units, no longer than `patience_ns`, also while Redis is away. */
WEIR_API WEIR_MUST_USE bool weir_remote_acquire(weir_remote* remote, const void* key,
                                                size_t key_size, int64_t n, int64_t patience_ns,
                                                weir_remote_answer* answer);

/* Many at once: a round trip for each 256 of them. Writes `count` answers, which must not be NULL,
 * and returns how many were admitted. */
typedef struct weir_remote_request {
    const void* key;
    size_t key_size;
    int64_t n;
} weir_remote_request;
WEIR_API size_t weir_remote_try_acquire_each(weir_remote* remote,
                                             const weir_remote_request* requests, size_t count,
                                             weir_remote_answer* answers);

/* All units are there again. */
WEIR_API weir_status weir_remote_reset(weir_remote* remote, const void* key, size_t key_size);

#ifdef __cplusplus
}
#endif

#endif
