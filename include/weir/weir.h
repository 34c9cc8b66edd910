// SPDX-License-Identifier: MIT
/* weir in C: limits and the pacer, in libweir. Its guide is adapter/c.md.
 * The header is long because it is the whole interface.
 *
 * Each limit, whatever it is made of, is a `weir_limit*`, and one set of calls asks all of them.
 * A call that takes units returns true if it took them, and false for whatever reason it did not:
 * `if (weir_try_acquire(limit, 1, NULL)) serve();` is right also if `limit` is NULL. All other
 * calls return a status: WEIR_OK, which is 0, or what is wrong. weir_text() has the sentence.
 *
 * Times are nanoseconds by the default clock of weir (monotonic). Numbers of units are not
 * negative. No call throws. Any number of threads may call everything, without locks, unless a call
 * says otherwise; those that make and free an object have it for themselves.
 *
 * A struct whose first member is `size` grows with later versions: begin it with its _INIT. Others
 * never change. The library says which versions of each it knows.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(_WIN32)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif
#if defined(__GNUC__)
#define WEIR_MUST_USE __attribute__((warn_unused_result))
#else
#define WEIR_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- versions */

/* Grows when structs or calls are added. */
#define WEIR_ABI 1u

WEIR_API const char* weir_version(void); /* of the library, such as "0.2.0" */
WEIR_API uint32_t weir_abi(void);        /* the newest that it knows */

/* WEIR_ABI as this program was compiled with: WEIR_OK, WEIR_TOO_NEW or WEIR_TOO_OLD. For programs
 * that load the library at run time; in others each _INIT brings it along. */
typedef int32_t weir_status;
WEIR_API weir_status weir_serves(uint32_t abi);

/* The size of a struct as the library knows it, by its name without "weir_"; 0: there is none. */
WEIR_API size_t weir_size_of(const char* name);

/* --- statuses: 0, refusals that are ordinary business (> 0), and mistakes or lacks (< 0) */

enum {
    WEIR_OK = 0,
    WEIR_WAIT = 1,     /* later: retry_after_ns says when */
    WEIR_NEVER = 2,    /* more units than the limit ever lets pass */
    WEIR_TOO_LATE = 3, /* it would have taken longer than one was ready to wait */
    WEIR_LANE_FULL = 4,
    WEIR_CLOSED = 5,
    WEIR_NO_LANE = 6,
    WEIR_MISSES_DEADLINE = 7,
    WEIR_RUNS_WITHOUT = 8, /* the thread runs; something that its options ask for was refused */
    WEIR_IN_PART = 9,      /* what a server said is obeyed, but not until the reset */
    WEIR_NO_PLACE = 10,    /* the keyed table has no place for the key */

    WEIR_NULL = -1,
    WEIR_NEGATIVE = -2,
    WEIR_NO_MEMORY = -3,
    WEIR_TOO_NEW = -4,
    WEIR_TOO_OLD = -5,
    WEIR_NOT_SUPPORTED = -6,
    WEIR_NO_INDEX = -7,
    WEIR_NO_CELL = -8,
    WEIR_NO_VALUE = -9,
    WEIR_NOT_THIS_MANY = -10,
    WEIR_GIVEN_TWICE = -11,
    WEIR_IN_CALLBACK = -12,
    WEIR_LANES_OPEN = -13,
    WEIR_NOT_STARTED = -14,
    WEIR_MISUSED = -15,
    WEIR_FOREIGN_PERMIT = -16,
    WEIR_NOT_RESTORED = -17,
    WEIR_FAILED = -18,
    /* Below -100: why a quota or an option is refused; below -200: see weir_redis.h. */
    WEIR_BAD_QUOTA = -100
};

/* One sentence, never NULL. It lives as long as the library. */
WEIR_API const char* weir_text(weir_status status);

/* --- quotas and options */

/* So many units in each period, and `burst` of them at one instant. */
typedef struct weir_quota {
    int64_t units;
    int64_t period_ns;
    int64_t burst;
} weir_quota;

static inline weir_quota weir_per(int64_t units, int64_t period_ns) {
    weir_quota q;
    q.units = units;
    q.period_ns = period_ns;
    q.burst = units;
    return q;
}
static inline weir_quota weir_per_second(int64_t units) { return weir_per(units, 1000000000); }
static inline weir_quota weir_per_minute(int64_t units) { return weir_per(units, 60000000000); }
static inline weir_quota weir_per_hour(int64_t units) { return weir_per(units, 3600000000000); }
static inline weir_quota weir_per_day(int64_t units) { return weir_per(units, 86400000000000); }
static inline weir_quota weir_with_burst(weir_quota q, int64_t burst) {
    q.burst = burst;
    return q;
}

/* "500/min", "1.5M/s" or "20/100ms, burst 5". */
WEIR_API weir_status weir_read_quota(const char* text, weir_quota* quota);

#define WEIR_DEFAULT INT64_MIN
#define WEIR_FOREVER INT64_MAX /* as a time */
#define WEIR_ALL INT64_MAX     /* as units */

/* The guide of the cells explains these. NULL in place of options: all as in WEIR_OPTIONS_INIT. */
typedef struct weir_options {
    uint32_t size;
    uint32_t abi;
    const char* cell;       /* its name in lower case; NULL: "gcra" */
    int64_t start;          /* units at the beginning; by default the burst */
    int64_t debt;           /* how far weir_charge may go; by default the burst */
    int64_t queue;          /* how many units weir_reserve may promise; by default an hour's */
    int64_t guard_ns;       /* how late a clock may be; by default an hour */
    uint32_t whole_periods; /* 1: a token bucket refills at each period's end */
    uint32_t refunds;       /* 1: the entries of an array give permits back: 24 bytes more each */
    int64_t anchor_ns;      /* after 1970: one window of an "aligned_window" begins then */
} weir_options;
#define WEIR_OPTIONS_INIT                                                                          \
    {                                                                                              \
        sizeof(weir_options), WEIR_ABI, NULL, WEIR_DEFAULT, WEIR_DEFAULT, WEIR_DEFAULT,            \
            WEIR_DEFAULT, 0, 0, 0                                                                  \
    }

/* --- limits: how they are made */

typedef struct weir_limit weir_limit;

/* A limit with a quota that never changes. "aligned_window" counts by UTC, all others by the
 * default clock. */
WEIR_API weir_status weir_limit_new(weir_quota quota, const weir_options* options,
                                    weir_limit** limit);
/* A limit of the cell "gcra" whose quota changes: see weir_set_quota. */
WEIR_API weir_status weir_adjustable_new(weir_quota quota, const weir_options* options,
                                         weir_limit** limit);
/* All of 2 to 8 limits, or none. They must outlive it. */
WEIR_API weir_status weir_all_of_new(weir_limit* const* limits, size_t count, weir_limit** limit);
/* Takes `units` at a time from another limit, which must outlive it, and spends them without
 * asking that limit. One thread's own. What is older than `time_to_live_ns` goes back; with
 * WEIR_FOREVER no clock is read. */
WEIR_API weir_status weir_lease_new(weir_limit* from, int64_t units, int64_t time_to_live_ns,
                                    weir_limit** limit);
/* One limit that many cores hit at once, in 16 stripes in front of `shared`, which must outlive it.
 * `largest_lease` is WEIR_ALL, or makes leases smaller. Any window lets half the burst of `shared`
 * pass beyond its quota: weir_striped_quota has the quota for `shared` that makes up for it. */
WEIR_API weir_status weir_striped_new(weir_limit* shared, int64_t largest_lease,
                                      weir_limit** limit);
WEIR_API weir_status weir_striped_quota(weir_quota whole, int64_t largest_lease,
                                        weir_quota* shared);
/* Nobody may use it any more. NULL is nothing; a view is left as it is. */
WEIR_API void weir_limit_free(weir_limit* limit);

/* --- limits: what they can be asked */

/* Unless it is NULL it is written by each call, with what a refusal has to say. To pass NULL is
 * cheaper: `remaining` and `retry_after_ns` cost a division. */
typedef struct weir_answer {
    weir_status status;
    uint32_t refused_by;    /* of weir_all_of: which limit, from 0 */
    int64_t remaining;      /* units that could still pass now */
    int64_t retry_after_ns; /* until the same request passes; WEIR_FOREVER: never */
} weir_answer;

/* All n units now, or none. n = 0 only looks. */
WEIR_API WEIR_MUST_USE bool weir_try_acquire(weir_limit* limit, int64_t n, weir_answer* answer);
/* What weir_try_acquire would answer. */
WEIR_API WEIR_MUST_USE bool weir_peek(weir_limit* limit, int64_t n, weir_answer* answer);
/* Takes n units although they may not be there, up to the debt of the options. */
WEIR_API bool weir_charge(weir_limit* limit, int64_t n, weir_answer* answer);
/* As many as there are now, up to n: returns how many it took. */
WEIR_API int64_t weir_acquire_up_to(weir_limit* limit, int64_t n, weir_answer* answer);
/* Waits for n units, no longer than `patience_ns`; blocks. True when they are there. If they would
 * not come in time it does not begin to wait: WEIR_TOO_LATE, and retry_after_ns says how long. */
WEIR_API WEIR_MUST_USE bool weir_acquire(weir_limit* limit, int64_t n, int64_t patience_ns,
                                         weir_answer* answer);

/* A place in the order of a limit. May be copied; one copy gives it back. It must not outlive the
 * limit. */
typedef struct weir_permit {
    weir_status status;
    uint32_t seal; /* the library's */
    int64_t units;
    int64_t wait_ns; /* from the call on until it may be used; of a refused one, as it would be */
    unsigned char inside[104];
} weir_permit;

/* n units for as soon as they conform, in the order of the calls, but no later than `longest_ns`
 * from now. Never waits: the permit says how long to. For cells that reserve. */
WEIR_API WEIR_MUST_USE bool weir_reserve(weir_limit* limit, int64_t n, int64_t longest_ns,
                                         weir_permit* permit);
/* From now on until it may be used; 0: now. The start of an adjustable limit's permit may move. */
WEIR_API weir_status weir_time_left(weir_limit* limit, const weir_permit* permit, int64_t* time_ns);
/* Gives back the units of a permit that were not used, WEIR_ALL or so many, as far as they are
 * still to come. `back` may be NULL, or says how many came back. */
WEIR_API weir_status weir_refund(weir_limit* limit, weir_permit* permit, int64_t units,
                                 int64_t* back);

/* As at the beginning. */
WEIR_API weir_status weir_reset(weir_limit* limit);
/* A server says that so many units are left, and that its count begins anew in `reset_after_ns`; 0:
 * it does not say when. That becomes the state. `obeyed_ns` may be NULL, or says for how long no
 * more pass: until the reset, or with WEIR_IN_PART for less time. Permits from before give nothing
 * back. */
WEIR_API weir_status weir_set_remaining(weir_limit* limit, int64_t units, int64_t reset_after_ns,
                                        int64_t* obeyed_ns);
/* The same where that is stricter than the present state: for answers that come late. */
WEIR_API weir_status weir_lower_remaining(weir_limit* limit, int64_t units, int64_t reset_after_ns,
                                          int64_t* obeyed_ns);
/* What a lease or the stripes hold goes back to their limit. */
WEIR_API weir_status weir_give_back(weir_limit* limit);
/* Another quota for an adjustable limit from now on, or evenly within `over_ns`. Callers wait for
 * each other. */
WEIR_API weir_status weir_set_quota(weir_limit* limit, weir_quota quota, int64_t over_ns);

/* A snapshot for people, logs and headers of answers. What a limit does not know is 0. To look at
 * an adjustable limit may mean to wait for a thread that changes its quota. */
typedef struct weir_state {
    uint32_t size;
    uint32_t abi;
    weir_quota quota;
    int64_t remaining;
    int64_t debt;
    int64_t reset_after_ns; /* until it is as good as new, if nothing more comes */
    uint32_t can_reserve;   /* it has places: weir_reserve works */
    uint32_t can_lend;      /* weir_lease_new and weir_striped_new take it */
} weir_state;
#define WEIR_STATE_INIT                                                                            \
    { sizeof(weir_state), WEIR_ABI, {0, 0, 0}, 0, 0, 0, 0, 0 }
WEIR_API weir_status weir_look(weir_limit* limit, weir_state* state);

/* To carry a limit over a restart, or to another machine: for a limit of the same cell and quota.
 */
typedef struct weir_snapshot {
    int64_t units;
    int64_t time_ns;
} weir_snapshot;
WEIR_API weir_status weir_save(weir_limit* limit, weir_snapshot* saved);
WEIR_API weir_status weir_restore(weir_limit* limit, weir_snapshot saved);

/* One window of an "aligned_window" begins at this time after 1970, and others whole periods before
 * and after it. It moves by half a period at most from the anchor of the options. */
WEIR_API weir_status weir_set_anchor(weir_limit* limit, int64_t anchor_ns);

/* --- calls that have begun and not ended: a cap on them, such as five at once */

typedef struct weir_in_flight weir_in_flight;

/* A call that has begun, or none. In memory of the caller's; ended once, by any thread. What is
 * copied is the same call, and one copy alone is ended. */
typedef struct weir_call {
    void* inside[1]; /* the library's */
} weir_call;

WEIR_API weir_status weir_in_flight_new(int64_t most, weir_in_flight** calls);
/* When all calls have ended, and nobody waits. NULL is allowed. */
WEIR_API void weir_in_flight_free(weir_in_flight* calls);

/* True if a call may begin. Waits for that no longer than `patience_ns`, 0: not at all; only who
 * waits blocks. After `false` the call is none. */
WEIR_API WEIR_MUST_USE bool weir_begin(weir_in_flight* calls, int64_t patience_ns, weir_call* call);
/* Gives the place back, and wakes who waits. The call is none then, so a second time does nothing.
 * Without locks, unless somebody waits. */
WEIR_API void weir_end(weir_call* call);

/* Another cap from now on; calls that have begun go on. */
WEIR_API weir_status weir_set_most(weir_in_flight* calls, int64_t most);
/* Calls that have begun and not ended; 0 of NULL. */
WEIR_API int64_t weir_calls_in_use(const weir_in_flight* calls);

/* --- tables */

/* An entry of a table as a limit, in memory of the caller's; there is nothing to free. The limit
 * is that memory, so it must stay where it is and must not outlive the table. */
typedef struct weir_view {
    uint64_t inside[20];
} weir_view;

/* Limits by index that share a quota. Of any cell that is one word. */
typedef struct weir_array weir_array;
WEIR_API weir_status weir_array_new(size_t size, weir_quota quota, const weir_options* options,
                                    weir_array** array);
WEIR_API void weir_array_free(weir_array* array);
WEIR_API size_t weir_array_size(const weir_array* array);
WEIR_API WEIR_MUST_USE bool weir_array_try_acquire(weir_array* array, size_t index, int64_t n,
                                                   weir_answer* answer);
/* NULL if there is no such entry. */
WEIR_API weir_limit* weir_array_at(weir_array* array, size_t index, weir_view* view);
WEIR_API weir_status weir_array_reset(weir_array* array);

/* Limits by key that share a quota, in a table of a fixed size without a janitor. A key is an
 * integer, or bytes, of which only a hash is kept. */
typedef struct weir_keyed weir_keyed;
enum { WEIR_WHEN_FULL_DENY = 0, WEIR_WHEN_FULL_FORGIVE_LEAST = 1, WEIR_WHEN_FULL_ALLOW = 2 };
typedef struct weir_keyed_options {
    uint32_t size;
    uint32_t abi;
    uint32_t when_full; /* what becomes of a new key that finds no place */
    uint32_t exact; /* 1: 16 bytes a key in place of 8; different integers never share a limit */
    int64_t debt;
    int64_t guard_ns; /* by default 10 ms */
    uint64_t seed;    /* 0: a random one of the system, which nobody foresees */
} weir_keyed_options;
#define WEIR_KEYED_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(weir_keyed_options), WEIR_ABI, WEIR_WHEN_FULL_FORGIVE_LEAST, 0, WEIR_DEFAULT,       \
            WEIR_DEFAULT, 0                                                                        \
    }
WEIR_API weir_status weir_keyed_new(size_t places, weir_quota quota,
                                    const weir_keyed_options* options, weir_keyed** table);
WEIR_API void weir_keyed_free(weir_keyed* table);
WEIR_API WEIR_MUST_USE bool weir_keyed_try_acquire(weir_keyed* table, const void* key,
                                                   size_t length, int64_t n, weir_answer* answer);
WEIR_API WEIR_MUST_USE bool weir_keyed_try_acquire_number(weir_keyed* table, uint64_t key,
                                                          int64_t n, weir_answer* answer);
WEIR_API weir_limit* weir_keyed_at(weir_keyed* table, const void* key, size_t length,
                                   weir_view* view);
WEIR_API weir_limit* weir_keyed_at_number(weir_keyed* table, uint64_t key, weir_view* view);

/* Looks at each place. */
typedef struct weir_keyed_state {
    uint32_t size;
    uint32_t abi;
    uint64_t places;
    uint64_t occupied;
    uint64_t steals;     /* places that were taken from another key, idle or forgiven */
    uint64_t full;       /* requests that found no place */
    int64_t forgiven_ns; /* by how much places were taken too early, together */
} weir_keyed_state;
#define WEIR_KEYED_STATE_INIT                                                                      \
    { sizeof(weir_keyed_state), WEIR_ABI, 0, 0, 0, 0, 0 }
WEIR_API weir_status weir_keyed_look(weir_keyed* table, weir_keyed_state* state);
/* Only for keys that sleep for years: see the guide of the tables. */
WEIR_API weir_status weir_keyed_clear_idle(weir_keyed* table);

/* --- the pacer: queued items at a constant rate */

typedef struct weir_pacer weir_pacer;
typedef struct weir_lane weir_lane;

/* Why an item is dropped. */
enum { WEIR_EXPIRED = 0, WEIR_COSTS_TOO_MUCH = 1, WEIR_DISCARDED = 2, WEIR_ABANDONED = 3 };

/* Called on the thread that polls, once for each item that was pushed: one of these two. `emit`
 * returns false if it failed: the item is gone, and many failures in a row pause the pacer. */
typedef bool (*weir_emit)(void* context, void* item);
typedef void (*weir_drop)(void* context, void* item, int32_t reason);

typedef struct weir_pacer_options {
    uint32_t size;
    uint32_t abi;
    uint32_t capacity;           /* places of each lane */
    uint32_t most_failures;      /* in a row, which pause the pacer; 0: never */
    int64_t catch_up_ns;         /* how much of a delay is made good, such as 2/60 s for 60 polls a
                                  * second; by default half an interval. Of weir_pacer_new alone */
    uint32_t lowest_gets_one_in; /* at least one unit in so many goes to the last class; 0: none */
    uint32_t most_drops;         /* of expired items of a lane, before others come first */
} weir_pacer_options;
#define WEIR_PACER_OPTIONS_INIT                                                                    \
    { sizeof(weir_pacer_options), WEIR_ABI, 1024, 10, WEIR_DEFAULT, 0, 8 }

/* Items go evenly, at the quota's rate; no item may cost more than its burst. */
WEIR_API weir_status weir_pacer_new(weir_quota quota, const weir_pacer_options* options,
                                    weir_emit emit, weir_drop drop, void* context,
                                    weir_pacer** pacer);
/* Items go as a limit lets them, which others may use too and which must outlive the pacer. */
WEIR_API weir_status weir_pacer_on(weir_limit* limit, const weir_pacer_options* options,
                                   weir_emit emit, weir_drop drop, void* context,
                                   weir_pacer** pacer);
/* Stops its thread and drops what is left, as WEIR_ABANDONED. Refused while lanes are open, and
 * from a callback. */
WEIR_API weir_status weir_pacer_free(weir_pacer* pacer);

/* Any thread may open a lane, and may wait for another one that does; the lane then belongs to one
 * thread at a time. */
typedef struct weir_lane_options {
    uint32_t size;
    uint32_t abi;
    uint32_t priority;  /* 0 goes first, 7 last */
    uint32_t weight;    /* its share among lanes of its priority */
    weir_limit* budget; /* a limit of its own in place of the pacer's. Of weir_pacer_on alone */
} weir_lane_options;
#define WEIR_LANE_OPTIONS_INIT                                                                     \
    { sizeof(weir_lane_options), WEIR_ABI, 4, 1, NULL }
WEIR_API weir_status weir_lane_open(weir_pacer* pacer, const weir_lane_options* options,
                                    weir_lane** lane);
/* What is in it still goes. */
WEIR_API void weir_lane_close(weir_lane* lane);
/* True: the item is the pacer's, and comes out once. It is dropped after `within_ns`, unless that
 * is WEIR_FOREVER. `why` may be NULL. Wait-free. */
WEIR_API WEIR_MUST_USE bool weir_push(weir_lane* lane, void* item, int64_t cost, int64_t within_ns,
                                      weir_status* why);
/* A guess: how long until an item goes that is pushed now. */
WEIR_API int64_t weir_lane_estimate_ns(weir_lane* lane);

enum { WEIR_DUE = 0, WEIR_IDLE = 1, WEIR_PAUSED = 2, WEIR_DONE = 3 };
typedef struct weir_next_poll {
    int32_t what;
    uint32_t wakes; /* a push may have to go earlier than that */
    int64_t in_ns;  /* from now on, if something is due */
    uint64_t lost;  /* slots that went by unused as this poll came too late */
} weir_next_poll;

/* By one thread at a time, and not while the pacer has a thread: lets go what may go now. `next`
 * may be NULL. */
WEIR_API weir_status weir_pacer_poll(weir_pacer* pacer, weir_next_poll* next);

/* A thread that polls. `text` (if not NULL) gets the report, up to `length` bytes with its end. One
 * thread at a time starts, stops and joins. */
enum { WEIR_SLEEP = 0, WEIR_HYBRID = 1, WEIR_SPIN = 2 };
enum { WEIR_AS_USUAL = 0, WEIR_FIFO = 1, WEIR_ROUND_ROBIN = 2 };
typedef struct weir_thread_options {
    uint32_t size;
    uint32_t abi;
    const char* name;    /* up to 15 characters; must live as long as the pacer */
    uint32_t how;        /* how it waits: WEIR_HYBRID */
    int32_t core;        /* -1: any */
    uint32_t scheduling; /* WEIR_AS_USUAL */
    int32_t priority;    /* of the other two */
} weir_thread_options;
#define WEIR_THREAD_OPTIONS_INIT                                                                   \
    { sizeof(weir_thread_options), WEIR_ABI, "weir pacer", WEIR_HYBRID, -1, WEIR_AS_USUAL, 1 }
WEIR_API weir_status weir_pacer_start(weir_pacer* pacer, const weir_thread_options* options,
                                      char* text, size_t length);
/* Ends the thread; items stay. Blocks until it has ended, but not in a callback. */
WEIR_API weir_status weir_pacer_stop(weir_pacer* pacer);
/* Blocks until all is gone, after a close, drain or discard. */
WEIR_API weir_status weir_pacer_join(weir_pacer* pacer);

/* Control: any thread if the pacer has one of its own (then it is done between two polls, and the
 * caller waits for that); otherwise the thread that polls. A callback may control, too. */
WEIR_API weir_status weir_pacer_pause(weir_pacer* pacer, int64_t time_ns); /* or WEIR_FOREVER */
WEIR_API weir_status weir_pacer_throttled(weir_pacer* pacer, int64_t retry_after_ns);
WEIR_API weir_status weir_pacer_resume(weir_pacer* pacer);
WEIR_API weir_status weir_pacer_set_rate(weir_pacer* pacer, weir_quota quota);
WEIR_API weir_status weir_pacer_drain(weir_pacer* pacer, int64_t within_ns);
WEIR_API weir_status weir_pacer_discard(weir_pacer* pacer);
/* Any thread. */
WEIR_API weir_status weir_pacer_close(weir_pacer* pacer);

typedef struct weir_pacer_state {
    uint32_t size;
    uint32_t abi;
    uint64_t waiting; /* items in all lanes */
    uint64_t lost;    /* slots since the beginning */
    uint32_t paused;
    uint32_t failures; /* in a row */
} weir_pacer_state;
#define WEIR_PACER_STATE_INIT                                                                      \
    { sizeof(weir_pacer_state), WEIR_ABI, 0, 0, 0, 0 }
WEIR_API weir_status weir_pacer_look(weir_pacer* pacer, weir_pacer_state* state);

#ifdef __cplusplus
}
#endif

#endif
