// SPDX-License-Identifier: MIT
// libweir_redis_tls: a connection to a Redis by TLS, for C (include/weir/weir_redis_tls.h). Apart
// from libweir_redis, so that who does without TLS needs no OpenSSL.

#include <utility>

#include <weir/adapter/redis_tls.hpp>
#include <weir/weir_redis_tls.h>

#include "border.hpp"
#include "redis_border.hpp"
#include "redis_status.hpp"

using namespace weir::c;  // NOLINT(google-build-using-namespace): the border's own

namespace {

// What a call gives that fails: nobody makes a connection with it. NULL would be one without TLS.
constinit weir_redis_security refused(WEIR_VERSION);

}  // namespace

weir_status weir_redis_tls_new(const weir_redis_tls_options* options,
                               weir_redis_security** security) {
    if (security == nullptr) return WEIR_NULL;
    *security = &refused;
    weir_redis_tls_options o = WEIR_REDIS_TLS_OPTIONS_INIT;
    if (const weir_status s = read(options, o); s != WEIR_OK) return s;
    return guarded([&] {
        auto made = weir::redis_tls::make({.authorities = text_of(o.authorities),
                                           .certificate = text_of(o.certificate),
                                           .key = text_of(o.key),
                                           .server_name = text_of(o.server_name)});
        if (!made) return redis_number_of(made.error());
        return make<weir_redis_security>(security, WEIR_VERSION, std::move(*made));
    });
}

void weir_redis_tls_free(weir_redis_security* security) {
    if (security != &refused) delete security;
}
