// SPDX-License-Identifier: MIT
// governor (Rust): GCRA in nanoseconds.
#pragma once

inline constexpr const char* governor_stories = R"(
case: the first one passes
quota: 5/s
0       take 1   yes

case: looking takes nothing
quota: 3/s
0       peek 3   yes
0       peek 3   yes
0       take 3   yes

case: too many
quota: 2/s
0       take 1   yes
1ms     take 1   yes
2ms     take 1   no 498ms
1002ms  take 1   yes
1003ms  take 1   yes
1004ms  take 1   no

case: too many at once
quota: 4/s
0       take 2   yes
0       take 2   yes
1ms     take 2   no
1001ms  take 2   yes
1002ms  take 2   yes
1003ms  take 2   no

case: a long pause brings no more than the burst
quota: 5/s
0       take 5   yes
0       take 1   no
2s      take 5   yes
2s      take 1   no

case: more than the capacity
quota: 5/s
0       take 15  never
0       take 7   never
0       take 6   never
3s      take 15  never
3s      take 5   yes

case: taken ahead of time
quota: 2/s
0       peek 2   yes
0       charge 2 yes
0       peek 2   no
0       charge 2 yes
0       peek 2   no 2s
1s      peek 2   no
2s      peek 2   yes

case: one taken ahead of time
quota: 1/s
0       charge 1 yes
0       peek 1   no
0       charge 1 yes
1s      peek 1   no
2s      peek 1   yes

case: whoever waits as long as it says passes
quota: 5/s
0       take 5   yes
1ms     take 1   no 199ms
200ms   take 1   yes
201ms   take 1   no 199ms
400ms   take 1   yes

case: the last of a burst comes back after its interval
quota: 20/s
0       take 20  yes
2ms     take 1   no 48ms
1000ms  take 1   yes
)";
