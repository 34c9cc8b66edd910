// SPDX-License-Identifier: MIT
/* c_fleet_test <socket of a Redis>: leased limits from C. It ends the Redis. */
#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "c_redis.h"

static const char* socket_of_redis;

static void rest(void) {
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}
/* However long that takes. */
#define WAIT_UNTIL(condition)                                                                      \
    while (!(condition)) rest()

/* A line of Redis's own commands; its answer is one line, or none if it ends Redis. */
static void tell_redis(const char* line) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer[256] = {0};
    const int to = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_of_redis);
    EXPECT(connect(to, (const struct sockaddr*)&address, sizeof address) == 0);
    EXPECT(write(to, line, strlen(line)) == (ssize_t)strlen(line));
    EXPECT(read(to, answer, sizeof answer - 1) >= 0);
    EXPECT(answer[0] != '-');
    close(to);
}

/* How many have that name. The system counts one that was joined a little longer, so a number of
 * all threads may have some that are gone in a moment. */
static int threads(const char* name) {
    char line[300];
    int count = 0;
    DIR* const folder = opendir("/proc/self/task");
    for (struct dirent* one = readdir(folder); one != NULL; one = readdir(folder)) {
        snprintf(line, sizeof line, "/proc/self/task/%s/comm", one->d_name);
        FILE* const file = fopen(line, "r");
        if (file == NULL) continue;
        if (fgets(line, sizeof line, file) != NULL) {
            line[strcspn(line, "\n")] = 0;
            count += strcmp(line, name) == 0 ? 1 : 0;
        }
        fclose(file);
    }
    closedir(folder);
    return count;
}

/* Nothing comes back while a test runs. Four processes lease 125 each at most. */
static weir_quota thousand(void) { return weir_per(1000, 864000000000000); }

static weir_fleet_options of_four(uint32_t when_away) {
    weir_fleet_options options = WEIR_FLEET_OPTIONS_INIT;
    options.processes = 4;
    options.when_away = when_away;
    return options;
}
static weir_limit* leased(const char* name, uint32_t when_away) {
    const weir_redis_options to = patient(socket_of_redis);
    const weir_fleet_options options = of_four(when_away);
    weir_limit* limit = NULL;
    NEED(weir_fleet_new(&to, name, thousand(), &options, &limit));
    return limit;
}
static weir_fleet_keyed* leased_by_key(const char* name, size_t keys, uint32_t when_away) {
    const weir_redis_options to = patient(socket_of_redis);
    const weir_fleet_options options = of_four(when_away);
    weir_fleet_keyed* limits = NULL;
    NEED(weir_fleet_keyed_new(&to, name, thousand(), keys, &options, &limits));
    return limits;
}

static weir_fleet_state state_of(weir_limit* limit) {
    weir_fleet_state state = WEIR_FLEET_STATE_INIT;
    NEED(weir_fleet_look(limit, &state));
    return state;
}
static weir_fleet_state state_of_all(weir_fleet_keyed* limits) {
    weir_fleet_state state = WEIR_FLEET_STATE_INIT;
    NEED(weir_fleet_keyed_look(limits, &state));
    return state;
}

/* What Redis has left of a limit, which is that of a weir_remote. */
static int64_t left_in_redis(const char* name, const void* key, size_t size) {
    const weir_redis_options to = patient(socket_of_redis);
    weir_redis* redis = connection(&to);
    weir_remote* limit = limit_of(redis, name, thousand(), NULL);
    weir_remote_answer a;
    EXPECT(weir_remote_peek(limit, key, size, 0, &a));
    weir_remote_free(limit);
    weir_redis_free(redis);
    return a.remaining;
}

static void decides(void) {
    weir_limit* limit = leased("decides", WEIR_AWAY_LOCAL_SHARE);
    weir_answer a;
    weir_fleet_state s = state_of(limit);
    EXPECT(s.mode == WEIR_FLEET_LEASED && s.error == WEIR_OK && s.mode_ns >= 0);
    EXPECT(s.burst == 125 && s.beyond == 0);
    EXPECT(s.calls >= 1 && s.leases >= 1 && s.leased >= 1 && s.keys == 0);
    EXPECT(weir_try_acquire(limit, 1, &a));
    EXPECT(a.status == WEIR_OK && a.remaining > 0 && a.retry_after_ns == 0);
    EXPECT(weir_try_acquire(limit, 1, NULL));
    EXPECT(weir_try_acquire(limit, 0, NULL));
    EXPECT(weir_peek(limit, 1, &a) && a.status == WEIR_OK);
    EXPECT(!weir_peek(limit, 126, &a) && a.status == WEIR_NEVER);
    EXPECT(!weir_try_acquire(limit, 126, &a));
    EXPECT(a.status == WEIR_NEVER && a.retry_after_ns == WEIR_FOREVER);
    EXPECT(!weir_try_acquire(limit, WEIR_ALL, &a) && a.status == WEIR_NEVER);
    EXPECT(!weir_acquire(limit, 126, WEIR_FOREVER, &a) && a.status == WEIR_NEVER);
    EXPECT(weir_acquire(limit, 125, WEIR_FOREVER, &a) && a.status == WEIR_OK);
    int64_t taken = 127;
    while (taken < 200) taken += weir_acquire_up_to(limit, 200 - taken, &a);
    EXPECT(a.status == WEIR_OK);
    EXPECT(weir_acquire_up_to(limit, 0, &a) == 0 && a.status == WEIR_OK);
    for (; taken < 1000; ++taken) EXPECT(weir_acquire(limit, 1, WEIR_FOREVER, NULL));
    EXPECT(!weir_try_acquire(limit, 1, &a) && a.status == WEIR_WAIT && a.retry_after_ns > 0);
    EXPECT(!weir_acquire(limit, 1, 0, &a) && a.status == WEIR_TOO_LATE);
    EXPECT(weir_acquire_up_to(limit, 5, &a) == 0 && a.status == WEIR_WAIT);
    weir_limit* lease = NULL;
    NEED(weir_lease_new(limit, 10, WEIR_FOREVER, &lease));
    EXPECT(!weir_try_acquire(lease, 1, &a) && a.status == WEIR_WAIT && a.remaining == 0);
    EXPECT(!weir_try_acquire(lease, 126, &a) && a.status == WEIR_NEVER);
    weir_limit_free(lease);

    weir_state all = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(limit, &all));
    EXPECT(all.quota.units == 1000 && all.remaining == 0 && all.can_lend && !all.can_reserve);
    /* The thread says so after it has put them there. */
    WAIT_UNTIL((s = state_of(limit), s.leased - s.given_back == 1000));
    EXPECT(s.minted == 0 && s.passed == 0 && s.lost == 0);
    weir_limit_free(limit);
    EXPECT(left_in_redis("decides", NULL, 0) == 0);
}

static void does_not_do_what_redis_keeps_no_places_for(void) {
    weir_limit* limit = leased("cannot", WEIR_AWAY_LOCAL_SHARE);
    weir_answer a;
    weir_permit permit;
    weir_snapshot saved;
    EXPECT(!weir_try_acquire(limit, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_acquire(limit, 1, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(weir_acquire_up_to(limit, INT64_MIN, &a) == 0 && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_charge(limit, 1, &a) && a.status == WEIR_NOT_SUPPORTED);
    EXPECT(!weir_reserve(limit, 1, WEIR_FOREVER, &permit) && permit.status == WEIR_NOT_SUPPORTED);
    EXPECT_STATUS(WEIR_FOREIGN_PERMIT, weir_refund(limit, &permit, WEIR_ALL, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_reset(limit));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_give_back(limit));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_remaining(limit, 1, 0, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_lower_remaining(limit, 1, 0, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_quota(limit, thousand(), 0));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_save(limit, &saved));
    weir_limit_free(limit);
    EXPECT(left_in_redis("cannot", NULL, 0) == 1000);
}

static bool emit(void* sent, void* item) {
    (void)item;
    ++*(int*)sent;
    return true;
}
static void drop(void* sent, void* item, int32_t reason) {
    (void)sent;
    (void)item;
    (void)reason;
    EXPECT(false);
}

/* All that is built of limits takes it, and what they do not use comes back. */
static void is_a_limit(void) {
    weir_limit* limit = leased("built", WEIR_AWAY_LOCAL_SHARE);
    weir_limit* own = three_an_hour();
    weir_limit* const both_of[] = {own, limit};
    weir_limit* both = NULL;
    weir_limit* lease = NULL;
    weir_limit* stripes = NULL;
    weir_fleet_state s = WEIR_FLEET_STATE_INIT;
    weir_answer a;
    NEED(weir_all_of_new(both_of, 2, &both));
    EXPECT(weir_try_acquire(both, 3, NULL)); /* 3 */
    EXPECT(!weir_try_acquire(both, 1, &a) && a.refused_by == 0);
    weir_limit_free(both);
    weir_limit_free(own);

    NEED(weir_lease_new(limit, 10, WEIR_FOREVER, &lease));
    EXPECT(weir_acquire(limit, 10, WEIR_FOREVER, NULL));       /* 13 */
    WAIT_UNTIL(weir_try_acquire(lease, 1, NULL));              /* 14 */
    EXPECT(weir_try_acquire(lease, 1, &a) && a.remaining > 0); /* 15 */
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_fleet_look(lease, &s));
    weir_limit_free(lease);

    NEED(weir_striped_new(limit, WEIR_ALL, &stripes));
    for (int i = 0; i < 5; ++i) WAIT_UNTIL(weir_try_acquire(stripes, 1, NULL)); /* 20 */
    EXPECT(state_of(stripes).burst == 125);
    weir_limit_free(stripes);

    int sent = 0;
    weir_pacer* pacer = NULL;
    weir_lane* lane = NULL;
    NEED(weir_pacer_on(limit, NULL, emit, drop, &sent, &pacer));
    NEED(weir_lane_open(pacer, NULL, &lane));
    EXPECT(weir_pacer_start(pacer, NULL, NULL, 0) >= WEIR_OK);
    for (int i = 0; i < 80; ++i) EXPECT(weir_push(lane, &sent, 1, WEIR_FOREVER, NULL)); /* 100 */
    weir_lane_close(lane);
    EXPECT_STATUS(WEIR_OK, weir_pacer_close(pacer));
    EXPECT_STATUS(WEIR_OK, weir_pacer_join(pacer));
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(pacer));
    EXPECT(sent == 80);
    weir_limit_free(limit);
    EXPECT(left_in_redis("built", NULL, 0) == 900);
}

static void refuses(void) {
    const weir_redis_options to = patient(socket_of_redis);
    const weir_quota q = weir_per_second(100);
    weir_fleet_options o = of_four(WEIR_AWAY_CLOSED);
    weir_limit* limit = NULL;
    weir_fleet_keyed* limits = NULL;
    char name[300];
    memset(name, 'x', sizeof name);
    name[299] = 0;
#define EXPECT_REFUSED(expected, redis, its_name, quota)                                           \
    do {                                                                                           \
        EXPECT_STATUS(expected, weir_fleet_new(redis, its_name, quota, &o, &limit));               \
        EXPECT_STATUS(expected, weir_fleet_keyed_new(redis, its_name, quota, 10, &o, &limits));    \
        EXPECT(limit == NULL && limits == NULL);                                                   \
    } while (0)
    EXPECT_STATUS(WEIR_NULL, weir_fleet_new(&to, "x", q, &o, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_fleet_keyed_new(&to, "x", q, 10, &o, NULL));
    EXPECT_REFUSED(WEIR_NULL, &to, NULL, q);
    EXPECT_REFUSED(WEIR_REDIS_NAME_REFUSED, &to, "", q);
    EXPECT_REFUSED(WEIR_REDIS_NAME_REFUSED, &to, name, q);
    EXPECT_REFUSED(WEIR_BAD_QUOTA - 1, &to, "x", weir_per_second(0));
    EXPECT_REFUSED(WEIR_BAD_QUOTA - 1, &to, "x", weir_per_second(-5));
    EXPECT_REFUSED(WEIR_BAD_QUOTA - 2, &to, "x", weir_per(1, 0));
    EXPECT_REFUSED(WEIR_BAD_QUOTA - 4, &to, "x", weir_with_burst(q, 0));
    EXPECT_REFUSED(WEIR_REDIS_NUMBERS_TOO_LARGE, &to, "x", weir_per_second(INT64_MAX));
    EXPECT_REFUSED(WEIR_FLEET_BURST_TOO_SMALL, &to, "x", weir_per_second(7));
    EXPECT_REFUSED(WEIR_FLEET_BURST_TOO_SMALL_FOR_RATE, &to, "x",
                   weir_with_burst(weir_per_second(2000), 8));
    EXPECT_STATUS(WEIR_FLEET_PROCESSES_NOT_SAID, weir_fleet_new(&to, "x", q, NULL, &limit));
    EXPECT_STATUS(WEIR_FLEET_PROCESSES_NOT_SAID,
                  weir_fleet_keyed_new(&to, "x", q, 10, NULL, &limits));
    o.processes = UINT32_MAX;
    EXPECT_REFUSED(WEIR_FLEET_BURST_TOO_SMALL, &to, "x", q);
    o = of_four(3);
    EXPECT_REFUSED(WEIR_NO_VALUE, &to, "x", q);
    o = of_four(WEIR_AWAY_CLOSED);
    o.thread_name = NULL;
    EXPECT_REFUSED(WEIR_NO_VALUE, &to, "x", q);
    o.thread_name = "sixteen letters.";
    EXPECT_REFUSED(WEIR_NO_VALUE, &to, "x", q);
    o = of_four(WEIR_AWAY_CLOSED);
    o.least_lease = -1;
    EXPECT_REFUSED(WEIR_NEGATIVE, &to, "x", q);
    o.least_lease = 0;
    EXPECT_REFUSED(WEIR_FLEET_LEAST_LEASE_TOO_LARGE, &to, "x", q);
    o.least_lease = INT64_MAX;
    EXPECT_REFUSED(WEIR_FLEET_LEAST_LEASE_TOO_LARGE, &to, "x", q);
    o = of_four(WEIR_AWAY_CLOSED);
    EXPECT_STATUS(WEIR_FLEET_KEYS_REFUSED, weir_fleet_keyed_new(&to, "x", q, 0, &o, &limits));
    EXPECT_STATUS(WEIR_FLEET_KEYS_REFUSED,
                  weir_fleet_keyed_new(&to, "x", q, SIZE_MAX, &o, &limits));
    EXPECT_GROWTH(weir_fleet_options, WEIR_FLEET_OPTIONS_INIT,
                  weir_fleet_new(&to, "x", q, &given, &limit));
    EXPECT_GROWTH(weir_fleet_options, WEIR_FLEET_OPTIONS_INIT,
                  weir_fleet_keyed_new(&to, "x", q, 10, &given, &limits));
    EXPECT_GROWTH(weir_redis_options, WEIR_REDIS_OPTIONS_INIT,
                  weir_fleet_new(&given, "x", q, &o, &limit));
    EXPECT_GROWTH(weir_redis_options, WEIR_REDIS_OPTIONS_INIT,
                  weir_fleet_keyed_new(&given, "x", q, 10, &o, &limits));

    /* What no wait will mend is found now. */
    weir_redis_options wrong = to;
    wrong.port = -1;
    EXPECT_REFUSED(WEIR_NO_VALUE, &wrong, "x", q);
    wrong = to;
    wrong.password = "a wrong one";
    EXPECT_REFUSED(WEIR_REDIS_NOT_SIGNED_IN, &wrong, "x", q);
    tell_redis("RPUSH weir:7:foreign: x\r\n");
    EXPECT_STATUS(WEIR_REDIS_FOREIGN_KEY, weir_fleet_new(&to, "foreign", q, &o, &limit));
    EXPECT(limit == NULL && limits == NULL);

    EXPECT(weir_fleet_keyed_bytes(0) == 0 && weir_fleet_keyed_bytes(SIZE_MAX) == 0);
    EXPECT(weir_fleet_keyed_bytes(100000) > 100000 && weir_fleet_keyed_bytes(100000) <= 64000000);
}

static void looks_at_what_it_is_asked(void) {
    weir_limit* limit = leased("looks", WEIR_AWAY_CLOSED);
    weir_limit* other = three_an_hour();
    weir_fleet_keyed* limits = leased_by_key("looks too", 10, WEIR_AWAY_CLOSED);
    weir_fleet_state s = WEIR_FLEET_STATE_INIT;
    weir_answer a;
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_fleet_look(other, &s));
    EXPECT_STATUS(WEIR_NULL, weir_fleet_look(NULL, &s));
    EXPECT_STATUS(WEIR_NULL, weir_fleet_look(limit, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_fleet_keyed_look(NULL, &s));
    EXPECT_STATUS(WEIR_NULL, weir_fleet_keyed_look(limits, NULL));
    EXPECT_GROWTH(weir_fleet_state, WEIR_FLEET_STATE_INIT, weir_fleet_look(limit, &given));
    EXPECT_GROWTH(weir_fleet_state, WEIR_FLEET_STATE_INIT, weir_fleet_keyed_look(limits, &given));
    EXPECT(!weir_fleet_keyed_try_acquire(NULL, "a", 1, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_fleet_keyed_peek(NULL, "a", 1, 1, NULL));
    EXPECT(!weir_fleet_keyed_try_acquire(limits, NULL, 1, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_fleet_keyed_peek(limits, NULL, SIZE_MAX, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_fleet_keyed_try_acquire(limits, "a", 1, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_fleet_keyed_peek(limits, "a", 1, INT64_MIN, &a) && a.status == WEIR_NEGATIVE);
    weir_fleet_keyed_free(limits);
    weir_fleet_keyed_free(NULL);
    weir_limit_free(limit);
    weir_limit_free(other);
}

/* Takes n units of a key, one after the other. */
static void take(weir_fleet_keyed* limits, const char* key, size_t size, int n) {
    for (int i = 0; i < n; ++i)
        WAIT_UNTIL(weir_fleet_keyed_try_acquire(limits, key, size, 1, NULL));
}

/* Makes the thread lease. */
static void ask(weir_fleet_keyed* limits) {
    if (weir_fleet_keyed_try_acquire(limits, "a", 1, 125, NULL)) rest();
}

/* Bytes of all kinds are keys of their own, and what is taken of each is what Redis lacks. */
static void keys(void) {
    static const struct {
        const char* bytes;
        size_t size;
        int units;
    } all[] = {{"ann", 3, 100},
               {"an\0", 3, 7},
               {"an\0n", 4, 3},
               {NULL, 0, 2},
               {"\r\nFLUSHALL\r\n", 12, 4},
               {"{ann}:*", 7, 5},
               {"\xff\xfe\0\x80", 4, 6},
               {"0123456789012345678901234567890123456789012345678901234567890123", 64, 1}};
    weir_fleet_keyed* limits = leased_by_key("keys", 1000, WEIR_AWAY_LOCAL_SHARE);
    weir_answer a;
    EXPECT(state_of_all(limits).mode == WEIR_FLEET_LEASED);
    EXPECT(state_of_all(limits).burst == 125);
    EXPECT(weir_fleet_keyed_peek(limits, "bob", 3, 1, &a) && a.status == WEIR_OK);
    EXPECT(weir_fleet_keyed_try_acquire(limits, "bob", 3, 0, NULL));
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        EXPECT(weir_fleet_keyed_try_acquire(limits, all[i].bytes, all[i].size, 1, &a));
        EXPECT(a.status == WEIR_OK);
        take(limits, all[i].bytes, all[i].size, all[i].units - 1);
    }
    EXPECT(!weir_fleet_keyed_try_acquire(limits, "ann", 3, 126, &a));
    EXPECT(a.status == WEIR_NEVER && a.retry_after_ns == WEIR_FOREVER);
    EXPECT(!weir_fleet_keyed_peek(limits, "ann", 3, WEIR_ALL, &a) && a.status == WEIR_NEVER);
    EXPECT(!weir_fleet_keyed_try_acquire(limits, "new", 3, 125, &a));
    EXPECT(a.status == WEIR_WAIT && a.retry_after_ns > 0);
    WAIT_UNTIL(weir_fleet_keyed_try_acquire(limits, "new", 3, 125, NULL));
    /* Nobody reads the bytes of a key that is too long. */
    for (size_t size = 65; size != 0; size = size == 65 ? SIZE_MAX : 0) {
        EXPECT(!weir_fleet_keyed_try_acquire(limits, (const void*)8, size, 1, &a));
        EXPECT(a.status == WEIR_FLEET_KEY_TOO_LONG && a.retry_after_ns == WEIR_FOREVER);
        EXPECT(!weir_fleet_keyed_peek(limits, (const void*)8, size, 0, &a));
        EXPECT(a.status == WEIR_FLEET_KEY_TOO_LONG);
    }
    WAIT_UNTIL(state_of_all(limits).entered >= 9); /* one that was forgotten comes again */
    EXPECT(state_of_all(limits).without_place == 0);
    weir_fleet_keyed_free(limits);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        EXPECT(left_in_redis("keys", all[i].bytes, all[i].size) == 1000 - all[i].units);
    EXPECT(left_in_redis("keys", "bob", 3) == 1000);
}

static void counts_keys_without_a_place(void) {
    weir_fleet_keyed* limits = leased_by_key("crowd", 8, WEIR_AWAY_LOCAL_SHARE);
    uint64_t refused = 0;
    for (int i = 0; i < 200; ++i)
        refused += weir_fleet_keyed_try_acquire(limits, &i, sizeof i, 1, NULL) ? 0 : 1;
    EXPECT(refused > 0);
    WAIT_UNTIL(state_of_all(limits).without_place == refused);
    weir_fleet_keyed_free(limits);
}

#ifdef __SANITIZE_THREAD__ /* it ends a child that does */
#define MAY_START_THREADS_IN_A_CHILD 0
#else
#define MAY_START_THREADS_IN_A_CHILD 1
#endif

/* The child spends what its copy has, and ends nothing of its parent's. */
static void in_a_child(void) {
    weir_limit* limit = leased("child", WEIR_AWAY_LOCAL_SHARE);
    weir_fleet_keyed* limits = leased_by_key("children", 100, WEIR_AWAY_LOCAL_SHARE);
    EXPECT(weir_try_acquire(limit, 1, NULL));
    take(limits, "a", 1, 1);
    const pid_t child = fork();
    if (child == 0) {
        failures = 0;
        EXPECT(state_of(limit).mode == WEIR_FLEET_FORKED);
        EXPECT(state_of_all(limits).mode == WEIR_FLEET_FORKED);
        int passed = 0;
        for (int i = 0; i < 1000; ++i) {
            passed += weir_try_acquire(limit, 1, NULL) ? 1 : 0;
            passed += weir_fleet_keyed_try_acquire(limits, "a", 1, 1, NULL) ? 1 : 0;
        }
        EXPECT(passed <= 2 * 125);
        weir_limit_free(limit);
        weir_fleet_keyed_free(limits);
        if (MAY_START_THREADS_IN_A_CHILD) {
            limit = leased("child", WEIR_AWAY_LOCAL_SHARE);
            EXPECT(weir_try_acquire(limit, 1, NULL));
            weir_limit_free(limit);
        }
        _exit(failures != 0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(state_of(limit).mode == WEIR_FLEET_LEASED);
    EXPECT(weir_try_acquire(limit, 1, NULL));
    weir_limit_free(limit);
    weir_fleet_keyed_free(limits);
    EXPECT(left_in_redis("child", NULL, 0) == 1000 - 2 - MAY_START_THREADS_IN_A_CHILD);
    EXPECT(left_in_redis("children", "a", 1) == 1000 - 1);
}

/* What is given need not stay, and nothing stays of what is freed. */
static void leaves_no_thread(void) {
    char socket[200];
    char name[] = "gone";
    char thread_name[] = "my own thread";
    snprintf(socket, sizeof socket, "%s", socket_of_redis);
    weir_redis_options to = patient(socket);
    weir_fleet_options o = of_four(WEIR_AWAY_CLOSED);
    o.thread_name = thread_name;
    weir_limit* limit = NULL;
    weir_fleet_keyed* limits = NULL;
    NEED(weir_fleet_new(&to, name, thousand(), &o, &limit));
    memset(thread_name, 'x', sizeof thread_name - 1);
    WAIT_UNTIL(threads("my own thread") == 1);
    NEED(weir_fleet_keyed_new(&to, name, thousand(), 100, &o, &limits));
    memset(socket, 'x', sizeof socket);
    memset(name, 'x', sizeof name);
    memset(&to, 'x', sizeof to);
    memset(&o, 'x', sizeof o);
    WAIT_UNTIL(threads("xxxxxxxxxxxxx") == 1);
    EXPECT(weir_acquire(limit, 100, WEIR_FOREVER, NULL));
    take(limits, "a", 1, 100);
    weir_limit_free(limit);
    weir_fleet_keyed_free(limits);
    WAIT_UNTIL(threads("my own thread") + threads("xxxxxxxxxxxxx") == 0);
    EXPECT(left_in_redis("gone", NULL, 0) == 900);
    EXPECT(left_in_redis("gone", "a", 1) == 900);
}

/* Redis refuses, and is there again. */
static void outage(void) {
    weir_limit* closed = leased("closed", WEIR_AWAY_CLOSED);
    weir_limit* open = leased("open", WEIR_AWAY_OPEN);
    weir_limit* share = leased("share", WEIR_AWAY_LOCAL_SHARE);
    weir_fleet_keyed* keyed = leased_by_key("by key", 100, WEIR_AWAY_OPEN);
    weir_answer a;
    tell_redis("CONFIG SET maxmemory 1\r\n");
    /* Each asks for units until the thread has met the refusal. */
    WAIT_UNTIL((weir_acquire_up_to(closed, 9, NULL), state_of(closed).mode) == WEIR_FLEET_DEGRADED);
    WAIT_UNTIL((weir_acquire_up_to(open, 9, NULL), state_of(open).mode) == WEIR_FLEET_DEGRADED);
    WAIT_UNTIL((weir_acquire_up_to(share, 9, NULL), state_of(share).mode) == WEIR_FLEET_DEGRADED);
    WAIT_UNTIL((ask(keyed), state_of_all(keyed).mode) == WEIR_FLEET_DEGRADED);
    EXPECT(state_of(closed).error == WEIR_REDIS_OUT_OF_MEMORY);
    EXPECT(state_of(closed).failures > 0);
    /* What is in stock still passes. */
    while (weir_try_acquire(closed, 1, &a)) {
    }
    EXPECT(a.status == WEIR_WAIT && a.retry_after_ns > 0);
    for (int i = 0; i < 500; ++i) EXPECT(weir_try_acquire(open, 1, NULL));
    EXPECT(!weir_try_acquire(open, 126, &a) && a.status == WEIR_NEVER);
    for (int i = 0; i < 500; ++i) EXPECT(weir_fleet_keyed_try_acquire(keyed, "a", 1, 1, NULL));
    WAIT_UNTIL(state_of(open).passed >= 300);
    EXPECT(state_of(open).beyond >= 300);
    EXPECT(state_of(closed).passed == 0 && state_of(closed).beyond == 0);
    tell_redis("CONFIG SET maxmemory 0\r\n");
    WAIT_UNTIL(state_of(closed).mode == WEIR_FLEET_LEASED && state_of(closed).error == WEIR_OK);
    WAIT_UNTIL(state_of(open).mode == WEIR_FLEET_LEASED && state_of(open).beyond == 0);
    WAIT_UNTIL(state_of(share).mode == WEIR_FLEET_LEASED);
    EXPECT(state_of(open).charged > 0);
    EXPECT(weir_acquire(closed, 1, WEIR_FOREVER, NULL));
    weir_limit_free(closed);
    weir_limit_free(open);
    weir_limit_free(share);
    weir_fleet_keyed_free(keyed);
}

/* The server ends while a limit has units, and before another one is made. */
static void without_a_server(void) {
    weir_limit* limit = leased("killed", WEIR_AWAY_CLOSED);
    weir_fleet_keyed* limits = leased_by_key("killed", 100, WEIR_AWAY_CLOSED);
    WAIT_UNTIL(threads("weir fleet") == 2);
    weir_answer a;
    take(limits, "a", 1, 1);
    tell_redis("SHUTDOWN NOSAVE\r\n");
    WAIT_UNTIL((weir_acquire_up_to(limit, 9, NULL), state_of(limit).mode) == WEIR_FLEET_DEGRADED);
    WAIT_UNTIL((ask(limits), state_of_all(limits).mode) == WEIR_FLEET_DEGRADED);
    EXPECT(state_of(limit).error == WEIR_REDIS_DOWN || state_of(limit).error == WEIR_REDIS_CUT_OFF);
    WAIT_UNTIL(!weir_try_acquire(limit, 1, NULL));
    EXPECT(!weir_acquire(limit, 1, 1000000, &a) && a.status == WEIR_TOO_LATE);
    weir_limit_free(limit);
    weir_fleet_keyed_free(limits);

    limit = leased("late", WEIR_AWAY_LOCAL_SHARE);
    weir_fleet_state s = state_of(limit);
    EXPECT(s.mode == WEIR_FLEET_NO_LEASE_YET && s.error == WEIR_REDIS_DOWN && s.mode_ns >= 0);
    EXPECT(!weir_try_acquire(limit, 1, &a) && a.status == WEIR_WAIT && a.retry_after_ns > 0);
    weir_limit_free(limit);
    limit = leased("late", WEIR_AWAY_OPEN);
    for (int i = 0; i < 1000; ++i) EXPECT(weir_try_acquire(limit, 1, NULL));
    weir_limit_free(limit);
    limits = leased_by_key("late", 10, WEIR_AWAY_LOCAL_SHARE);
    EXPECT(!weir_fleet_keyed_try_acquire(limits, "a", 1, 1, &a) && a.status == WEIR_WAIT);
    weir_fleet_keyed_free(limits);
    WAIT_UNTIL(threads("weir fleet") == 0);
}

int main(int count, char** arguments) {
    if (count != 2) return 2;
    socket_of_redis = arguments[1];
    decides();
    does_not_do_what_redis_keeps_no_places_for();
    is_a_limit();
    refuses();
    looks_at_what_it_is_asked();
    keys();
    counts_keys_without_a_place();
    in_a_child();
    leaves_no_thread();
    outage();
    without_a_server();
    return failures != 0;
}
