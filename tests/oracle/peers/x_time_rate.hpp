// SPDX-License-Identifier: MIT
// x/time/rate (Go): a token bucket with reservations. Its tests have a tick of 100 ms, which is a
// token at ten a second.
#pragma once

inline constexpr const char* x_time_rate_stories = R"(
case: a burst of one
quota: 10/s, burst 1
0      take 1   yes
0      take 1   no 100ms
0      take 1   no 100ms
100ms  take 1   yes
100ms  take 1   no
100ms  take 1   no
200ms  take 2   never
200ms  take 1   yes
200ms  take 1   no

case: a burst of three
quota: 10/s, burst 3
0      take 2   yes
0      take 2   no 100ms
0      take 1   yes
0      take 1   no
100ms  take 4   never
200ms  take 1   yes
300ms  take 1   yes
400ms  take 1   yes
400ms  take 1   yes
400ms  take 1   no
400ms  take 1   no
900ms  take 3   yes
900ms  take 0   yes

case: time goes back
quota: 10/s, burst 3
100ms  take 1   yes
0      take 1   yes
# Seen from 0, the token of 100 ms is still to come; weir's limit does not go back.
0      take 1   no 100ms   ; x/time/rate: yes, and counts the time from 0 to 100 ms a second time
0      take 1   no
100ms  take 1   yes
100ms  take 1   no
100ms  take 1   no
200ms  take 1   yes
200ms  take 1   no
200ms  take 1   no

case: a rate that is no whole number
# 0.7692307692307693 a second, which is 10 in 13 seconds
quota: 10/13s, burst 1
0      take 1   yes
0      take 1   no 1.3s
1299999999ns take 1 no 1ns
1.3s   take 1   yes

case: reservations
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 200ms
300ms  reserve 2 as c   at 400ms

case: reservations among attempts
quota: 10/s, burst 2
0      reserve 3 as a   never
0      reserve 2 as b   at 0
100ms  take 2           no 100ms
100ms  reserve 2 as c   at 200ms
100ms  take 1           no 200ms
300ms  take 1           yes

case: what was never granted gives nothing back
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 3 as b   never
0      cancel b         0
0      reserve 2 as c   at 200ms

case: the last reservation is given back
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 200ms
100ms  cancel b         2
100ms  reserve 2 as c   at 200ms

case: given back after it has started
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 200ms
# Whoever cancels says that the units were not used. What has drained is gone: one of two.
300ms  cancel b         1          ; x/time/rate: 0, since a reservation that has started is taken to be used
300ms  reserve 2 as c   at 300ms   ; x/time/rate: at 400ms, for the same reason

case: too late to give back
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 200ms
400ms  cancel b         0
400ms  reserve 2 as c   at 400ms
400ms  take 1           no 100ms

case: others have been promised what comes after it
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 1 as b   at 100ms
0      reserve 1 as c   at 200ms
0      cancel b         0
0      reserve 1 as d   at 300ms

case: a part of it has been promised to others
quota: 10/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 200ms
0      reserve 1 as c   at 300ms
200ms  cancel b         0      ; x/time/rate: 1, though who reserved after it keeps a start that had counted on it
200ms  reserve 2 as d   at 500ms

case: a longest wait
quota: 10/s, burst 2
0      reserve 2 as a within 100ms   at 0
0      reserve 1 as b within 100ms   at 100ms
0      reserve 1 as c within 100ms   no 200ms

case: another rate while a reservation waits
rule: adjustable
quota: 5/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 400ms
200ms  quota 10/s, burst 2
200ms  reserve 1 as c   at 400ms

case: another burst while a reservation waits
rule: adjustable
quota: 5/s, burst 2
0      reserve 2 as a   at 0
0      reserve 2 as b   at 400ms
300ms  quota 5/s, burst 4
300ms  reserve 4 as c   at 1200ms
)";
