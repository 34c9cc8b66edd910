// SPDX-License-Identifier: MIT
/* Calls that have begun and not ended: every call, what it refuses, and threads that wait. */

#include <pthread.h>
#include <stdint.h>

#include "expect.h"

static void begins_and_ends(void) {
    weir_in_flight* calls = NULL;
    NEED(weir_in_flight_new(2, &calls));
    weir_call one;
    weir_call two;
    weir_call three;
    EXPECT(weir_begin(calls, 0, &one));
    EXPECT(weir_begin(calls, 1000, &two));
    EXPECT(!weir_begin(calls, 0, &three));
    EXPECT(!weir_begin(calls, 1000, &three));
    EXPECT(weir_calls_in_use(calls) == 2);
    weir_end(&three); /* none */
    EXPECT(weir_calls_in_use(calls) == 2);
    weir_end(&one);
    weir_end(&one);
    EXPECT(weir_calls_in_use(calls) == 1);
    EXPECT(weir_begin(calls, WEIR_FOREVER, &three));
    EXPECT_STATUS(WEIR_OK, weir_set_most(calls, 3));
    EXPECT(weir_begin(calls, 0, &one));
    EXPECT(weir_calls_in_use(calls) == 3);
    weir_end(&one);
    weir_end(&two);
    weir_end(&three);
    EXPECT(weir_calls_in_use(calls) == 0);
    weir_in_flight_free(calls);
}

static void refuses_mistakes(void) {
    weir_in_flight* calls = (weir_in_flight*)&failures;
    EXPECT_STATUS(WEIR_NULL, weir_in_flight_new(1, NULL));
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_in_flight_new(0, &calls));
    EXPECT(calls == NULL);
    EXPECT_STATUS(WEIR_NEGATIVE, weir_in_flight_new(-1, &calls));
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_in_flight_new(INT64_MAX, &calls));
    NEED(weir_in_flight_new(1, &calls));
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_set_most(calls, 0));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_set_most(calls, -1));
    EXPECT_STATUS(WEIR_NULL, weir_set_most(NULL, 1));
    weir_call call;
    EXPECT(!weir_begin(NULL, 0, &call));
    weir_end(&call);
    EXPECT(!weir_begin(calls, 0, NULL));
    EXPECT(!weir_begin(calls, -1, &call));
    weir_end(&call);
    weir_end(NULL);
    EXPECT(weir_calls_in_use(calls) == 0 && weir_calls_in_use(NULL) == 0);
    EXPECT(weir_begin(calls, 0, &call));
    weir_end(&call);
    weir_in_flight_free(calls);
    weir_in_flight_free(NULL);
}

enum { rounds = 2000, threads = 4 };
struct shared {
    weir_in_flight* calls;
    long alone; /* guarded by nothing but the cap, which is one */
};

static void* begin_and_end(void* context) {
    struct shared* its = context;
    for (int i = 0; i < rounds; ++i) {
        weir_call call;
        if (!weir_begin(its->calls, WEIR_FOREVER, &call)) return context;
        ++its->alone;
        weir_end(&call);
    }
    return NULL;
}

static void wakes_who_waits(void) {
    struct shared all = {NULL, 0};
    NEED(weir_in_flight_new(1, &all.calls));
    pthread_t members[threads];
    for (int i = 0; i < threads; ++i)
        EXPECT(pthread_create(&members[i], NULL, begin_and_end, &all) == 0);
    for (int i = 0; i < threads; ++i) {
        void* failed = NULL;
        EXPECT(pthread_join(members[i], &failed) == 0 && failed == NULL);
    }
    EXPECT(all.alone == (long)rounds * threads);
    EXPECT(weir_calls_in_use(all.calls) == 0);
    weir_in_flight_free(all.calls);
}

int main(void) {
    begins_and_ends();
    refuses_mistakes();
    wakes_who_waits();
    return failures != 0;
}
