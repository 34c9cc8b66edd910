// SPDX-License-Identifier: MIT
#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

// There is no Redis here, and that is what the answer says.
int main() {
    weir::redis_options to;
    to.socket = "/nowhere/redis.socket";
    weir::redis_connection redis(to);
    weir::remote_limiter limit(redis, "requests", weir::per_second(100));
    return limit.try_acquire("somebody").error() == weir::redis_error::down ? 0 : 1;
}
