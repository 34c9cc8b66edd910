// SPDX-License-Identifier: MIT
/* A connection to a Redis by TLS, in C: in libweir_redis_tls, which needs libweir_redis of the same
 * version, and OpenSSL. Its guide is adapter/fleet.md#by-tls.
 *
 * TLS is 1.2 or newer. The certificate of Redis must be signed by whom the client trusts, valid
 * now, and for the host: nothing turns that off.
 */
#ifndef WEIR_WEIR_REDIS_TLS_H
#define WEIR_WEIR_REDIS_TLS_H

#include <weir/weir_redis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Paths are of files in the PEM format. */
typedef struct weir_redis_tls_options {
    uint32_t size;
    uint32_t abi;
    const char* authorities; /* whom to trust; NULL: whom the system trusts */
    const char* certificate; /* of this client, and those above it; NULL: none */
    const char* key;         /* of that certificate, without a password */
    const char* server_name; /* for which the certificate must be; NULL: the option `host` */
} weir_redis_tls_options;
#define WEIR_REDIS_TLS_OPTIONS_INIT                                                                \
    { sizeof(weir_redis_tls_options), WEIR_ABI, NULL, NULL, NULL, NULL }

/* Reads the files once, for the option `security` of weir_redis_options. Several connections, of
 * several threads, may share it. What it gives when it fails makes every connection fail: no
 * mistake leads to one without TLS. NULL in place of options: all as in
 * WEIR_REDIS_TLS_OPTIONS_INIT. */
WEIR_API weir_status weir_redis_tls_new(const weir_redis_tls_options* options,
                                        weir_redis_security** security);
/* What was made with it goes on. NULL is nothing. */
WEIR_API void weir_redis_tls_free(weir_redis_security* security);

#ifdef __cplusplus
}
#endif

#endif
