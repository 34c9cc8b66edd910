// SPDX-License-Identifier: MIT
// Bucket4j (Java): a bucket with one or several bandwidths, refilled greedily or by intervals.
// Their tests count nanoseconds where these count microseconds.
#pragma once

inline constexpr const char* bucket4j_stories = R"(
case: the rest of a division is kept
quota: 10/100us
start: 0
0      peek 0   yes left 0
97us   take 9   yes
97us   take 1   no
100us  take 1   yes
100us  take 1   no

case: a part of a token shortens the wait
quota: 1/s, burst 4
start: 1
0      up_to 4  1
200ms  peek 1   no 800ms
200ms  take 1   no 800ms
200ms  peek 3   no 2.8s
200ms  take 3   no 2.8s

case: how long until so many are there
quota: 10/100us
start: 4
0      take 7   no 30us
0      take 11  never    ; Bucket4j: no 70us, of a request that can never pass

case: two bandwidths, of which the slower one decides
quota: 10/100us
quota: 5/10us
start: 1
0      take 3   no 20us left 1

case: two bandwidths hold no more than the smaller one
quota: 10/100us
quota: 2/100us
0      peek 0   yes left 2

case: until it is full
quota: 10/100us
start: 4
0      peek 0   yes left 4 new 60us

case: refilled by intervals
rule: token_bucket
quota: 9/10us
start: 0
0      peek 0   yes left 0
4us    peek 0   yes left 0
10us   peek 0   yes left 9
11us   peek 0   yes left 9

case: the wait for an interval
rule: token_bucket
quota: 10/min
start: 0
0      take 1   no 60s left 0
0      take 10  no 60s left 0
15s    take 1   no 45s left 0
15s    take 15  never left 0

case: two bandwidths refilled by intervals
rule: token_bucket
quota: 5/6us, burst 9
quota: 4/5us, burst 12
start: 0
0      peek 0   yes left 0
4us    peek 0   yes left 0
5us    peek 0   yes left 0
6us    peek 0   yes left 4
10us   peek 0   yes left 5
12us   peek 0   yes left 8
15us   peek 0   yes left 9
)";
