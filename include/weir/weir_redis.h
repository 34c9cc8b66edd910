// SPDX-License-Identifier: MIT
/* Limits in a Redis that many machines share, in C: in libweir_redis, which needs libweir of the
 * same version, and hiredis. Their guides are adapter/fleet.md, fleet_leases.md and fleet_keyed.md,
 * and adapter/c.md for C.
 *
 * Exact limits (weir_remote) ask Redis for each decision. A connection and its limits are one
 * thread's own. Every call but those that free blocks, no longer than the options of the connection
 * say, or the patience.
 *
 * Leased limits (weir_fleet) decide in the process, while a thread of their own leases units. Any
 * number of threads may call everything but what frees, and no decision waits for Redis.
 *
 * The rest is as in weir.h: a call that takes units returns true if it took them, all others a
 * status; weir_text() has the sentence of each. No sentence has a word of a server, a key or an
 * option in it.
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
    WEIR_REDIS_REFUSED = -221,

    /* of leased limits */
    WEIR_FLEET_PROCESSES_NOT_SAID = -231,
    WEIR_FLEET_BURST_TOO_SMALL = -232, /* for so many processes */
    WEIR_FLEET_BURST_TOO_SMALL_FOR_RATE = -233,
    WEIR_FLEET_LEAST_LEASE_TOO_LARGE = -234, /* or 0 */
    WEIR_FLEET_KEYS_REFUSED = -235,
    WEIR_FLEET_NO_THREAD = -236,
    WEIR_FLEET_KEY_TOO_LONG = -237,

    /* of TLS: see weir_redis_tls.h */
    WEIR_TLS_AUTHORITIES_NOT_READ = -241,
    WEIR_TLS_CERTIFICATE_NOT_READ = -242,
    WEIR_TLS_KEY_NOT_READ = -243,
    WEIR_TLS_NONE = -244,
    WEIR_TLS_NOT_TRUSTED = -245,
    WEIR_TLS_ANOTHER_HOST = -246,
    WEIR_TLS_NOT_VALID_NOW = -247,
    WEIR_TLS_CERTIFICATE_WANTED = -248,

    WEIR_NOT_OF_ONE_VERSION = -251 /* the libraries of weir that the program has */
};

/* --- a connection */

/* TLS, by libweir_redis_tls (weir_redis_tls.h). */
typedef struct weir_redis_security weir_redis_security;

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
    int64_t answer_within_ns;            /* for each call, and each 256 of many */
    const weir_redis_security* security; /* NULL: none */
} weir_redis_options;
#define WEIR_REDIS_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(weir_redis_options), WEIR_ABI, "127.0.0.1", NULL, NULL, NULL, 6379, 0, 1000000000,  \
            100000000, NULL                                                                        \
    }

typedef struct weir_redis weir_redis;

/* Nothing is sent. NULL in place of options: all as in WEIR_REDIS_OPTIONS_INIT. */
WEIR_API weir_status weir_redis_new(const weir_redis_options* options, weir_redis** redis);
/* Connects now, to find a wrong option when a program starts. Nobody has to. */
WEIR_API weir_status weir_redis_connect(weir_redis* redis);
/* After its limits. NULL is nothing. */
WEIR_API void weir_redis_free(weir_redis* redis);

/* --- exact limits on it */

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

/* --- leased limits: decided in the process, while a thread leases units */

/* What passes while Redis cannot be asked, besides what is in stock. */
enum {
    WEIR_AWAY_LOCAL_SHARE = 0, /* the process's share of the rate, if it has seen Redis before */
    WEIR_AWAY_CLOSED = 1,      /* nothing */
    WEIR_AWAY_OPEN = 2         /* everything */
};

typedef struct weir_fleet_options {
    uint32_t size;
    uint32_t abi;
    uint32_t processes; /* how many use the limit at one time, at most. It has to be said */
    uint32_t when_away;
    int64_t least_lease; /* units that an idle process keeps; by default a quarter of the largest
                          * lease. Of limits by key the credit of a new key; by default 1 */
    const char* thread_name; /* up to 15 characters */
} weir_fleet_options;
#define WEIR_FLEET_OPTIONS_INIT                                                                    \
    { sizeof(weir_fleet_options), WEIR_ABI, 0, WEIR_AWAY_LOCAL_SHARE, WEIR_DEFAULT, "weir fleet" }

/* A limit, for all calls of weir.h but weir_charge, weir_reserve, weir_reset and those that change
 * it; a pacer runs on it, and it lends. It connects with a connection of its own, leases the first
 * units and starts its thread, so it blocks no longer than connect_within_ns and answer_within_ns.
 * If Redis is away now the limit is made all the same. Nothing that is given has to stay.
 *
 * weir_limit_free gives back what is left and joins the thread: it blocks for the call under way
 * and answer_within_ns at most. In the child of a fork it does nothing of that. */
WEIR_API weir_status weir_fleet_new(const weir_redis_options* redis, const char* name,
                                    weir_quota quota, const weir_fleet_options* options,
                                    weir_limit** limit);

enum {
    WEIR_FLEET_NO_LEASE_YET = 0, /* there has never been an answer of Redis */
    WEIR_FLEET_LEASED = 1,
    WEIR_FLEET_DEGRADED = 2, /* the last call failed, and the policy says what passes */
    WEIR_FLEET_FORKED = 3    /* this is a child, in which nobody leases: make a limit in it */
};

/* How it stands, and what the thread has done since the beginning, as it last saw it. */
typedef struct weir_fleet_state {
    uint32_t size;
    uint32_t abi;
    int32_t mode;
    weir_status error; /* of the last call, if that failed; else WEIR_OK */
    int64_t mode_ns;   /* for how long it has been so */
    int64_t burst;     /* the most units that a request can have, and that are in stock at once */
    uint64_t beyond;   /* units that passed in an outage and that Redis has not been told of */

    uint64_t calls;      /* of Redis, answered or not */
    uint64_t failures;   /* of those */
    uint64_t leases;     /* that brought units */
    uint64_t leased;     /* units */
    uint64_t given_back; /* units */
    uint64_t lost;       /* units of leases without an answer: Redis may have counted them */
    uint64_t minted;     /* units of the local share */
    uint64_t passed;     /* units that passed as WEIR_AWAY_OPEN lets them */
    uint64_t charged;    /* units of those two that Redis was told of afterwards */

    /* of limits by key; of one limit they are 0 */
    uint64_t keys;          /* in the table now */
    uint64_t entered;       /* keys that came */
    uint64_t forgotten;     /* keys that went away */
    uint64_t without_place; /* requests of new keys for which there was no place */
} weir_fleet_state;
#define WEIR_FLEET_STATE_INIT                                                                      \
    { sizeof(weir_fleet_state), WEIR_ABI, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/* WEIR_NOT_SUPPORTED of a limit that is not leased. */
WEIR_API weir_status weir_fleet_look(weir_limit* limit, weir_fleet_state* state);

/* --- the same for each of many keys */

typedef struct weir_fleet_keyed weir_fleet_keyed;

/* Room for `keys` keys that are busy in this process at one time. The rest as weir_fleet_new. */
WEIR_API weir_status weir_fleet_keyed_new(const weir_redis_options* redis, const char* name,
                                          weir_quota quota, size_t keys,
                                          const weir_fleet_options* options,
                                          weir_fleet_keyed** limits);
/* Gives back what it can in 200 ms and a call, and joins the thread. NULL is nothing. */
WEIR_API void weir_fleet_keyed_free(weir_fleet_keyed* limits);

/* A key is any bytes, 64 at most. All n units of the key now, or none. The first request of a key
 * passes by its credit. Lock-free, and makes no system call. */
WEIR_API WEIR_MUST_USE bool weir_fleet_keyed_try_acquire(weir_fleet_keyed* limits, const void* key,
                                                         size_t key_size, int64_t n,
                                                         weir_answer* answer);
/* What weir_fleet_keyed_try_acquire would answer, but for whether a new key finds a place. */
WEIR_API WEIR_MUST_USE bool weir_fleet_keyed_peek(weir_fleet_keyed* limits, const void* key,
                                                  size_t key_size, int64_t n, weir_answer* answer);
/* `beyond` and the counters are of all keys together. */
WEIR_API weir_status weir_fleet_keyed_look(weir_fleet_keyed* limits, weir_fleet_state* state);
/* What so many keys take, in bytes. 0: nobody can have so many. */
WEIR_API size_t weir_fleet_keyed_bytes(size_t keys);

#ifdef __cplusplus
}
#endif

#endif
