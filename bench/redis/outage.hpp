// SPDX-License-Identifier: MIT
// How long the slowest decisions of leased limits take while Redis is away.
#pragma once

namespace bench {

// With a Redis of its own, started from that program. Takes half a minute. 1, and a sentence, if
// there is no such program.
int print_tails(const char* redis_server);

}  // namespace bench
