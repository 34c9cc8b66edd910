// SPDX-License-Identifier: MIT
#include <stdio.h>

#include <weir/weir_redis_tls.h>

/* There is no Redis here, and that is what the connection says. */
int main(void) {
    weir_redis_options to = WEIR_REDIS_OPTIONS_INIT;
    weir_redis_security* security = NULL;
    weir_redis* redis = NULL;
    weir_status s = weir_redis_tls_new(NULL, &security);
    puts(weir_text(s));
    to.socket = "/nowhere/redis.socket";
    to.security = security;
    if (s == WEIR_OK) s = weir_redis_new(&to, &redis);
    weir_redis_tls_free(security);
    const weir_status connected = weir_redis_connect(redis);
    weir_redis_free(redis);
    return s == WEIR_OK && connected == WEIR_REDIS_DOWN ? 0 : 1;
}
