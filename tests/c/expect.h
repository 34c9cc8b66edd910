// SPDX-License-Identifier: MIT
/* What a test in C expects. A test is a function; main() calls each and returns `failures != 0`. */
#ifndef WEIR_TESTS_C_EXPECT_H
#define WEIR_TESTS_C_EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir/weir.h>

static int failures = 0;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

/* A status, with its sentence if it is another one. */
#define EXPECT_STATUS(expected, call)                                                              \
    do {                                                                                           \
        const weir_status got_ = (call);                                                           \
        if (got_ != (expected)) {                                                                  \
            fprintf(stderr, "%s:%d: %s is %d, not %s: %s\n", __FILE__, __LINE__, #call, (int)got_, \
                    #expected, weir_text(got_));                                                   \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

/* What the rest of a test needs. */
#define NEED(call)                                                                                 \
    do {                                                                                           \
        const weir_status got_ = (call);                                                           \
        if (got_ != WEIR_OK) {                                                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, weir_text(got_));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A struct that grows, given too large, too small, of a later version and of an earlier one. */
#define EXPECT_GROWTH(type, init, call)                                                            \
    do {                                                                                           \
        type given = init;                                                                         \
        given.size = (uint32_t)sizeof given + 8;                                                   \
        EXPECT_STATUS(WEIR_TOO_NEW, call);                                                         \
        given.size = (uint32_t)sizeof given - 8;                                                   \
        EXPECT_STATUS(WEIR_TOO_OLD, call);                                                         \
        given.size = 0;                                                                            \
        EXPECT_STATUS(WEIR_TOO_OLD, call);                                                         \
        given.size = (uint32_t)sizeof given;                                                       \
        given.abi = WEIR_ABI + 1;                                                                  \
        EXPECT_STATUS(WEIR_TOO_NEW, call);                                                         \
        given.abi = 0;                                                                             \
        EXPECT_STATUS(WEIR_TOO_OLD, call);                                                         \
    } while (0)

/* A limit of three units an hour: no test takes so long that a fourth one comes. */
static inline weir_limit* three_an_hour(void) {
    weir_limit* limit = NULL;
    NEED(weir_limit_new(weir_per_hour(3), NULL, &limit));
    return limit;
}

/* Windows of a day end with it: the test of a cell over which a day ended begins anew. The names of
 * the cells are arguments of the test, which CMake reads from the catalogue. */
static inline void for_each_cell(char** names, void (*test)(const char* cell)) {
    for (; *names != NULL; ++names) {
        const int before = failures;
        for (;;) {
            const time_t day = time(NULL) / 86400;
            test(*names);
            if (time(NULL) / 86400 == day) break;
            failures = before;
        }
    }
}

#endif
