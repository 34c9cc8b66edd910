// SPDX-License-Identifier: MIT
/* Memory that is missing is a status, wherever it is missing, and leaves nothing behind. */

#include <stdint.h>
#include <sys/resource.h>

#include "expect.h"

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

int main(void) {
    const struct rlimit half_a_gigabyte = {512U << 20U, 512U << 20U};
    if (setrlimit(RLIMIT_AS, &half_a_gigabyte) != 0) return 1;
    const size_t many = 100000000;

    weir_array* array = NULL;
    EXPECT_STATUS(WEIR_NO_MEMORY, weir_array_new(many, weir_per_hour(3), NULL, &array));
    weir_keyed* table = NULL;
    EXPECT_STATUS(WEIR_NO_MEMORY, weir_keyed_new(many, weir_per_hour(3), NULL, &table));
    weir_limit* limit = NULL;
    weir_options o = WEIR_OPTIONS_INIT;
    o.cell = "sliding_log";
    EXPECT_STATUS(WEIR_NO_MEMORY, weir_limit_new(weir_per_hour((int64_t)many), &o, &limit));
    weir_pacer* pacer = NULL;
    weir_pacer_options lanes = WEIR_PACER_OPTIONS_INIT;
    lanes.capacity = 1U << 20U; /* it is Boost that has no memory then, and throws */
    EXPECT_STATUS(WEIR_NO_MEMORY,
                  weir_pacer_new(weir_per_hour(3), &lanes, emit, drop, NULL, &pacer));
    EXPECT(array == NULL && table == NULL && limit == NULL && pacer == NULL);

    /* Smaller ones are made. */
    NEED(weir_array_new(many / 1000, weir_per_hour(3), NULL, &array));
    NEED(weir_keyed_new(many / 1000, weir_per_hour(3), NULL, &table));
    NEED(weir_limit_new(weir_per_hour(3), &o, &limit));
    NEED(weir_pacer_new(weir_per_hour(3), NULL, emit, drop, NULL, &pacer));
    weir_array_free(array);
    weir_keyed_free(table);
    weir_limit_free(limit);
    EXPECT_STATUS(WEIR_OK, weir_pacer_free(pacer));
    return failures != 0;
}
