// SPDX-License-Identifier: MIT
/* Several threads at one handle get together what one would get; a child of fork has a copy. */

#include <pthread.h>
#include <stdint.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "expect.h"

enum { threads = 4, units = 1000 };

typedef struct taker {
    pthread_t thread;
    weir_limit* from;
    int taken;
} taker;

static void* take(void* me) {
    taker* const its = me;
    for (int i = 0; i < units; ++i) its->taken += weir_try_acquire(its->from, 1, NULL);
    return NULL;
}

/* Of what `limit` has, threads get `expected` at least and at most `most`. */
static void share(weir_limit* limit, int expected, int most) {
    taker all[threads];
    int taken = 0;
    for (int i = 0; i < threads; ++i) {
        all[i].from = limit;
        all[i].taken = 0;
        EXPECT(pthread_create(&all[i].thread, NULL, take, &all[i]) == 0);
    }
    for (int i = 0; i < threads; ++i) {
        EXPECT(pthread_join(all[i].thread, NULL) == 0);
        taken += all[i].taken;
    }
    EXPECT(taken >= expected && taken <= most);
}

int main(void) {
    weir_limit* limit = NULL;
    NEED(weir_limit_new(weir_per_hour(units), NULL, &limit));
    /* In an hour's thousand one comes each 3.6 s; a machine may be busy. */
    share(limit, units, units + 100);
    EXPECT_STATUS(WEIR_OK, weir_reset(limit));

    weir_limit* other = NULL;
    NEED(weir_limit_new(weir_per_hour(units), NULL, &other));
    weir_limit* const two[2] = {limit, other};
    weir_limit* both = NULL;
    NEED(weir_all_of_new(two, 2, &both));
    share(both, 1, units + 100);
    weir_limit_free(both);
    EXPECT_STATUS(WEIR_OK, weir_reset(limit));

    weir_limit* striped = NULL;
    NEED(weir_striped_new(limit, WEIR_ALL, &striped));
    share(striped, units / 2, units + 100);
    weir_limit_free(striped);

    EXPECT_STATUS(WEIR_OK, weir_reset(limit));
#ifndef _WIN32
    const pid_t child = fork();
    if (child == 0) _exit(weir_try_acquire(limit, units, NULL) ? 0 : 1);
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
#endif
    EXPECT(weir_try_acquire(limit, units, NULL)); /* of its own */
    weir_limit_free(other);
    weir_limit_free(limit);
    return failures != 0;
}
