// SPDX-License-Identifier: MIT
// takes <socket> <key>: takes units of a limit in Redis until there are none left, and says how
// many.
#include <cstdio>

#include <weir/adapter/redis.hpp>

int main(int count, char** arguments) {
    if (count != 3) return 2;
    weir::redis_options to;
    to.socket = arguments[1];
    to.answer_within = weir::seconds(600);
    weir::redis_connection redis(to);
    weir::remote_limiter limit(redis, "shared", weir::per_hour(50));
    int taken = 0;
    for (;;) {
        const auto d = limit.try_acquire(arguments[2]);
        if (d.failed()) {
            std::puts(to_text(d).c_str());
            return 1;
        }
        if (!d) break;
        ++taken;
    }
    std::printf("%d\n", taken);
}
