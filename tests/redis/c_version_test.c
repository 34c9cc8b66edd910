// SPDX-License-Identifier: MIT
/* c_version_test: with a libweir of another version nothing is made. The program's own function is
 * taken for that of libweir. */
#include "c_redis.h"

const char* weir_version(void) { return "0.0.1"; }

int main(void) {
    weir_fleet_options options = WEIR_FLEET_OPTIONS_INIT;
    weir_fleet_state state = WEIR_FLEET_STATE_INIT;
    weir_limit* limit = NULL;
    options.processes = 4;
    EXPECT_STATUS(WEIR_NOT_OF_ONE_VERSION,
                  weir_fleet_new(NULL, "x", weir_per_second(100), &options, &limit));
    EXPECT(limit == NULL);
    limit = three_an_hour();
    EXPECT_STATUS(WEIR_NOT_OF_ONE_VERSION, weir_fleet_look(limit, &state));
    weir_limit_free(limit);
    return failures != 0;
}
