// SPDX-License-Identifier: MIT
//! One limit that all threads share.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clock_lib::{Clock as _, Monotonic, SystemClock};
use governor::clock::{Clock, MonotonicClock, QuantaClock, QuantaUpkeepClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use crate::row::{Row, PER_SECOND, PLENTY};
use crate::sample::{heap_in_use, sample, How, Sample};
use crate::waiting::accuracy;

const HOUR: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy, PartialEq)]
enum Demand {
    Admit,
    Deny,
    Mixed,
    Rate { per_second: u32, burst: u32 },
}

pub trait Limit: Sync {
    fn one(&self) -> bool;
    fn some(&self, n: u32) -> bool;
}

struct Empty;

impl Limit for Empty {
    fn one(&self) -> bool {
        true
    }
    fn some(&self, n: u32) -> bool {
        n == 1
    }
}

type Governor<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

impl<C: Clock + Sync> Limit for Governor<C>
where
    C::Instant: Sync,
{
    fn one(&self) -> bool {
        self.check().is_ok()
    }
    fn some(&self, n: u32) -> bool {
        matches!(self.check_n(NonZeroU32::new(n).unwrap()), Ok(Ok(())))
    }
}

fn governor<C: Clock + Clone>(clock: &C, demand: Demand) -> Governor<C>
where
    Governor<C>: Limit,
{
    let many = |n| NonZeroU32::new(n).unwrap();
    if demand == Demand::Deny {
        let quota = Quota::with_period(HOUR).unwrap().allow_burst(many(1));
        let limit = RateLimiter::direct_with_clock(quota, clock.clone());
        limit.one();
        return limit;
    }
    if let Demand::Rate { per_second, burst } = demand {
        let quota = Quota::per_second(many(per_second)).allow_burst(many(burst));
        return RateLimiter::direct_with_clock(quota, clock.clone());
    }
    let quota = Quota::per_second(many(PER_SECOND)).allow_burst(many(PLENTY));
    let limit = RateLimiter::direct_with_clock(quota, clock.clone());
    limit.some(PLENTY / 2);
    limit
}

impl Limit for ratelimit::Ratelimiter {
    fn one(&self) -> bool {
        self.try_wait().is_ok()
    }
    fn some(&self, n: u32) -> bool {
        self.try_wait_n(n as u64).is_ok()
    }
}

fn ratelimit(demand: Demand) -> ratelimit::Ratelimiter {
    let builder = match demand {
        Demand::Deny => ratelimit::Ratelimiter::builder(1)
            .period(HOUR)
            .max_tokens(1)
            .initial_available(0),
        Demand::Rate { per_second, burst } => ratelimit::Ratelimiter::builder(per_second as u64)
            .max_tokens(burst as u64)
            .initial_available(burst as u64),
        _ => ratelimit::Ratelimiter::builder(PER_SECOND as u64)
            .max_tokens(PLENTY as u64)
            .initial_available(PLENTY as u64 / 2),
    };
    builder.build().unwrap()
}

impl Limit for leaky_bucket::RateLimiter {
    fn one(&self) -> bool {
        self.try_acquire(1)
    }
    fn some(&self, n: u32) -> bool {
        self.try_acquire(n as usize)
    }
}

fn leaky_bucket(fair: bool, demand: Demand) -> leaky_bucket::RateLimiter {
    let mut builder = leaky_bucket::RateLimiter::builder();
    match demand {
        Demand::Deny => builder.max(1).initial(0).refill(1).interval(HOUR),
        Demand::Rate { per_second, burst } => {
            let often = per_second.min(1000);
            builder
                .max(burst as usize)
                .initial(burst as usize)
                .refill((per_second / often) as usize)
                .interval(Duration::from_secs(1) / often)
        }
        _ => builder
            .max(PLENTY as usize)
            .initial(PLENTY as usize / 2)
            .refill(PER_SECOND as usize / 1000)
            .interval(Duration::from_millis(1)),
    };
    builder.fair(fair).build()
}

impl Limit for better_bucket::Bucket {
    fn one(&self) -> bool {
        self.try_acquire(1)
    }
    fn some(&self, n: u32) -> bool {
        self.try_acquire(n)
    }
}

fn better_bucket(demand: Demand) -> better_bucket::Bucket {
    let builder = better_bucket::Bucket::builder();
    let builder = match demand {
        Demand::Deny => builder.capacity(1).refill(1, HOUR).initial(0),
        Demand::Rate { per_second, burst } => builder
            .capacity(burst)
            .refill(per_second, Duration::from_secs(1))
            .initial(burst),
        _ => builder
            .capacity(PLENTY)
            .refill(PER_SECOND, Duration::from_secs(1))
            .initial(PLENTY / 2),
    };
    builder.build().unwrap()
}

impl Limit for subms_rate_limiter::RateLimiter {
    fn one(&self) -> bool {
        self.try_acquire()
    }
    fn some(&self, n: u32) -> bool {
        self.try_acquire_n(n as u64)
    }
}

fn subms(demand: Demand) -> subms_rate_limiter::RateLimiter {
    if demand == Demand::Deny {
        let limit = subms_rate_limiter::RateLimiter::new(1.0 / HOUR.as_secs_f64(), 1);
        limit.one();
        return limit;
    }
    if let Demand::Rate { per_second, burst } = demand {
        return subms_rate_limiter::RateLimiter::new(per_second as f64, burst as u64);
    }
    let limit = subms_rate_limiter::RateLimiter::new(PER_SECOND as f64, PLENTY as u64);
    limit.some(PLENTY / 2);
    limit
}

/// Asks a limit that can be given the time: each thread refreshes its own once in a thousand
/// decisions.
struct Given<L, T> {
    limit: L,
    take: fn(&L, u32, T) -> bool,
    now: fn(&L) -> T,
}

thread_local! {
    static ASKED: Cell<u32> = const { Cell::new(0) };
    static NANOSECONDS: Cell<u64> = const { Cell::new(0) };
    static MONOTONIC: Cell<Option<Monotonic>> = const { Cell::new(None) };
}

/// Where a thread keeps the time of such a kind.
trait Kept: Copy + 'static {
    fn keep(self);
    fn kept() -> Option<Self>;
}

impl Kept for u64 {
    fn keep(self) {
        NANOSECONDS.set(self);
    }
    fn kept() -> Option<u64> {
        Some(NANOSECONDS.get())
    }
}

impl Kept for Monotonic {
    fn keep(self) {
        MONOTONIC.set(Some(self));
    }
    fn kept() -> Option<Monotonic> {
        MONOTONIC.get()
    }
}

impl<L: Sync, T: Kept> Limit for Given<L, T> {
    fn one(&self) -> bool {
        self.some(1)
    }
    fn some(&self, n: u32) -> bool {
        let asked = ASKED.get();
        ASKED.set(asked.wrapping_add(1));
        if asked % 1024 == 0 {
            (self.now)(&self.limit).keep();
        }
        let now = T::kept().unwrap_or_else(|| (self.now)(&self.limit));
        (self.take)(&self.limit, n, now)
    }
}

/// Which requests of a mixed demand are for too much: so many that the branch predictor cannot learn
/// them by heart.
fn too_much() -> &'static [bool] {
    static ALL: OnceLock<Vec<bool>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut x = 2463534242u32;
        let mut one = || {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            (x >> 16) % 2 != 0
        };
        (0..1 << 17).map(|_| one()).collect()
    })
}

/// On lines of its own, as a program would keep a limit that its threads share.
#[repr(align(64))]
struct Aligned<L>(L);

fn measure<L: Limit>(limit: L, demand: Demand, how: &How, pattern: &[bool]) -> Sample {
    let limit = Box::new(Aligned(limit));
    let limit = &limit.0;
    if demand != Demand::Mixed {
        return sample(how, |_| move || limit.one());
    }
    sample(how, |thread| {
        let mut at = thread * (pattern.len() / 2);
        move || {
            let n = if pattern[at] { PLENTY } else { 1 };
            at = (at + 1) & (pattern.len() - 1);
            limit.some(n)
        }
    })
}

/// `begin` is called before each sample, and its result is what the limit is made of.
fn row<B: 'static, L: Limit + 'static>(
    name: &'static str,
    title: &'static str,
    begin: impl Fn() -> B + 'static,
    make: impl Fn(&B, Demand) -> L + 'static,
) -> Row {
    stepping_row(name, title, Duration::ZERO, begin, make)
}

/// The same for a clock that goes in such steps.
fn stepping_row<B: 'static, L: Limit + 'static>(
    name: &'static str,
    title: &'static str,
    step: Duration,
    begin: impl Fn() -> B + 'static,
    make: impl Fn(&B, Demand) -> L + 'static,
) -> Row {
    let kit = Rc::new((begin, make));
    let same = kit.clone();
    let bytes = move || {
        const MANY: usize = 1000;
        let (begin, make) = &*same;
        let parts = begin();
        let mut limits = Vec::with_capacity(MANY);
        let before = heap_in_use();
        limits.extend((0..MANY).map(|_| Box::new(make(&parts, Demand::Admit))));
        (heap_in_use() - before) as f64 / MANY as f64
    };
    let same = kit.clone();
    let tell = move |demand: &str, numbers: &[u64]| {
        let (begin, make) = &*same;
        let start = Instant::now();
        let parts = begin();
        match demand {
            "accuracy" => {
                let (per_second, units) = (numbers[0] as u32, numbers[1] as u32);
                let burst = units.max(per_second / 10);
                let limit = make(&parts, Demand::Rate { per_second, burst });
                accuracy(&limit, units, Duration::from_millis(numbers[2]), step)
            }
            "making" => {
                let mut limits = Vec::with_capacity(numbers[0] as usize);
                let of = Demand::Rate {
                    per_second: PER_SECOND,
                    burst: PLENTY,
                };
                let start = Instant::now();
                limits.extend((0..numbers[0]).map(|_| make(&parts, of)));
                start.elapsed().as_nanos().to_string()
            }
            _ => {
                let of = Demand::Rate {
                    per_second: PER_SECOND,
                    burst: PLENTY,
                };
                make(&parts, of).one();
                start.elapsed().as_nanos().to_string()
            }
        }
    };
    let ask = move |demand: &str, how: &How| {
        let demand = match demand {
            "admit" => Demand::Admit,
            "deny" => Demand::Deny,
            _ => Demand::Mixed,
        };
        let (begin, make) = &*kit;
        let parts = begin();
        measure(make(&parts, demand), demand, how, too_much())
    };
    Row {
        name,
        title,
        bytes: Box::new(bytes),
        demands: &["admit", "deny", "mixed", "accuracy", "making", "first"],
        ask: Box::new(ask),
        tell: Box::new(tell),
    }
}

impl Row {
    /// For a row that only shows other speeds of a limit that has a row.
    fn only_decides(mut self) -> Row {
        self.bytes = Box::new(|| 0.0);
        self.demands = &["admit", "deny", "mixed"];
        self
    }
}

pub fn rows() -> Vec<Row> {
    vec![
        row("empty", "empty loop (Rust)", || (), |_, _| Empty).only_decides(),
        row(
            "governor",
            "governor, QuantaClock (its default)",
            QuantaClock::default,
            governor,
        ),
        row(
            "governor_monotonic",
            "governor, MonotonicClock",
            MonotonicClock::default,
            governor,
        ),
        stepping_row(
            "governor_upkeep",
            "governor, QuantaUpkeepClock of 1 ms",
            Duration::from_millis(1),
            || QuantaUpkeepClock::from_interval(Duration::from_millis(1)).unwrap(),
            governor,
        ),
        row(
            "better_bucket",
            "better-bucket",
            || (),
            |_, demand| better_bucket(demand),
        ),
        row(
            "subms",
            "subms-rate-limiter",
            || (),
            |_, demand| subms(demand),
        ),
        row(
            "better_bucket_given",
            "better-bucket, time given",
            || (),
            |_, demand| Given {
                limit: better_bucket(demand),
                take: |limit, n, now| limit.try_acquire_at(n, now),
                now: |_| SystemClock::new().now(),
            },
        )
        .only_decides(),
        row(
            "subms_given",
            "subms-rate-limiter, time given",
            || (),
            |_, demand| Given {
                limit: subms(demand),
                take: |limit, n, now| limit.try_acquire_n_at(now, n as u64),
                now: |limit| limit.now_ns(),
            },
        )
        .only_decides(),
        row(
            "ratelimit",
            "ratelimit",
            || (),
            |_, demand| ratelimit(demand),
        ),
        row(
            "leaky_bucket",
            "leaky-bucket",
            || (),
            |_, demand| leaky_bucket(true, demand),
        ),
        row(
            "leaky_bucket_unfair",
            "leaky-bucket, fair(false)",
            || (),
            |_, demand| leaky_bucket(false, demand),
        )
        .only_decides(),
    ]
}
