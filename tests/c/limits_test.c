// SPDX-License-Identifier: MIT
/* Every call on limits, with what it answers and what it refuses. */

#include <stdint.h>
#include <time.h>

#include "expect.h"

static const int64_t hour = 3600000000000;
/* And a second more: the counter's frequency is known within 20 millionths. */
static const int64_t twenty_minutes = 1201000000000;

static void quotas(void) {
    const weir_quota q = weir_with_burst(weir_per_minute(6), 3);
    EXPECT(q.units == 6 && q.period_ns == 60000000000 && q.burst == 3);
    EXPECT(weir_per_second(5).period_ns == 1000000000 && weir_per_second(5).burst == 5);
    EXPECT(weir_per_hour(5).period_ns == hour);
    EXPECT(weir_per_day(5).period_ns == 24 * hour);

    weir_quota read;
    EXPECT_STATUS(WEIR_OK, weir_read_quota("20/100ms, burst 5", &read));
    EXPECT(read.units == 20 && read.period_ns == 100000000 && read.burst == 5);
    const weir_status no_quota = weir_read_quota("fast", &read);
    EXPECT(no_quota < WEIR_BAD_QUOTA);
    EXPECT(strcmp(weir_text(no_quota),
                  "a quota is written as in 500/min, 1.5M/s or 20/100ms, burst 5") == 0);
    EXPECT(weir_read_quota(NULL, &read) == no_quota);
    EXPECT_STATUS(WEIR_NULL, weir_read_quota("5/s", NULL));

    weir_limit* limit = (weir_limit*)&read;
    const weir_status no_units = weir_limit_new(weir_per_second(0), NULL, &limit);
    EXPECT(strcmp(weir_text(no_units), "a quota must allow at least one unit per period") == 0);
    EXPECT(limit == NULL);
    EXPECT(weir_limit_new(weir_per(1, 0), NULL, &limit) < WEIR_BAD_QUOTA);
    EXPECT(weir_limit_new(weir_per(1, INT64_MAX), NULL, &limit) < WEIR_BAD_QUOTA);
    EXPECT(weir_limit_new(weir_with_burst(weir_per_second(1), 0), NULL, &limit) < WEIR_BAD_QUOTA);
    EXPECT_STATUS(WEIR_NULL, weir_limit_new(weir_per_second(1), NULL, NULL));
}

static void admits_and_denies(void) {
    weir_limit* limit = three_an_hour();
    weir_answer a;
    EXPECT(weir_peek(limit, 3, &a) && a.status == WEIR_OK && a.remaining == 0);
    EXPECT(weir_try_acquire(limit, 1, &a));
    EXPECT(a.status == WEIR_OK && a.remaining == 2 && a.retry_after_ns == 0);
    EXPECT(weir_try_acquire(limit, 0, &a) && a.remaining == 2);
    EXPECT(weir_try_acquire(limit, 2, NULL));
    EXPECT(!weir_try_acquire(limit, 1, &a));
    EXPECT(a.status == WEIR_WAIT && a.remaining == 0);
    EXPECT(a.retry_after_ns > 0 && a.retry_after_ns <= twenty_minutes);
    EXPECT(!weir_peek(limit, 1, NULL));
    EXPECT(!weir_try_acquire(limit, 4, &a));
    EXPECT(a.status == WEIR_NEVER && a.retry_after_ns == WEIR_FOREVER);
    EXPECT_STATUS(WEIR_OK, weir_reset(limit));
    EXPECT(weir_try_acquire(limit, 3, NULL));
    weir_limit_free(limit);
}

static void takes_the_servers_word(void) {
    const int64_t hour = 3600LL * 1000000000;
    weir_limit* limit = three_an_hour();
    weir_answer a;
    int64_t obeyed = -1;
    EXPECT_STATUS(WEIR_OK, weir_set_remaining(limit, 2, 0, &obeyed));
    EXPECT(obeyed == 0 && weir_peek(limit, 0, &a) && a.remaining == 2);
    EXPECT_STATUS(WEIR_OK, weir_lower_remaining(limit, 3, 0, NULL));
    EXPECT(weir_peek(limit, 0, &a) && a.remaining == 2);
    EXPECT_STATUS(WEIR_OK, weir_lower_remaining(limit, 1, hour, &obeyed));
    EXPECT(obeyed == hour && weir_peek(limit, 0, &a) && a.remaining == 0);
    EXPECT_STATUS(WEIR_OK, weir_set_remaining(limit, WEIR_ALL, hour, &obeyed));
    EXPECT(obeyed == hour && weir_peek(limit, 0, &a) && a.remaining == 3);
    EXPECT_STATUS(WEIR_IN_PART, weir_set_remaining(limit, 0, 1000 * hour, &obeyed));
    EXPECT(obeyed > 0 && obeyed < 1000 * hour);
    EXPECT_STATUS(WEIR_NEGATIVE, weir_set_remaining(limit, -1, 0, &obeyed));
    EXPECT(obeyed == 0);
    EXPECT_STATUS(WEIR_NEGATIVE, weir_lower_remaining(limit, 1, -1, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_set_remaining(NULL, 1, 0, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_lower_remaining(NULL, 1, 0, &obeyed));
    EXPECT(strcmp(weir_text(WEIR_IN_PART), "obeyed, but not until the reset") == 0);
    EXPECT(strcmp(weir_text(WEIR_NO_PLACE), "the table has no place for the key") == 0);
    weir_limit_free(limit);
}

static void refuses_mistakes(void) {
    weir_limit* limit = three_an_hour();
    weir_answer a;
    EXPECT(!weir_try_acquire(NULL, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_try_acquire(NULL, 1, NULL));
    EXPECT(!weir_try_acquire(limit, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_try_acquire(limit, INT64_MAX, &a) && a.status == WEIR_NEVER);
    EXPECT(!weir_peek(NULL, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_peek(limit, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_charge(NULL, 1, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_charge(limit, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT(weir_acquire_up_to(NULL, 1, &a) == 0 && a.status == WEIR_NULL);
    EXPECT(weir_acquire_up_to(limit, -1, &a) == 0 && a.status == WEIR_NEGATIVE);
    EXPECT(!weir_acquire(NULL, 1, 0, &a) && a.status == WEIR_NULL);
    EXPECT(!weir_acquire(limit, 1, -1, &a) && a.status == WEIR_NEGATIVE);
    EXPECT_STATUS(WEIR_NULL, weir_reset(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_give_back(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_set_quota(NULL, weir_per_second(1), 0));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_give_back(limit));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_quota(limit, weir_per_second(1), 0));
    EXPECT(weir_try_acquire(limit, 3, &a)); /* nothing of that took a unit */
    weir_limit_free(limit);
    weir_limit_free(NULL);
}

static void charges_and_takes_up_to(void) {
    weir_limit* limit = three_an_hour();
    weir_answer a;
    EXPECT(weir_acquire_up_to(limit, 2, &a) == 2 && a.status == WEIR_OK && a.remaining == 1);
    EXPECT(weir_acquire_up_to(limit, WEIR_ALL, NULL) == 1);
    EXPECT(weir_acquire_up_to(limit, 1, &a) == 0 && a.status == WEIR_WAIT);
    EXPECT(weir_charge(limit, 2, &a) && a.status == WEIR_OK);
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(limit, &s));
    EXPECT(s.debt == 2 && s.remaining == 0 && s.quota.units == 3 && s.quota.period_ns == hour);
    EXPECT(s.quota.burst == 3 && s.can_reserve == 1 && s.can_lend == 1);
    EXPECT(s.reset_after_ns > hour && s.reset_after_ns <= 2 * hour);
    EXPECT(!weir_charge(limit, 2, &a) && a.status == WEIR_WAIT); /* 3 is the most */
    EXPECT_STATUS(WEIR_NULL, weir_look(NULL, &s));
    EXPECT_STATUS(WEIR_NULL, weir_look(limit, NULL));
    weir_limit_free(limit);
}

static void options(void) {
    weir_limit* limit = NULL;
    weir_options o = WEIR_OPTIONS_INIT;
    o.start = 1;
    o.debt = 0;
    o.guard_ns = 1000000;
    o.queue = 1;
    NEED(weir_limit_new(weir_per_hour(3), &o, &limit));
    weir_permit p;
    EXPECT(weir_try_acquire(limit, 1, NULL) && !weir_try_acquire(limit, 1, NULL));
    EXPECT(!weir_charge(limit, 1, NULL));
    EXPECT(weir_reserve(limit, 1, WEIR_FOREVER, &p) && !weir_reserve(limit, 1, WEIR_FOREVER, &p));
    weir_limit_free(limit);

    o = (weir_options)WEIR_OPTIONS_INIT;
    o.debt = -1;
    const weir_status s = weir_limit_new(weir_per_hour(3), &o, &limit);
    EXPECT(strcmp(weir_text(s), "the debt allowed must not be negative") == 0);
    o = (weir_options)WEIR_OPTIONS_INIT;
    o.whole_periods = 1;
    EXPECT(weir_limit_new(weir_per_hour(3), &o, &limit) < WEIR_BAD_QUOTA);
    o.whole_periods = 2;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_limit_new(weir_per_hour(3), &o, &limit));
    o.whole_periods = 1;
    o.cell = "token_bucket";
    EXPECT_STATUS(WEIR_OK, weir_limit_new(weir_per_hour(3), &o, &limit));
    weir_limit_free(limit);
    o = (weir_options)WEIR_OPTIONS_INIT;
    o.refunds = 1; /* of arrays */
    EXPECT_STATUS(WEIR_NO_VALUE, weir_limit_new(weir_per_hour(3), &o, &limit));
    EXPECT_STATUS(WEIR_NO_VALUE, weir_adjustable_new(weir_per_hour(3), &o, &limit));
}

static void anchors(void) {
    const int64_t now = (int64_t)time(NULL) * 1000000000;
    weir_options o = WEIR_OPTIONS_INIT;
    o.anchor_ns = now - hour / 2; /* windows begin at this minute's other half of the hour */
    weir_limit* limit = three_an_hour();
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_anchor(limit, now));
    EXPECT_STATUS(WEIR_NULL, weir_set_anchor(NULL, now));
    weir_limit_free(limit);
    const weir_status s = weir_limit_new(weir_per_hour(3), &o, &limit);
    EXPECT(strcmp(weir_text(s),
                  "only an aligned window that no other process shares has an anchor") == 0);

    o.cell = "aligned_window";
    NEED(weir_limit_new(weir_per_hour(3), &o, &limit));
    weir_answer a;
    EXPECT(weir_try_acquire(limit, 3, NULL));
    EXPECT(!weir_try_acquire(limit, 1, &a));
    /* The test is over within twenty minutes. */
    EXPECT(a.retry_after_ns <= hour / 2 && a.retry_after_ns >= hour / 2 - twenty_minutes);
    EXPECT_STATUS(WEIR_OK, weir_set_anchor(limit, now - hour / 4));
    EXPECT(!weir_try_acquire(limit, 1, &a));
    EXPECT(a.retry_after_ns <= hour / 4 * 3 && a.retry_after_ns > hour / 4 * 3 - twenty_minutes);
    weir_limit_free(limit);
}

/* How many units pass at once; what a cell does is tested elsewhere. */
static void a_cell(const char* name) {
    weir_options o = WEIR_OPTIONS_INIT;
    weir_limit* limit = NULL;
    o.cell = name;
    NEED(weir_limit_new(weir_per(3, 24 * hour), &o, &limit));
    EXPECT(weir_try_acquire(limit, 2, NULL));
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(limit, &s));
    EXPECT(s.remaining == 1 && s.quota.burst == 3);
    weir_permit p;
    EXPECT(weir_reserve(limit, 1, 0, &p) == (s.can_reserve == 1));
    if (s.can_reserve == 0) EXPECT(p.status == WEIR_NOT_SUPPORTED && p.units == 0);
    EXPECT(weir_acquire_up_to(limit, WEIR_ALL, NULL) == (s.can_reserve == 1 ? 0 : 1));
    weir_limit_free(limit);
}

static void no_cell(void) {
    weir_options o = WEIR_OPTIONS_INIT;
    weir_limit* limit = NULL;
    o.cell = "leaky";
    EXPECT_STATUS(WEIR_NO_CELL, weir_limit_new(weir_per_hour(3), &o, &limit));
    o.cell = "sliding_log";
    EXPECT_STATUS(WEIR_NO_MEMORY, weir_limit_new(weir_per_second(INT64_MAX), &o, &limit));
    EXPECT(limit == NULL);
}

static void permits(void) {
    weir_limit* limit = three_an_hour();
    weir_limit* other = three_an_hour();
    weir_permit p;
    EXPECT(weir_reserve(limit, 3, 0, &p));
    EXPECT(p.status == WEIR_OK && p.units == 3 && p.wait_ns == 0);
    weir_permit later;
    EXPECT(!weir_reserve(limit, 1, 0, &later));
    EXPECT(later.status == WEIR_WAIT && later.units == 0);
    EXPECT(later.wait_ns > 0 && later.wait_ns <= twenty_minutes);
    EXPECT(!weir_reserve(limit, 4, WEIR_FOREVER, &later) && later.status == WEIR_NEVER);
    EXPECT(weir_reserve(limit, 1, WEIR_FOREVER, &later));
    EXPECT(later.units == 1 && later.wait_ns > 0);

    int64_t left = -1;
    EXPECT_STATUS(WEIR_OK, weir_time_left(limit, &later, &left));
    EXPECT(left > 0 && left <= later.wait_ns);
    EXPECT_STATUS(WEIR_OK, weir_time_left(limit, &p, &left));
    EXPECT(left == 0);

    int64_t back = -1;
    EXPECT_STATUS(WEIR_FOREIGN_PERMIT, weir_refund(other, &later, WEIR_ALL, &back));
    EXPECT_STATUS(WEIR_FOREIGN_PERMIT, weir_time_left(other, &later, &left));
    EXPECT(back == 0 && later.units == 1);
    weir_permit copy = later;
    EXPECT_STATUS(WEIR_NEGATIVE, weir_refund(limit, &copy, -1, &back));
    EXPECT_STATUS(WEIR_OK, weir_refund(limit, &copy, WEIR_ALL, &back));
    EXPECT(back == 1 && copy.units == 0);
    EXPECT_STATUS(WEIR_OK,
                  weir_refund(limit, &copy, WEIR_ALL, &back)); /* nothing the second time */
    EXPECT(back == 0);
    EXPECT_STATUS(WEIR_OK, weir_refund(limit, &p, 2, NULL));
    EXPECT(weir_try_acquire(limit, 1, NULL));

    EXPECT(!weir_reserve(NULL, 1, 0, &p) && p.status == WEIR_NULL);
    EXPECT(!weir_reserve(limit, 1, 0, NULL));
    EXPECT(!weir_reserve(limit, -1, 0, &p) && p.status == WEIR_NEGATIVE);
    EXPECT(!weir_reserve(limit, 1, -1, &p) && p.status == WEIR_NEGATIVE);
    memset(&p, 0x55, sizeof p); /* never a permit */
    EXPECT_STATUS(WEIR_FOREIGN_PERMIT, weir_refund(limit, &p, WEIR_ALL, NULL));
    EXPECT_STATUS(WEIR_FOREIGN_PERMIT, weir_time_left(limit, &p, &left));
    EXPECT_STATUS(WEIR_NULL, weir_refund(NULL, &p, 1, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_refund(limit, NULL, 1, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_time_left(limit, &p, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_time_left(limit, NULL, &left));
    EXPECT_STATUS(WEIR_NULL, weir_time_left(NULL, &p, &left));
    weir_limit_free(limit);
    weir_limit_free(other);
}

static void waits(void) {
    weir_limit* limit = three_an_hour();
    weir_answer a;
    EXPECT(weir_acquire(limit, 3, 0, &a) && a.status == WEIR_OK);
    EXPECT(!weir_acquire(limit, 1, 1000000, &a) && a.status == WEIR_TOO_LATE);
    EXPECT(a.retry_after_ns > 1000000 && a.retry_after_ns <= twenty_minutes);
    EXPECT(!weir_acquire(limit, 4, WEIR_FOREVER, &a) && a.status == WEIR_NEVER);
    weir_limit_free(limit);

    NEED(weir_limit_new(weir_with_burst(weir_per_second(1000), 1), NULL, &limit));
    for (int i = 0; i < 5; ++i) EXPECT(weir_acquire(limit, 1, WEIR_FOREVER, NULL));
    weir_limit_free(limit);
}

static void snapshots(void) {
    weir_limit* limit = three_an_hour();
    weir_limit* next = three_an_hour();
    weir_snapshot s;
    EXPECT(weir_try_acquire(limit, 2, NULL));
    EXPECT_STATUS(WEIR_OK, weir_save(limit, &s));
    EXPECT_STATUS(WEIR_OK, weir_restore(next, s));
    EXPECT(!weir_try_acquire(next, 2, NULL) && weir_try_acquire(next, 1, NULL));
    s.units = -1;
    EXPECT_STATUS(WEIR_NOT_RESTORED, weir_restore(next, s));
    EXPECT_STATUS(WEIR_NULL, weir_save(NULL, &s));
    EXPECT_STATUS(WEIR_NULL, weir_save(limit, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_restore(NULL, s));
    weir_limit_free(limit);
    weir_limit_free(next);
}

static void adjustable(void) {
    weir_limit* limit = NULL;
    NEED(weir_adjustable_new(weir_per_hour(3), NULL, &limit));
    weir_permit p;
    weir_answer a;
    weir_snapshot saved;
    EXPECT(weir_reserve(limit, 3, 0, &p));
    EXPECT(weir_reserve(limit, 1, WEIR_FOREVER, &p));
    int64_t before = 0;
    int64_t after = 0;
    EXPECT_STATUS(WEIR_OK, weir_time_left(limit, &p, &before));
    EXPECT_STATUS(WEIR_OK, weir_set_quota(limit, weir_with_burst(weir_per_hour(1), 3), 0));
    EXPECT_STATUS(WEIR_OK, weir_time_left(limit, &p, &after));
    EXPECT(after > 2 * before); /* three times as long */
    EXPECT_STATUS(WEIR_OK, weir_refund(limit, &p, WEIR_ALL, NULL));
    EXPECT(!weir_try_acquire(limit, 1, &a) && a.status == WEIR_WAIT);
    EXPECT_STATUS(WEIR_OK, weir_set_quota(limit, weir_per_hour(10), hour));
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(limit, &s));
    EXPECT(s.quota.units == 10);
    EXPECT(weir_set_quota(limit, weir_per_hour(0), 0) < WEIR_BAD_QUOTA);
    EXPECT(weir_set_quota(limit, weir_per_hour(5), -1) < WEIR_BAD_QUOTA);
    EXPECT_STATUS(WEIR_OK, weir_look(limit, &s));
    EXPECT(s.quota.units == 10);
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_save(limit, &saved));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_restore(limit, saved));
    weir_limit_free(limit);

    weir_options o = WEIR_OPTIONS_INIT;
    o.cell = "token_bucket";
    EXPECT_STATUS(WEIR_NO_CELL, weir_adjustable_new(weir_per_hour(3), &o, &limit));
    o.cell = "gcra";
    o.debt = -1;
    EXPECT(weir_adjustable_new(weir_per_hour(3), &o, &limit) < WEIR_BAD_QUOTA);
    EXPECT_STATUS(WEIR_NULL, weir_adjustable_new(weir_per_hour(3), NULL, NULL));
}

static void all_of(void) {
    weir_options o = WEIR_OPTIONS_INIT;
    o.cell = "sliding_window"; /* it cannot take back, so it is asked last */
    weir_limit* window = NULL;
    NEED(weir_limit_new(weir_per_hour(5), &o, &window));
    weir_limit* three = three_an_hour();
    weir_limit* other = three_an_hour();
    weir_limit* both[3] = {window, three, other};
    weir_limit* all = NULL;
    NEED(weir_all_of_new(both, 3, &all));
    weir_answer a;
    EXPECT(weir_peek(all, 3, &a) && a.status == WEIR_OK);
    EXPECT(weir_try_acquire(all, 2, &a) && a.remaining == 1);
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(all, &s));
    EXPECT(s.remaining == 1 && s.can_lend == 0 && s.can_reserve == 0);
    EXPECT(weir_try_acquire(other, 1, NULL));
    EXPECT(!weir_try_acquire(all, 1, &a) && a.status == WEIR_WAIT && a.refused_by == 2);
    EXPECT(a.retry_after_ns > 0 && a.retry_after_ns <= twenty_minutes);
    EXPECT(weir_try_acquire(three, 1, NULL)); /* the refusal took nothing */
    EXPECT(!weir_try_acquire(all, 4, &a) && a.status == WEIR_NEVER && a.refused_by == 1);
    EXPECT(weir_acquire_up_to(window, WEIR_ALL, NULL) == 3);
    EXPECT(!weir_try_acquire(all, 1, &a) && a.refused_by == 1); /* the first that was asked */
    EXPECT(!weir_acquire(all, 1, 1000, &a) && a.status == WEIR_TOO_LATE);
    EXPECT(!weir_charge(all, 1, &a) && a.status == WEIR_NOT_SUPPORTED);
    EXPECT(weir_acquire_up_to(all, 1, &a) == 0 && a.status == WEIR_NOT_SUPPORTED);
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_reset(all));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_remaining(all, 1, 0, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_lower_remaining(all, 1, 0, NULL));
    weir_permit p;
    EXPECT(!weir_reserve(all, 1, 0, &p) && p.status == WEIR_NOT_SUPPORTED);
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_refund(all, &p, 1, NULL));
    int64_t left;
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_time_left(all, &p, &left));
    weir_limit* none = NULL;
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_lease_new(all, 2, WEIR_FOREVER, &none));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_striped_new(all, WEIR_ALL, &none));
    weir_limit_free(all);

    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_all_of_new(both, 1, &all));
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_all_of_new(both, 9, &all));
    both[1] = window;
    EXPECT_STATUS(WEIR_GIVEN_TWICE, weir_all_of_new(both, 2, &all));
    both[1] = NULL;
    EXPECT_STATUS(WEIR_NULL, weir_all_of_new(both, 2, &all));
    EXPECT_STATUS(WEIR_NULL, weir_all_of_new(NULL, 2, &all));
    EXPECT_STATUS(WEIR_NULL, weir_all_of_new(both, 2, NULL));

    weir_limit* eight[8];
    for (int i = 0; i < 8; ++i) eight[i] = three_an_hour();
    for (size_t n = 2; n <= 8; ++n) {
        NEED(weir_all_of_new(eight, n, &all));
        EXPECT(weir_try_acquire(all, 1, NULL) == (n <= 4)); /* the first of them have three */
        weir_limit_free(all);
    }
    for (int i = 0; i < 8; ++i) weir_limit_free(eight[i]);
    weir_limit_free(window);
    weir_limit_free(three);
    weir_limit_free(other);
}

static void leases(void) {
    weir_limit* limit = NULL;
    NEED(weir_limit_new(weir_per_hour(10), NULL, &limit));
    weir_limit* lease = NULL;
    NEED(weir_lease_new(limit, 4, WEIR_FOREVER, &lease));
    weir_answer a;
    EXPECT(weir_try_acquire(lease, 1, &a) && a.remaining == 3);
    EXPECT(weir_try_acquire(limit, 6, NULL) && !weir_try_acquire(limit, 1, NULL));
    EXPECT(weir_peek(lease, 3, &a) && !weir_peek(lease, 4, &a));
    EXPECT(!weir_try_acquire(lease, 4, &a) && a.status == WEIR_WAIT && a.retry_after_ns > 0);
    EXPECT(!weir_try_acquire(lease, 11, &a) && a.status == WEIR_NEVER);
    EXPECT(weir_try_acquire(lease, 1, NULL));
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(lease, &s));
    EXPECT(s.remaining == 2);
    EXPECT_STATUS(WEIR_OK, weir_give_back(lease));
    EXPECT(weir_try_acquire(limit, 2, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_reset(lease));
    weir_limit* two[2] = {limit, lease};
    weir_limit* none = NULL;
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_all_of_new(two, 2, &none));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_lease_new(lease, 2, WEIR_FOREVER, &none));
    weir_limit_free(lease);

    /* What is older goes back. */
    EXPECT_STATUS(WEIR_OK, weir_reset(limit));
    NEED(weir_lease_new(limit, 4, 0, &lease));
    EXPECT(weir_try_acquire(lease, 1, NULL));
    EXPECT(weir_try_acquire(lease, 1, &a) && a.remaining == 3);
    weir_limit_free(lease);
    EXPECT(weir_try_acquire(limit, 8, NULL) && !weir_try_acquire(limit, 1, NULL));

    EXPECT_STATUS(WEIR_NEGATIVE, weir_lease_new(limit, -1, 0, &lease));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_lease_new(limit, 1, -1, &lease));
    EXPECT_STATUS(WEIR_NULL, weir_lease_new(NULL, 1, 0, &lease));
    EXPECT_STATUS(WEIR_NULL, weir_lease_new(limit, 1, 0, NULL));
    weir_limit_free(limit);
}

static void stripes(void) {
    weir_quota half;
    EXPECT_STATUS(WEIR_OK, weir_striped_quota(weir_per_hour(960), WEIR_ALL, &half));
    EXPECT(half.units == 960 && half.burst == 640);
    EXPECT_STATUS(WEIR_NULL, weir_striped_quota(weir_per_hour(1), WEIR_ALL, NULL));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_striped_quota(weir_per_hour(1), -1, &half));
    EXPECT(weir_striped_quota(weir_per_hour(0), WEIR_ALL, &half) < WEIR_BAD_QUOTA);

    weir_limit* shared = NULL;
    weir_limit* all = NULL;
    NEED(weir_limit_new(weir_per_hour(640), NULL, &shared));
    NEED(weir_striped_new(shared, WEIR_ALL, &all));
    int passed = 0;
    weir_answer a;
    EXPECT(weir_peek(all, 1, &a));
    while (passed <= 640 && weir_try_acquire(all, 1, &a)) ++passed;
    EXPECT(passed == 640); /* one thread has one stripe, so nothing is left in another */
    EXPECT(a.status == WEIR_WAIT && a.retry_after_ns > 0);
    weir_state s = WEIR_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_look(all, &s));
    EXPECT(s.remaining == 0 && s.quota.units == 640 && s.can_reserve == 1);
    EXPECT_STATUS(WEIR_OK, weir_reset(all));
    EXPECT(weir_try_acquire(all, 1, NULL));
    EXPECT_STATUS(WEIR_OK, weir_give_back(all));
    EXPECT(weir_acquire_up_to(all, WEIR_ALL, NULL) == 639);
    EXPECT(weir_charge(all, 1, NULL));
    EXPECT(!weir_acquire(all, 1, 1000, &a) && a.status == WEIR_TOO_LATE);
    weir_permit p;
    int64_t left = 0;
    int64_t back = 0;
    EXPECT(weir_reserve(all, 1, WEIR_FOREVER, &p));
    EXPECT_STATUS(WEIR_OK, weir_time_left(all, &p, &left));
    EXPECT_STATUS(WEIR_OK, weir_refund(all, &p, WEIR_ALL, &back));
    EXPECT(left > 0 && back == 1);
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_set_quota(all, weir_per_hour(1), 0));
    weir_limit_free(all);
    EXPECT_STATUS(WEIR_NULL, weir_striped_new(NULL, WEIR_ALL, &all));
    EXPECT_STATUS(WEIR_NULL, weir_striped_new(shared, WEIR_ALL, NULL));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_striped_new(shared, -1, &all));
    weir_limit_free(shared);
}

int main(int count, char** arguments) {
    (void)count;
    quotas();
    admits_and_denies();
    takes_the_servers_word();
    refuses_mistakes();
    charges_and_takes_up_to();
    options();
    anchors();
    for_each_cell(arguments + 1, a_cell);
    no_cell();
    permits();
    waits();
    snapshots();
    adjustable();
    all_of();
    leases();
    stripes();
    return failures != 0;
}
