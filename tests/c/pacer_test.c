// SPDX-License-Identifier: MIT
/* Every call on pacers: polled, on a thread, over a limit; and callbacks that control. */

#include <pthread.h>
#include <stdint.h>

#include "expect.h"

/* Items are places in here, so each has a number. */
static char items[1001];

/* What came out of a pacer. */
typedef struct outcome {
    weir_pacer* pacer;
    int emitted;
    int fails; /* so many emissions */
    int dropped[4];
    ptrdiff_t last;
    int* left; /* how many of each were dropped, if anybody wants to know */
    weir_status in_emit;
    weir_status (*act)(struct outcome*);
} outcome;

static bool emit(void* context, void* item) {
    outcome* const o = context;
    ++o->emitted;
    if (item != NULL) o->last = (char*)item - items;
    if (o->act != NULL) o->in_emit = o->act(o);
    if (o->fails == 0) return true;
    --o->fails;
    return false;
}

static void drop(void* context, void* item, int32_t reason) {
    outcome* const o = context;
    if (item != NULL) o->last = (char*)item - items;
    if (o->left != NULL) ++o->left[o->last];
    if (reason >= 0 && reason < 4) ++o->dropped[reason];
}

/* Soon, whatever else the machine does. */
static const weir_quota fast = {1000000, 1000000000, 1000000};
/* Never, for a test. */
static const weir_quota slow = {1, 3600000000000, 1};

static weir_pacer* pacer_of(weir_quota q, outcome* o) {
    memset(o, 0, sizeof *o);
    NEED(weir_pacer_new(q, NULL, emit, drop, o, &o->pacer));
    return o->pacer;
}
static weir_lane* lane_of(weir_pacer* p) {
    weir_lane* lane = NULL;
    NEED(weir_lane_open(p, NULL, &lane));
    return lane;
}
static bool push(weir_lane* lane, size_t number) {
    return weir_push(lane, &items[number], 1, WEIR_FOREVER, NULL);
}
static void poll_until(weir_pacer* p, int32_t what) {
    weir_next_poll next = {0, 0, 0, 0};
    do {
        NEED(weir_pacer_poll(p, &next));
    } while (next.what != what);
}

static void polled(void) {
    outcome o;
    weir_pacer* p = pacer_of(fast, &o);
    weir_lane* lane = lane_of(p);
    weir_next_poll next;
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    EXPECT(next.what == WEIR_IDLE);
    for (size_t i = 1; i <= 10; ++i) EXPECT(push(lane, i));
    weir_pacer_state s = WEIR_PACER_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_pacer_look(p, &s));
    EXPECT(s.waiting == 10 && s.paused == 0 && s.failures == 0);
    EXPECT(weir_lane_estimate_ns(lane) >= 0);
    poll_until(p, WEIR_IDLE);
    EXPECT(o.emitted == 10 && o.last == 10);
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, NULL));

    EXPECT_STATUS(WEIR_LANES_OPEN, weir_pacer_free(p));
    EXPECT_STATUS(WEIR_OK, weir_pacer_close(p));
    weir_status why = WEIR_OK;
    EXPECT(!weir_push(lane, NULL, 1, WEIR_FOREVER, &why) && why == WEIR_CLOSED);
    weir_lane* none = NULL;
    EXPECT_STATUS(WEIR_CLOSED, weir_lane_open(p, NULL, &none));
    poll_until(p, WEIR_DONE);
    weir_lane_close(lane);
    weir_lane_close(NULL);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(NULL));
}

static void pushes(void) {
    outcome o;
    memset(&o, 0, sizeof o);
    weir_pacer_options with = WEIR_PACER_OPTIONS_INIT;
    with.capacity = 2;
    with.catch_up_ns = 0;
    weir_pacer* p = NULL;
    NEED(weir_pacer_new(weir_with_burst(slow, 2), &with, emit, drop, &o, &p));
    weir_lane* lane = lane_of(p);
    weir_status why = WEIR_OK;
    EXPECT(!weir_push(lane, NULL, 3, WEIR_FOREVER, &why) && why == WEIR_NEVER);
    EXPECT(!weir_push(lane, NULL, -1, WEIR_FOREVER, &why) && why == WEIR_NEGATIVE);
    EXPECT(!weir_push(lane, NULL, 1, -1, &why) && why == WEIR_NEGATIVE);
    EXPECT(!weir_push(NULL, NULL, 1, WEIR_FOREVER, &why) && why == WEIR_NULL);
    EXPECT(weir_push(lane, NULL, 1, WEIR_FOREVER, &why) && why == WEIR_OK);
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, NULL)); /* the first goes at once */
    EXPECT(o.emitted == 1);
    EXPECT(push(lane, 1));
    EXPECT(!weir_push(lane, NULL, 1, 1000000000, &why) && why == WEIR_MISSES_DEADLINE);
    EXPECT(push(lane, 2));
    EXPECT(!weir_push(lane, NULL, 1, WEIR_FOREVER, &why) && why == WEIR_LANE_FULL);
    EXPECT(weir_lane_estimate_ns(lane) > 0);
    EXPECT(weir_lane_estimate_ns(NULL) == 0);
    EXPECT_STATUS(WEIR_OK, weir_pacer_discard(p));
    EXPECT(o.dropped[WEIR_DISCARDED] == 2 && o.emitted == 1);
    weir_lane_close(lane);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
}

static void priorities_and_lanes(void) {
    outcome o;
    weir_pacer* p = pacer_of(fast, &o);
    weir_lane_options first = WEIR_LANE_OPTIONS_INIT;
    first.priority = 0;
    weir_lane* lanes[64];
    for (int i = 0; i < 63; ++i) lanes[i] = lane_of(p);
    NEED(weir_lane_open(p, &first, &lanes[63]));
    weir_lane* none = NULL;
    EXPECT_STATUS(WEIR_NO_LANE, weir_lane_open(p, NULL, &none));
    EXPECT(none == NULL);
    EXPECT(push(lanes[0], 1) && push(lanes[63], 2));
    poll_until(p, WEIR_IDLE);
    EXPECT(o.emitted == 2 && o.last == 1); /* the other one went first */
    for (int i = 0; i < 64; ++i) weir_lane_close(lanes[i]);

    first.priority = 8;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_lane_open(p, &first, &none));
    first.priority = 7;
    first.weight = 0;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_lane_open(p, &first, &none));
    first.weight = 65536;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_lane_open(p, &first, &none));
    weir_limit* budget = three_an_hour();
    first = (weir_lane_options)WEIR_LANE_OPTIONS_INIT;
    first.budget = budget;
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_lane_open(p, &first, &none));
    EXPECT_STATUS(WEIR_NULL, weir_lane_open(p, NULL, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_lane_open(NULL, NULL, &none));
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    weir_limit_free(budget);
}

static void over_a_limit(void) {
    outcome o;
    memset(&o, 0, sizeof o);
    weir_limit* limit = three_an_hour();
    weir_limit* budget = three_an_hour();
    weir_pacer* p = NULL;
    NEED(weir_pacer_on(limit, NULL, emit, drop, &o, &p));
    weir_lane* lane = lane_of(p);
    weir_lane_options own = WEIR_LANE_OPTIONS_INIT;
    own.budget = budget;
    weir_lane* rich = NULL;
    weir_lane* also = NULL;
    NEED(weir_lane_open(p, &own, &rich));
    NEED(weir_lane_open(p, &own, &also));
    for (size_t i = 0; i < 5; ++i) EXPECT(push(lane, i));
    weir_next_poll next;
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    EXPECT(o.emitted == 3 && next.what == WEIR_DUE && next.in_ns > 0);
    EXPECT(push(rich, 7) && push(also, 8));
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    EXPECT(o.emitted == 5);
    EXPECT(weir_try_acquire(budget, 1, NULL) && !weir_try_acquire(budget, 1, NULL));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_pacer_set_rate(p, fast));
    EXPECT_STATUS(WEIR_OK, weir_reset(limit)); /* others may use it too */
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    weir_lane_close(lane);
    weir_lane_close(rich);
    weir_lane_close(also);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    EXPECT(o.emitted + o.dropped[WEIR_ABANDONED] == 7);

    weir_pacer_options with = WEIR_PACER_OPTIONS_INIT;
    with.catch_up_ns = 1;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_pacer_on(limit, &with, emit, drop, NULL, &p));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_on(NULL, NULL, emit, drop, NULL, &p));
    weir_limit* lease = NULL;
    NEED(weir_lease_new(limit, 2, WEIR_FOREVER, &lease));
    EXPECT_STATUS(WEIR_NOT_SUPPORTED, weir_pacer_on(lease, NULL, emit, drop, NULL, &p));
    weir_limit_free(lease);
    weir_limit_free(limit);
    weir_limit_free(budget);
}

/* Lanes with one budget share it by their weights. */
static void shared_budget(void) {
    outcome o;
    memset(&o, 0, sizeof o);
    weir_limit* limit = three_an_hour();
    weir_limit* budget = NULL;
    NEED(weir_limit_new(weir_per_hour(6), NULL, &budget));
    weir_pacer* p = NULL;
    NEED(weir_pacer_on(limit, NULL, emit, drop, &o, &p));
    weir_lane* lanes[2];
    weir_lane_options own = WEIR_LANE_OPTIONS_INIT;
    own.budget = budget;
    for (int i = 0; i < 2; ++i) {
        NEED(weir_lane_open(p, &own, &lanes[i]));
        own.weight = 5;
    }
    for (size_t i = 0; i < 6; ++i) EXPECT(push(lanes[0], 1) && push(lanes[1], 2));
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, NULL));
    EXPECT(o.emitted == 6);
    int left[3] = {0, 0, 0};
    weir_lane_close(lanes[0]);
    weir_lane_close(lanes[1]);
    o.left = left;
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    EXPECT(left[1] >= 4 && left[1] + left[2] == 6); /* of the light one one or two went */
    weir_limit_free(budget);
    weir_limit_free(limit);
}

static void controlled(void) {
    outcome o;
    weir_pacer* p = pacer_of(fast, &o);
    weir_lane* lane = lane_of(p);
    weir_next_poll next;
    weir_pacer_state s = WEIR_PACER_STATE_INIT;
    EXPECT(push(lane, 1));
    EXPECT_STATUS(WEIR_OK, weir_pacer_pause(p, WEIR_FOREVER));
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    EXPECT(next.what == WEIR_PAUSED && o.emitted == 0);
    EXPECT_STATUS(WEIR_OK, weir_pacer_look(p, &s));
    EXPECT(s.paused == 1 && s.waiting == 1);
    EXPECT_STATUS(WEIR_OK, weir_pacer_resume(p));
    poll_until(p, WEIR_IDLE);
    EXPECT(o.emitted == 1);
    EXPECT_STATUS(WEIR_OK, weir_pacer_throttled(p, 3600000000000));
    EXPECT(push(lane, 2));
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, &next));
    EXPECT(next.what == WEIR_DUE && next.in_ns > 0 && o.emitted == 1);
    EXPECT_STATUS(WEIR_OK, weir_pacer_resume(p));
    EXPECT_STATUS(WEIR_OK, weir_pacer_pause(p, 0)); /* over at once */
    poll_until(p, WEIR_IDLE);
    EXPECT(o.emitted == 2);
    EXPECT_STATUS(WEIR_OK, weir_pacer_set_rate(p, slow));
    EXPECT(push(lane, 3) && push(lane, 4));
    EXPECT(weir_pacer_set_rate(p, weir_per_second(0)) < WEIR_BAD_QUOTA);
    EXPECT_STATUS(WEIR_OK, weir_pacer_drain(p, 0));
    poll_until(p, WEIR_DONE);
    EXPECT(o.emitted + o.dropped[WEIR_DISCARDED] == 4);

    EXPECT_STATUS(WEIR_NEGATIVE, weir_pacer_pause(p, -1));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_pacer_throttled(p, -1));
    EXPECT_STATUS(WEIR_NEGATIVE, weir_pacer_drain(p, -1));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_pause(NULL, 1));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_throttled(NULL, 1));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_resume(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_set_rate(NULL, fast));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_drain(NULL, 1));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_discard(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_close(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_poll(NULL, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_look(NULL, &s));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_look(p, NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_start(NULL, NULL, NULL, 0));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_stop(NULL));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_join(NULL));
    weir_lane_close(lane);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
}

/* What is emitted and fails is gone, and pauses the pacer after ten in a row. */
static void failing(void) {
    outcome o;
    weir_pacer* p = pacer_of(fast, &o);
    weir_lane* lane = lane_of(p);
    o.fails = 1000;
    for (size_t i = 0; i < 20; ++i) EXPECT(push(lane, i));
    poll_until(p, WEIR_PAUSED);
    weir_pacer_state s = WEIR_PACER_STATE_INIT;
    EXPECT_STATUS(WEIR_OK, weir_pacer_look(p, &s));
    EXPECT(s.failures == 10 && o.emitted == 10 && s.paused == 1 && s.waiting == 10);
    weir_lane_close(lane);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    EXPECT(o.dropped[WEIR_ABANDONED] == 10);
}

static weir_status free_it(outcome* o) { return weir_pacer_free(o->pacer); }
static weir_status poll_it(outcome* o) { return weir_pacer_poll(o->pacer, NULL); }
static weir_status join_it(outcome* o) { return weir_pacer_join(o->pacer); }
static weir_status start_it(outcome* o) { return weir_pacer_start(o->pacer, NULL, NULL, 0); }
static weir_status pause_it(outcome* o) { return weir_pacer_pause(o->pacer, WEIR_FOREVER); }

/* A callback may control, and not free, poll, start or join. On a thread of the pacer, too. */
static void callbacks(bool has_thread) {
    weir_status (*const acts[])(outcome*) = {free_it, poll_it, join_it, start_it, pause_it};
    for (size_t i = 0; i < 5; ++i) {
        outcome o;
        weir_pacer* p = pacer_of(fast, &o);
        weir_lane* lane = lane_of(p);
        o.act = acts[i];
        o.in_emit = WEIR_FAILED;
        EXPECT(push(lane, 1));
        if (has_thread) {
            EXPECT_STATUS(WEIR_OK, weir_pacer_start(p, NULL, NULL, 0));
            weir_lane_close(lane);
            EXPECT_STATUS(WEIR_OK, weir_pacer_close(p));
            if (i != 4) {
                EXPECT_STATUS(WEIR_OK, weir_pacer_join(p));
            } else { /* it pauses, so that would not end */
                weir_pacer_state s = WEIR_PACER_STATE_INIT;
                do {
                    NEED(weir_pacer_look(p, &s));
                } while (s.waiting != 0);
                EXPECT_STATUS(WEIR_OK, weir_pacer_discard(p));
                EXPECT_STATUS(WEIR_OK, weir_pacer_join(p));
            }
        } else {
            poll_until(p, i == 4 ? WEIR_PAUSED : WEIR_IDLE);
            weir_lane_close(lane);
        }
        EXPECT(o.emitted == 1);
        EXPECT_STATUS(i == 4 ? WEIR_OK : WEIR_IN_CALLBACK, o.in_emit);
        o.act = NULL;
        EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
    }
}

static void* push_many(void* lane) {
    for (size_t i = 0; i < 1000; ++i) {
        while (!push(lane, i)) {
        }
    }
    weir_lane_close(lane);
    return NULL;
}

static void threaded(void) {
    outcome o;
    memset(&o, 0, sizeof o);
    weir_pacer_options with = WEIR_PACER_OPTIONS_INIT;
    with.catch_up_ns = 1000000000;
    NEED(weir_pacer_new(fast, &with, emit, drop, &o, &o.pacer));
    weir_pacer* p = o.pacer;
    char text[128];
    weir_thread_options t = WEIR_THREAD_OPTIONS_INIT;
    t.name = "c";
    t.how = WEIR_SLEEP;
    const weir_status s = weir_pacer_start(p, &t, text, sizeof text);
    EXPECT(s == WEIR_OK || s == WEIR_RUNS_WITHOUT);
    EXPECT(strncmp(text, "runs", 4) == 0);
    EXPECT_STATUS(WEIR_NOT_STARTED, weir_pacer_start(p, &t, text, 14));
    EXPECT(strcmp(text, "does not run:") == 0);
    EXPECT_STATUS(WEIR_MISUSED, weir_pacer_poll(p, NULL));

    pthread_t producers[3];
    for (int i = 0; i < 3; ++i)
        EXPECT(pthread_create(&producers[i], NULL, push_many, lane_of(p)) == 0);
    EXPECT_STATUS(WEIR_OK, weir_pacer_pause(p, WEIR_FOREVER)); /* from a third party */
    EXPECT_STATUS(WEIR_OK, weir_pacer_resume(p));
    for (int i = 0; i < 3; ++i) EXPECT(pthread_join(producers[i], NULL) == 0);
    EXPECT_STATUS(WEIR_OK, weir_pacer_drain(p, WEIR_FOREVER));
    EXPECT_STATUS(WEIR_OK, weir_pacer_join(p));
    EXPECT(o.emitted == 3000);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
}

static void stopped(void) {
    outcome o;
    weir_pacer* p = pacer_of(slow, &o);
    weir_lane* lane = lane_of(p);
    EXPECT_STATUS(WEIR_OK, weir_pacer_stop(p)); /* there is none */
    for (size_t i = 0; i < 3; ++i) EXPECT(push(lane, i));
    EXPECT_STATUS(WEIR_OK, weir_pacer_start(p, NULL, NULL, 0));
    EXPECT_STATUS(WEIR_OK, weir_pacer_stop(p));
    EXPECT(o.emitted <= 1);
    EXPECT_STATUS(WEIR_OK, weir_pacer_poll(p, NULL)); /* now we may */
    EXPECT_STATUS(WEIR_OK, weir_pacer_start(p, NULL, NULL, 0));
    EXPECT_STATUS(WEIR_OK, weir_pacer_set_rate(p, fast));
    EXPECT_STATUS(WEIR_OK, weir_pacer_close(p));
    EXPECT_STATUS(WEIR_OK, weir_pacer_discard(p));
    EXPECT_STATUS(WEIR_OK, weir_pacer_join(p));
    EXPECT(o.emitted + o.dropped[WEIR_DISCARDED] == 3);
    weir_lane_close(lane);

    weir_thread_options t = WEIR_THREAD_OPTIONS_INIT;
    char text[128];
    t.how = WEIR_SPIN;
    t.scheduling = WEIR_FIFO;
    EXPECT_STATUS(WEIR_NOT_STARTED, weir_pacer_start(p, &t, text, sizeof text));
    EXPECT(strstr(text, "spinning under a real-time class") != NULL);
    t.how = 3;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_pacer_start(p, &t, NULL, 0));
    t.how = WEIR_SPIN;
    t.scheduling = 3;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_pacer_start(p, &t, NULL, 0));
    t.scheduling = WEIR_AS_USUAL;
    t.core = -7;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_pacer_start(p, &t, NULL, 0));
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(p));
}

static void refused(void) {
    weir_pacer* p = NULL;
    weir_pacer_options with = WEIR_PACER_OPTIONS_INIT;
    EXPECT_STATUS(WEIR_NULL, weir_pacer_new(fast, NULL, NULL, drop, NULL, &p));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_new(fast, NULL, emit, NULL, NULL, &p));
    EXPECT_STATUS(WEIR_NULL, weir_pacer_new(fast, NULL, emit, drop, NULL, NULL));
    EXPECT(weir_pacer_new(weir_per_second(0), NULL, emit, drop, NULL, &p) < WEIR_BAD_QUOTA);
    EXPECT(weir_pacer_new(weir_per(INT64_MAX, 1), NULL, emit, drop, NULL, &p) < WEIR_BAD_QUOTA);
    with.catch_up_ns = -1;
    EXPECT_STATUS(WEIR_NEGATIVE, weir_pacer_new(fast, &with, emit, drop, NULL, &p));
    with = (weir_pacer_options)WEIR_PACER_OPTIONS_INIT;
    with.capacity = 0;
    EXPECT_STATUS(WEIR_NOT_THIS_MANY, weir_pacer_new(fast, &with, emit, drop, NULL, &p));
    EXPECT(p == NULL);
}

int main(void) {
    polled();
    pushes();
    priorities_and_lanes();
    over_a_limit();
    shared_budget();
    controlled();
    failing();
    callbacks(false);
    callbacks(true);
    threaded();
    stopped();
    refused();
    return failures != 0;
}
