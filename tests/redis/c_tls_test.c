// SPDX-License-Identifier: MIT
/* c_tls_test <port of a Redis by TLS> <folder of certificates>: weir_redis_tls.h from C. The Redis
 * wants a certificate of its clients. */
#include <weir/weir_redis_tls.h>

#include "c_redis.h"

static int32_t port;
static const char* folder;

/* So that one call can name four. */
static const char* file(const char* name) {
    static char names[4][300];
    static unsigned next;
    char* const its = names[next++ % 4];
    snprintf(its, sizeof names[0], "%s%s", folder, name);
    return its;
}

static weir_redis_tls_options papers(const char* authorities, const char* certificate,
                                     const char* key) {
    weir_redis_tls_options options = WEIR_REDIS_TLS_OPTIONS_INIT;
    options.authorities = authorities;
    options.certificate = certificate;
    options.key = key;
    return options;
}
static weir_redis_options by(const weir_redis_security* security) {
    weir_redis_options options = patient(NULL);
    options.port = port;
    options.security = security;
    return options;
}

/* What comes of a connection. Nobody needs `security` when it has been made. */
static weir_status connects(weir_redis_tls_options tls) {
    weir_redis_security* security = NULL;
    weir_redis* redis = NULL;
    NEED(weir_redis_tls_new(&tls, &security));
    const weir_redis_options options = by(security);
    NEED(weir_redis_new(&options, &redis));
    weir_redis_tls_free(security);
    const weir_status s = weir_redis_connect(redis);
    weir_redis_free(redis);
    return s;
}

static void lets_in_whom_it_should(void) {
    weir_redis_tls_options good = papers(file("ca.crt"), file("client.crt"), file("client.key"));
    EXPECT_STATUS(WEIR_OK, connects(good));
    good.server_name = "redis.test";
    EXPECT_STATUS(WEIR_OK, connects(good));
    good.server_name = "other.test";
    EXPECT_STATUS(WEIR_TLS_ANOTHER_HOST, connects(good));
    EXPECT_STATUS(WEIR_TLS_CERTIFICATE_WANTED, connects(papers(file("ca.crt"), NULL, NULL)));
    EXPECT_STATUS(WEIR_TLS_CERTIFICATE_WANTED,
                  connects(papers(file("ca.crt"), file("stranger.crt"), file("stranger.key"))));
    EXPECT_STATUS(WEIR_TLS_NOT_TRUSTED,
                  connects(papers(file("other_ca.crt"), file("client.crt"), file("client.key"))));
    EXPECT_STATUS(WEIR_TLS_NOT_TRUSTED,
                  connects(papers(NULL, file("client.crt"), file("client.key"))));
}

static void leases(void) {
    const weir_redis_tls_options tls =
        papers(file("ca.crt"), file("client.crt"), file("client.key"));
    weir_redis_security* security = NULL;
    weir_limit* limit = NULL;
    NEED(weir_redis_tls_new(&tls, &security));
    const weir_redis_options options = by(security);
    weir_fleet_options o = WEIR_FLEET_OPTIONS_INIT;
    o.processes = 4;
    NEED(weir_fleet_new(&options, "leased", weir_per_hour(1000), &o, &limit));
    weir_redis_tls_free(security);
    EXPECT(weir_acquire(limit, 100, WEIR_FOREVER, NULL));
    weir_limit_free(limit);
}

static void refuses(void) {
    weir_redis_security* security = NULL;
    weir_redis_tls_options tls = papers(file("nobody"), NULL, NULL);
    EXPECT_STATUS(WEIR_NULL, weir_redis_tls_new(&tls, NULL));
    EXPECT_STATUS(WEIR_TLS_AUTHORITIES_NOT_READ, weir_redis_tls_new(&tls, &security));
    tls = papers(file("ca.crt"), file("nobody"), file("client.key"));
    EXPECT_STATUS(WEIR_TLS_CERTIFICATE_NOT_READ, weir_redis_tls_new(&tls, &security));
    tls = papers(file("ca.crt"), file("client.crt"), file("stranger.key"));
    EXPECT_STATUS(WEIR_TLS_KEY_NOT_READ, weir_redis_tls_new(&tls, &security));
    tls = papers(file("ca.crt"), file("client.crt"), NULL);
    EXPECT_STATUS(WEIR_TLS_KEY_NOT_READ, weir_redis_tls_new(&tls, &security));
    EXPECT_GROWTH(weir_redis_tls_options, WEIR_REDIS_TLS_OPTIONS_INIT,
                  weir_redis_tls_new(&given, &security));
    /* Who does not look at that makes no connection. */
    const weir_redis_options without = by(security);
    weir_fleet_options o = WEIR_FLEET_OPTIONS_INIT;
    weir_redis* redis = NULL;
    weir_limit* limit = NULL;
    o.processes = 4;
    EXPECT_STATUS(WEIR_NO_VALUE, weir_redis_new(&without, &redis));
    EXPECT_STATUS(WEIR_NO_VALUE, weir_fleet_new(&without, "x", weir_per_second(100), &o, &limit));
    EXPECT(redis == NULL && limit == NULL);
    weir_redis_tls_free(security);
    NEED(weir_redis_tls_new(NULL, &security)); /* whom the system trusts */
    weir_redis_tls_free(security);
    weir_redis_tls_free(NULL);
}

int main(int count, char** arguments) {
    if (count != 3) return 2;
    port = atoi(arguments[1]);
    folder = arguments[2];
    lets_in_whom_it_should();
    leases();
    refuses();
    return failures != 0;
}
