// SPDX-License-Identifier: MIT
// throttled (Go): one GCRA for each key. Its table of a limit of five, and what its guide says.
#pragma once

inline constexpr const char* throttled_stories = R"(
case: the table of a limit of five
quota: 1/s, burst 5
# More than the burst never passes.
0      take 6   never left 5 new 0
0      take 1   yes left 4 new 1s
0      take 1   yes left 3 new 2s
0      take 1   yes left 2 new 3s
0      take 1   yes left 1 new 4s
0      take 1   yes left 0 new 5s
0      take 1   no 1s left 0 new 5s
3s     take 1   yes left 2 new 3s
3.1s   take 1   yes left 1 new 3.9s
4s     take 1   yes left 1 new 4s
8s     take 1   yes left 4 new 1s
9.5s   take 1   yes left 4 new 1s
# No units: it only looks.
9.5s   take 0   yes left 4 new 1s
# Several units at once.
9.5s   take 2   yes left 2 new 3s
9.5s   take 5   no 3s left 2 new 3s
# It forgets a key that is as good as new, and still knows what can never pass.
15s    take 6   never left 5 new 0

case: no burst
quota: 3/10ms, burst 1
0      take 1   yes
0      take 1   no
3.3ms  take 1   no
3.4ms  take 1   yes
)";
