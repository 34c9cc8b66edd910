// SPDX-License-Identifier: MIT
#include <stdio.h>

#include <weir/weir_redis.h>

/* There is no Redis here, and that is what the answers say. */
int main(void) {
    weir_redis_options to = WEIR_REDIS_OPTIONS_INIT;
    weir_fleet_options options = WEIR_FLEET_OPTIONS_INIT;
    weir_fleet_state state = WEIR_FLEET_STATE_INIT;
    weir_limit* api = NULL;
    to.socket = "/nowhere/redis.socket";
    options.processes = 4;
    options.when_away = WEIR_AWAY_OPEN;
    weir_status s = weir_fleet_new(&to, "requests", weir_per_second(100), &options, &api);
    puts(weir_text(s));
    const bool admitted = weir_try_acquire(api, 1, NULL);
    if (s == WEIR_OK) s = weir_fleet_look(api, &state);
    weir_limit_free(api);
    return admitted && s == WEIR_OK && state.error == WEIR_REDIS_DOWN ? 0 : 1;
}
