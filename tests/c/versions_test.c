// SPDX-License-Identifier: MIT
/* Versions and sizes: a program that is too new or too old is refused with a sentence, wherever it
 * comes in. */

#include "expect.h"

static const char* const too_new =
    "the program was compiled for a newer libweir: its struct or version is unknown here";
static const char* const too_old =
    "the program was compiled for an older libweir, or a struct was not begun with its _INIT";

static void versions(void) {
    EXPECT(strcmp(weir_version(), EXPECTED_VERSION) == 0);
    EXPECT(weir_abi() == WEIR_ABI);
    EXPECT_STATUS(WEIR_OK, weir_serves(WEIR_ABI));
    EXPECT_STATUS(WEIR_TOO_NEW, weir_serves(WEIR_ABI + 1));
    EXPECT_STATUS(WEIR_TOO_OLD, weir_serves(0));
    EXPECT(strcmp(weir_text(WEIR_TOO_NEW), too_new) == 0);
    EXPECT(strcmp(weir_text(WEIR_TOO_OLD), too_old) == 0);
}

static void sizes(void) {
#define EXPECT_SIZE(name) EXPECT(weir_size_of(#name) == sizeof(weir_##name))
    EXPECT_SIZE(quota);
    EXPECT_SIZE(options);
    EXPECT_SIZE(answer);
    EXPECT_SIZE(permit);
    EXPECT_SIZE(state);
    EXPECT_SIZE(snapshot);
    EXPECT_SIZE(view);
    EXPECT_SIZE(call);
    EXPECT_SIZE(keyed_options);
    EXPECT_SIZE(keyed_state);
    EXPECT_SIZE(pacer_options);
    EXPECT_SIZE(lane_options);
    EXPECT_SIZE(next_poll);
    EXPECT_SIZE(thread_options);
    EXPECT_SIZE(pacer_state);
    EXPECT(weir_size_of("nothing") == 0);
    EXPECT(weir_size_of(NULL) == 0);
}

static bool emit(void* context, void* item) {
    (void)context;
    (void)item;
    return true;
}
static void drop(void* context, void* item, int32_t reason) {
    (void)context;
    (void)item;
    (void)reason;
}

static void structs(void) {
    weir_limit* limit = three_an_hour();
    weir_limit* made = NULL;
    weir_array* array = NULL;
    weir_keyed* table = NULL;
    weir_pacer* pacer = NULL;
    weir_lane* lane = NULL;
    const weir_quota q = weir_per_hour(3);
    EXPECT_GROWTH(weir_options, WEIR_OPTIONS_INIT, weir_limit_new(q, &given, &made));
    EXPECT_GROWTH(weir_options, WEIR_OPTIONS_INIT, weir_adjustable_new(q, &given, &made));
    EXPECT_GROWTH(weir_options, WEIR_OPTIONS_INIT, weir_array_new(8, q, &given, &array));
    EXPECT_GROWTH(weir_keyed_options, WEIR_KEYED_OPTIONS_INIT,
                  weir_keyed_new(8, q, &given, &table));
    EXPECT_GROWTH(weir_pacer_options, WEIR_PACER_OPTIONS_INIT,
                  weir_pacer_new(q, &given, emit, drop, NULL, &pacer));
    EXPECT_GROWTH(weir_pacer_options, WEIR_PACER_OPTIONS_INIT,
                  weir_pacer_on(limit, &given, emit, drop, NULL, &pacer));
    EXPECT(made == NULL && array == NULL && table == NULL && pacer == NULL);

    EXPECT_GROWTH(weir_state, WEIR_STATE_INIT, weir_look(limit, &given));
    NEED(weir_keyed_new(8, q, NULL, &table));
    EXPECT_GROWTH(weir_keyed_state, WEIR_KEYED_STATE_INIT, weir_keyed_look(table, &given));
    NEED(weir_pacer_new(q, NULL, emit, drop, NULL, &pacer));
    EXPECT_GROWTH(weir_lane_options, WEIR_LANE_OPTIONS_INIT, weir_lane_open(pacer, &given, &lane));
    EXPECT(lane == NULL);
    EXPECT_GROWTH(weir_thread_options, WEIR_THREAD_OPTIONS_INIT,
                  weir_pacer_start(pacer, &given, NULL, 0));
    EXPECT_GROWTH(weir_pacer_state, WEIR_PACER_STATE_INIT, weir_pacer_look(pacer, &given));
    weir_keyed_free(table);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(pacer));
    weir_limit_free(limit);
}

/* Each status has a sentence of its own. */
static void texts(void) {
    const char* const unknown = weir_text(12345);
    EXPECT(strcmp(unknown, "unknown status") == 0);
    const char* seen[256];
    int count = 0;
    for (weir_status s = WEIR_RUNS_WITHOUT; s >= WEIR_BAD_QUOTA - 30; --s) {
        const char* const text = weir_text(s);
        EXPECT(text != NULL && *text != 0);
        if (strcmp(text, unknown) == 0) continue;
        for (int i = 0; i < count; ++i) EXPECT(strcmp(text, seen[i]) != 0);
        seen[count++] = text;
    }
    EXPECT(count == 9 + 18 + 1 + 24);
}

int main(void) {
    versions();
    sizes();
    structs();
    texts();
    return failures != 0;
}
