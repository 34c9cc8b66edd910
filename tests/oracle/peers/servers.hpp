// SPDX-License-Identifier: MIT
// What the manuals of Envoy and nginx say of their limits.
#pragma once

// The filter "local rate limit": a bucket of max_tokens, full at first, to which tokens_per_fill
// are added at the end of each fill_interval. A request takes one.
inline constexpr const char* envoy_stories = R"(
case: tokens come at the end of an interval
rule: token_bucket
quota: 2/s, burst 4
0      take 4   yes
0      take 1   no 1s
999ms  take 1   no 1ms
1s     take 2   yes
1s     take 1   no 1s

case: a bucket that is full loses what comes
rule: token_bucket
quota: 2/s, burst 4
0      take 1   yes
10s    take 4   yes
10s    take 1   no
)";

// The module "limit_req": a leaky bucket that counts what is too early. With `burst=5 nodelay`
// five more than the one that is due may pass at once; without `burst`, none.
inline constexpr const char* nginx_stories = R"(
case: 10r/s without a burst
quota: 10/s, burst 1
0      take 1   yes
99ms   take 1   no 1ms
100ms  take 1   yes

case: 1r/s burst=5 nodelay
quota: 1/s, burst 6
0      take 6   yes
0      take 1   no 1s
1s     take 1   yes
1s     take 1   no
6s     take 5   yes
6s     take 1   no

# 30 a minute is one in two seconds, and not thirty within the first second.
case: 30r/m
quota: 30/min, burst 1
0      take 1   yes
1999ms take 1   no 1ms
2s     take 1   yes

# `burst=5` without nodelay makes the others wait for their turn.
case: 1r/s burst=5, which delays
quota: 1/s, burst 1
0      reserve 1 as a within 5s   at 0
0      reserve 1 as b within 5s   at 1s
0      reserve 1 as c within 5s   at 2s
0      reserve 1 as d within 5s   at 3s
0      reserve 1 as e within 5s   at 4s
0      reserve 1 as f within 5s   at 5s
0      reserve 1 as g within 5s   no 6s
)";
