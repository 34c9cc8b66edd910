// SPDX-License-Identifier: MIT
/* Three logins at once, and three messages through a pacer on a thread of its own:
 *
 *     cc limits.c $(pkg-config --cflags --libs weir-c) && ./a.out
 */
#include <stdio.h>

#include <weir/weir.h>

static bool well(weir_status status, const char* what) {
    if (status < WEIR_OK) fprintf(stderr, "%s: %s\n", what, weir_text(status));
    return status >= WEIR_OK;
}

static bool send_message(void* sent, void* message) {
    printf("sends %s\n", (const char*)message);
    ++*(int*)sent;
    return true;
}
static void drop_message(void* sent, void* message, int32_t reason) {
    (void)sent;
    printf("drops %s for reason %d\n", (const char*)message, (int)reason);
}

static bool try_logins(void) {
    weir_limit* logins = NULL;
    const weir_quota six = weir_with_burst(weir_per_minute(6), 3);
    if (!well(weir_limit_new(six, NULL, &logins), "logins")) return false;
    for (int i = 1; i <= 4; ++i) {
        weir_answer answer;
        if (weir_try_acquire(logins, 1, &answer))
            printf("%d: %lld remaining\n", i, (long long)answer.remaining);
        else
            printf("%d: wait %.0f s\n", i, (double)answer.retry_after_ns / 1e9);
    }
    weir_limit_free(logins);
    return true;
}

static bool send_messages(void) {
    int sent = 0;
    weir_pacer* messages = NULL;
    weir_lane* lane = NULL;
    const weir_quota rate = weir_per_second(1000);
    if (!well(weir_pacer_new(rate, NULL, send_message, drop_message, &sent, &messages), "pacer"))
        return false;
    if (!well(weir_pacer_start(messages, NULL, NULL, 0), "its thread")) return false;
    if (!well(weir_lane_open(messages, NULL, &lane), "lane")) return false;
    static char* const texts[] = {"one", "two", "three"};
    for (int i = 0; i < 3; ++i) {
        weir_status why;
        if (!weir_push(lane, texts[i], 1, WEIR_FOREVER, &why)) puts(weir_text(why));
    }
    weir_lane_close(lane);
    return well(weir_pacer_close(messages), "close") && /* what is in it still goes */
           well(weir_pacer_join(messages), "join") && well(weir_pacer_free(messages), "free") &&
           sent == 3;
}

int main(void) { return try_logins() && send_messages() ? 0 : 1; }
