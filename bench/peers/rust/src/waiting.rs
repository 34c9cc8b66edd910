// SPDX-License-Identifier: MIT
//! Threads that wait, and how exactly the rate is kept; see worker.hpp.

use std::num::NonZeroU32;
use std::thread::sleep;
use std::time::{Duration, Instant};

use governor::{Quota, RateLimiter};

use crate::direct::Limit;
use crate::row::Row;
use crate::sample::cpu_time;

/// A call that was admitted after one that was refused.
#[derive(Clone, Copy)]
struct Turn {
    within: Duration, // of which it is not known when it could have been admitted
    at: Instant,
    units: u64, // admitted before it
}

/// Units that were admitted between two turns, the time between these, and how wrong that may be.
/// The turns are the surest one of each half. Of a clock that goes in steps, a step may have passed
/// when it goes on.
pub fn accuracy<L: Limit>(limit: &L, units: u32, length: Duration, step: Duration) -> String {
    let begin = Instant::now();
    let never = Turn {
        within: Duration::MAX,
        at: begin,
        units: 0,
    };
    let mut turns = [never; 2];
    let (mut admitted, mut before, mut refused) = (0, begin, None);
    while before - begin < length {
        let ok = limit.some(units);
        let after = Instant::now();
        if !ok {
            refused = Some(before);
        } else {
            if let Some(then) = refused.take() {
                let best = &mut turns[(after - begin > length / 2) as usize];
                let within = after - then;
                if within < best.within {
                    *best = Turn {
                        within,
                        at: after,
                        units: admitted,
                    };
                }
            }
            admitted += units as u64;
        }
        before = after;
    }
    let [first, last] = turns;
    if first.within == Duration::MAX || last.within == Duration::MAX {
        return "0 0 0".to_string();
    }
    let ns = (last.at - first.at).as_nanos();
    let within = (first.within + last.within + 2 * step).as_nanos();
    format!("{} {ns} {within}", last.units - first.units)
}

/// When each wait was over, since the first one was, and what the process took meanwhile.
fn waiting(mut wait: impl FnMut(), per_second: u64, length: Duration) -> String {
    (0..20).for_each(|_| wait()); // the burst, and everything cold
    let mut at = Vec::with_capacity((2.0 * length.as_secs_f64() * per_second as f64) as usize + 1);
    let before = cpu_time();
    let first = Instant::now();
    let mut now = first;
    while now - first < length {
        at.push((now - first).as_nanos().to_string());
        wait();
        now = Instant::now();
    }
    let cpu = (cpu_time() - before).as_nanos();
    format!("{cpu} {} {}", at.len(), at.join(" "))
}

/// `make` is told how many units a second there are.
fn row<W: FnMut()>(
    name: &'static str,
    title: &'static str,
    make: impl Fn(u32) -> W + 'static,
) -> Row {
    Row {
        name,
        title,
        bytes: Box::new(|| 0.0),
        demands: &["waiting"],
        ask: Box::new(|_, _| unreachable!()),
        tell: Box::new(move |_, numbers| {
            let length = Duration::from_millis(numbers[1]);
            waiting(make(numbers[0] as u32), numbers[0], length)
        }),
    }
}

/// On the thread that waits.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
}

/// Those that have a burst have one of ten.
pub fn rows() -> Vec<Row> {
    const BURST: u32 = 10;
    vec![
        row(
            "governor_until_ready",
            "governor until_ready, in tokio",
            |per_second| {
                let many = |n| NonZeroU32::new(n).unwrap();
                let quota = Quota::per_second(many(per_second)).allow_burst(many(BURST));
                let (limit, runtime) = (RateLimiter::direct(quota), runtime());
                move || runtime.block_on(limit.until_ready())
            },
        ),
        row(
            "better_bucket_reserve",
            "better-bucket reserve + sleep",
            |per_second| {
                let limit = better_bucket::Bucket::builder()
                    .capacity(BURST)
                    .refill(per_second, Duration::from_secs(1))
                    .build()
                    .unwrap();
                move || sleep(limit.reserve(1, Duration::MAX).unwrap())
            },
        ),
        row(
            "subms_within",
            "subms-rate-limiter acquire_within",
            |per_second| {
                let limit = subms_rate_limiter::RateLimiter::new(per_second as f64, BURST as u64);
                move || {
                    limit.acquire_within(1, Duration::from_secs(60));
                }
            },
        ),
        row(
            "ratelimit_sleep",
            "ratelimit try_wait + sleep",
            |per_second| {
                let limit = ratelimit::Ratelimiter::builder(per_second as u64)
                    .max_tokens(BURST as u64)
                    .build()
                    .unwrap();
                move || {
                    while let Err(ratelimit::TryWaitError::Insufficient(time)) = limit.try_wait() {
                        sleep(time);
                    }
                }
            },
        ),
        // Its timer counts milliseconds, so units come every ten of them.
        row(
            "leaky_bucket_acquire",
            "leaky-bucket acquire_one, in tokio",
            |per_second| {
                let (of_ten_ms, runtime) = (per_second as usize / 100, runtime());
                let limit = leaky_bucket::RateLimiter::builder()
                    .max(of_ten_ms)
                    .initial(0)
                    .refill(of_ten_ms)
                    .interval(Duration::from_millis(10))
                    .build();
                move || runtime.block_on(limit.acquire_one())
            },
        ),
    ]
}
