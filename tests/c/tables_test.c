// SPDX-License-Identifier: MIT
/* Every call on tables, and entries of tables as limits. */

#include <stdint.h>

#include "expect.h"

static void arrays(void) {
    weir_array* array = NULL;
    NEED(weir_array_new(4, weir_per_hour(3), NULL, &array));
    EXPECT(weir_array_size(array) == 4);
    weir_answer a;
    EXPECT(weir_array_try_acquire(array, 1, 2, &a) && a.remaining == 1);
    EXPECT(!weir_array_try_acquire(array, 1, 2, &a) && a.status == WEIR_WAIT);
    EXPECT(weir_array_try_acquire(array, 0, 3, NULL));
    EXPECT(!weir_array_try_acquire(array, 4, 1, &a) && a.status == WEIR_NO_INDEX);
    EXPECT(!weir_array_try_acquire(array, SIZE_MAX, 1, NULL));
    EXPECT(!weir_array_try_acquire(NULL, 0, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_array_try_acquire(array, 0, -1, &a) && a.status == WEIR_NEGATIVE);

    weir_view view;
    weir_limit* entry = weir_array_at(array, 1, &view);
    EXPECT(entry != NULL && weir_try_acquire(entry, 1, NULL) && !weir_try_acquire(entry, 1, NULL));
    EXPECT_STATUS(WEIR_OK, weir_reset(entry));
    EXPECT(weir_array_try_acquire(array, 1, 3, NULL) && !weir_array_try_acquire(array, 0, 1, NULL));
    EXPECT_STATUS(WEIR_OK, weir_array_reset(array));
    EXPECT(weir_array_try_acquire(array, 0, 3, NULL));
    EXPECT(weir_array_at(array, 4, &view) == NULL);
    EXPECT(weir_array_at(array, 0, NULL) == NULL);
    EXPECT(weir_array_at(NULL, 0, &view) == NULL);
    weir_limit_free(entry); /* nothing to free */
    EXPECT_STATUS(WEIR_NULL, weir_array_reset(NULL));
    EXPECT(weir_array_size(NULL) == 0);
    weir_array_free(array);
    weir_array_free(NULL);

    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_array_new(0, weir_per_hour(3), NULL, &array));
    EXPECT_STATUS(WEIR_NO_MEMORY, weir_array_new(SIZE_MAX, weir_per_hour(3), NULL, &array));
    EXPECT(array == NULL);
    EXPECT(weir_array_new(4, weir_per_hour(0), NULL, &array) < WEIR_BAD_QUOTA);
    EXPECT(weir_array_new(4, weir_per(INT64_MAX, 1), NULL, &array) < WEIR_BAD_QUOTA);
    EXPECT_STATUS(WEIR_NULL, weir_array_new(4, weir_per_hour(3), NULL, NULL));
}

static void refunds_of_entries(void) {
    weir_options o = WEIR_OPTIONS_INIT;
    weir_array* array = NULL;
    weir_view view;
    weir_permit p;
    int64_t back = 0;
    for (uint32_t refunds = 0; refunds <= 1; ++refunds) {
        o.refunds = refunds;
        NEED(weir_array_new(2, weir_per_hour(3), &o, &array));
        weir_limit* entry = weir_array_at(array, 1, &view);
        EXPECT(weir_try_acquire(entry, 3, NULL));
        EXPECT(weir_reserve(entry, 1, WEIR_FOREVER, &p));
        EXPECT_STATUS(WEIR_OK, weir_refund(entry, &p, WEIR_ALL, &back));
        EXPECT(back == (int64_t)refunds);
        weir_array_free(array);
    }
    o.cell = "fixed_window";
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_array_new(2, weir_per_hour(3), &o, &array));
}

static void array_of(const char* cell) {
    weir_options o = WEIR_OPTIONS_INIT;
    weir_array* array = NULL;
    o.cell = cell;
    const weir_status s = weir_array_new(3, weir_per(3, INT64_C(86400000000000)), &o, &array);
    if (strcmp(cell, "sliding_log") == 0) {
        EXPECT(s == WEIR_NO_CELL); /* more than a word */
        return;
    }
    EXPECT_STATUS(WEIR_OK, s);
    EXPECT(weir_array_try_acquire(array, 2, 3, NULL));
    EXPECT(!weir_array_try_acquire(array, 2, 1, NULL));
    EXPECT(weir_array_try_acquire(array, 1, 1, NULL));
    weir_array_free(array);
}

static void keyed(uint32_t exact) {
    weir_keyed_options o = WEIR_KEYED_OPTIONS_INIT;
    o.exact = exact;
    o.seed = 42;
    o.when_full = WEIR_WHEN_FULL_DENY;
    weir_keyed* table = NULL;
    NEED(weir_keyed_new(100, weir_per_hour(3), &o, &table));
    weir_answer a;
    EXPECT(weir_keyed_try_acquire(table, "alice", 5, 2, &a) && a.remaining == 1);
    EXPECT(!weir_keyed_try_acquire(table, "alice", 5, 2, &a) && a.status == WEIR_WAIT);
    EXPECT(weir_keyed_try_acquire(table, "bob", 3, 3, NULL));
    EXPECT(weir_keyed_try_acquire(table, NULL, 0, 1, NULL)); /* the empty key is one, too */
    EXPECT(weir_keyed_try_acquire_number(table, 7, 3, NULL));
    EXPECT(!weir_keyed_try_acquire_number(table, 7, 1, &a) && a.retry_after_ns > 0);
    EXPECT(!weir_keyed_try_acquire(table, NULL, 1, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_keyed_try_acquire(NULL, "x", 1, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_keyed_try_acquire(table, "x", 1, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_keyed_try_acquire_number(NULL, 7, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_keyed_try_acquire_number(table, 7, -1, &a) && a.status == WEIR_NEGATIVE);

    weir_view view;
    weir_limit* alice = weir_keyed_at(table, "alice", 5, &view);
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(alice, &s));
    EXPECT(s.remaining == 1 && s.can_reserve == 0 && s.quota.units == 3);
    EXPECT(weir_try_acquire(alice, 1, NULL));
    EXPECT(!weir_keyed_try_acquire(table, "alice", 5, 1, NULL));
    weir_limit* seven = weir_keyed_at_number(table, 7, &view);
    EXPECT(!weir_try_acquire(seven, 1, NULL));
    EXPECT(weir_keyed_at(table, NULL, 1, &view) == NULL);
    EXPECT(weir_keyed_at(table, "x", 1, NULL) == NULL);
    EXPECT(weir_keyed_at_number(NULL, 7, &view) == NULL);
    EXPECT(weir_keyed_at_number(table, 7, NULL) == NULL);

    weir_keyed_state k = WEIR_KEYED_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_keyed_look(table, &k));
    EXPECT(k.places >= 100 && k.places < 108 && k.occupied == 4 && k.full == 0);
    EXPECT_STATUS(WEIR_OK, weir_keyed_clear_idle(table));
    EXPECT_STATUS(WEIR_OK, weir_keyed_look(table, &k));
    EXPECT(k.occupied == 4);
    EXPECT_STATUS(WEIR_NULL, weir_keyed_look(NULL, &k));
    EXPECT_STATUS(WEIR_NULL, weir_keyed_look(table, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_keyed_clear_idle(NULL));
    weir_keyed_free(table);
    weir_keyed_free(NULL);
}

/* A table of one line, and more keys than it has places. */
static void full_tables(void) {
    for (uint32_t policy = 0; policy <= WEIR_WHEN_FULL_ALLOW; ++policy) {
        weir_keyed_options o = WEIR_KEYED_OPTIONS_INIT;
        o.when_full = policy;
        weir_keyed* table = NULL;
        NEED(weir_keyed_new(1, weir_per_hour(3), &o, &table));
        int admitted = 0;
        for (uint64_t key = 0; key < 100; ++key)
            admitted += weir_keyed_try_acquire_number(table, key, 3, NULL);
        weir_keyed_state k = WEIR_KEYED_STATE_INIT;
        EXPECT_STATUS(WEIR_OK, weir_keyed_look(table, &k));
        EXPECT(policy == WEIR_WHEN_FULL_DENY ? admitted < 100 : admitted == 100);
        EXPECT((k.forgiven_ns > 0) == (policy == WEIR_WHEN_FULL_FORGIVE_LEAST));
        EXPECT(k.full > 0 || policy == WEIR_WHEN_FULL_FORGIVE_LEAST);
        weir_keyed_free(table);
    }
}

static void refused_tables(void) {
    weir_keyed* table = NULL;
    weir_keyed_options o = WEIR_KEYED_OPTIONS_INIT;
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_keyed_new(0, weir_per_hour(3), NULL, &table));
    /* It has 2^32 lines at most, which on 32 bits is more than anybody can ask for. */
    EXPECT_STATUS(SIZE_MAX > UINT32_MAX ? WEIR_NOT_THIS_MANY : WEIR_NO_MEMORY,
                  weir_keyed_new(SIZE_MAX, weir_per_hour(3), NULL, &table));
    EXPECT_STATUS(WEIR_NULL, weir_keyed_new(8, weir_per_hour(3), NULL, NULL));
    EXPECT(weir_keyed_new(8, weir_per_hour(0), NULL, &table) < WEIR_BAD_QUOTA);
    o.debt = -1;
    EXPECT(weir_keyed_new(8, weir_per_hour(3), &o, &table) < WEIR_BAD_QUOTA);
    o = (weir_keyed_options)WEIR_KEYED_OPTIONS_INIT;
    o.guard_ns = -1;
    EXPECT(weir_keyed_new(8, weir_per_hour(3), &o, &table) < WEIR_BAD_QUOTA);
    o = (weir_keyed_options)WEIR_KEYED_OPTIONS_INIT;
    o.when_full = 3;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_keyed_new(8, weir_per_hour(3), &o, &table));
    o.when_full = 0;
    o.exact = 2;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_keyed_new(8, weir_per_hour(3), &o, &table));
    EXPECT(table == NULL);
}

/* What is built of limits takes entries; two views of one entry are one limit. */
static void entries_are_limits(void) {
    weir_array* array = NULL;
    NEED(weir_array_new(2, weir_per_hour(3), NULL, &array));
    weir_keyed* table = NULL;
    NEED(weir_keyed_new(8, weir_per_hour(2), NULL, &table));
    weir_view views[3];
    weir_limit* limits[3];
    limits[0] = weir_array_at(array, 1, &views[0]);
    limits[1] = weir_keyed_at(table, "alice", 5, &views[1]);
    limits[2] = weir_array_at(array, 1, &views[2]);
    weir_limit* all = NULL;
    EXPECT_STATUS(WEIR_GIVEN_TWICE, weir_all_of_new(limits, 3, &all));
    NEED(weir_all_of_new(limits, 2, &all));
    weir_answer a;
    EXPECT(weir_try_acquire(all, 2, NULL));
    EXPECT(!weir_try_acquire(all, 1, &a) && a.refused_by == 1);
    EXPECT(weir_array_try_acquire(array, 1, 1, NULL));
    weir_limit_free(all);
    weir_limit* lease = NULL;
    EXPECT_STATUS(WEIR_OK, weir_array_reset(array));
    NEED(weir_lease_new(limits[0], 3, WEIR_FOREVER, &lease));
    EXPECT(weir_try_acquire(lease, 1, NULL) && !weir_array_try_acquire(array, 1, 1, NULL));
    weir_limit_free(lease);
    weir_keyed_free(table);
    weir_array_free(array);
}

int main(int count, char** arguments) {
    (void)count;
    arrays();
    refunds_of_entries();
    for_each_cell(arguments + 1, array_of);
    keyed(0);
    keyed(1);
    full_tables();
    refused_tables();
    entries_are_limits();
    return failures != 0;
}
