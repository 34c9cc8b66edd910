// SPDX-License-Identifier: MIT
// juju/ratelimit (Go): a token bucket whose `Take` always takes and says how long to wait.
#pragma once

inline constexpr const char* juju_stories = R"(
case: one after the other
quota: 1/250ms, burst 10
0      reserve 0 as a    at 0
0      reserve 10 as b   at 0
0      reserve 1 as c    at 250ms
250ms  reserve 1 as d    at 500ms

case: at the same time
quota: 1/250ms, burst 10
0      reserve 10 as a   at 0
0      reserve 2 as b    at 500ms
0      reserve 2 as c    at 1s
0      reserve 1 as d    at 1250ms

case: more than the bucket holds
quota: 1/1ms, burst 10
0      reserve 10 as a   at 0
20ms   reserve 15 as b   never   ; juju: at 25ms, and nobody hears that 15 units never fit into ten

case: time that is no whole interval
quota: 1/10ms, burst 10
0      reserve 10 as a   at 0
7ms    reserve 1 as b    at 10ms
8ms    reserve 1 as c    at 20ms

case: within what it holds
quota: 1/10ms, burst 5
0      reserve 5 as a    at 0
60ms   reserve 5 as b    at 60ms
60ms   reserve 1 as c    at 70ms
80ms   reserve 2 as d    at 90ms

case: what there is, one after the other
quota: 1/250ms, burst 10
0      up_to 0    0
0      up_to 10   10
0      up_to 1    0
250ms  up_to 1    1

case: what there is, at the same time
quota: 1/250ms, burst 10
0      up_to 5    5
0      up_to 2    2
0      up_to 5    3
0      up_to 1    0

case: what there is, of more than it holds
quota: 1/1ms, burst 10
0      up_to 10   10
20ms   up_to 15   10

case: what there is, within what it holds
quota: 1/10ms, burst 5
0      up_to 5    5
60ms   up_to 5    5
70ms   up_to 1    1

case: a token comes after an interval
quota: 1/1s, burst 5
0      up_to 5    5
0      peek 0     yes left 0
1s     peek 0     yes left 1

case: a token is added to those that are there
quota: 1/1s, burst 2
0      up_to 1    1
0      peek 0     yes left 1
1s     peek 0     yes left 2

case: no token comes before its interval is over
quota: 1/2s, burst 2
0      up_to 1    1
1s     peek 0     yes left 1
3s     peek 0     yes left 2

case: no more than it holds, however long it waits
rule: token_bucket
quota: 20/1s, burst 100
0      peek 0     yes left 100
5s     peek 0     yes left 100
5s     up_to 100  100
5s     peek 0     yes left 0
# It refills a quantum at each interval's end.
5999ms peek 0     yes left 0
6s     peek 0     yes left 20
)";
