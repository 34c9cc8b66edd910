// SPDX-License-Identifier: MIT
#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_tls.hpp>
#include <weir/weir.hpp>

// There is no such file here, and that is what the answer says.
int main() {
    const auto tls = weir::redis_tls::make({.authorities = "/nowhere/ca.crt"});
    return tls.error() == weir::redis_error::authorities_not_read ? 0 : 1;
}
