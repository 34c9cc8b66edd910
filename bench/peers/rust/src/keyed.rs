// SPDX-License-Identifier: MIT
//! A limit for each of a million keys.

use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::row::{Row, PER_SECOND, PLENTY};
use crate::sample::{heap_in_use, sample, How};

type Governor<S> = RateLimiter<u64, DashMapStateStore<u64, S>, DefaultClock>;

/// Keys lie far apart, as identifiers do, so no hash table is helped by neighbours.
fn key_of(index: u32) -> u64 {
    (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// In which order the keys are asked for; so long that no cache keeps it.
struct Orders {
    uniform: Vec<u32>, // each key as often as another
    zipf: Vec<u32>,    // the k-th key one k-th as often as the first
}

fn orders(keys: usize) -> Orders {
    let many = keys as f64;
    let mut x = 88172645463325252u64;
    let mut all = Orders {
        uniform: vec![],
        zipf: vec![],
    };
    for _ in 0..1 << 20 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        let part = (x >> 11) as f64 / (1u64 << 53) as f64;
        all.uniform.push((part * many) as u32);
        all.zipf.push(many.powf(part) as u32 - 1);
    }
    all
}

fn row<T: Sync + 'static>(
    name: &'static str,
    title: &'static str,
    keys: usize,
    orders: &Rc<Orders>,
    make: impl Fn() -> T,
    take: impl Fn(&T, u64) -> bool + Copy + Sync + 'static,
) -> Row {
    let before = heap_in_use();
    let table = make();
    for index in 0..keys {
        take(&table, key_of(index as u32)); // every key is there before the first sample
    }
    let bytes = (heap_in_use() - before) as f64 / keys as f64;
    let orders = orders.clone();
    let started = AtomicUsize::new(0);
    let ask = move |demand: &str, how: &How| {
        let order = if demand == "zipf" {
            &orders.zipf
        } else {
            &orders.uniform
        };
        // No sample meets the keys of the one before it, which warmed up the table.
        let from = started.fetch_add(400_000, Ordering::Relaxed);
        let table = &table;
        sample(how, |thread| {
            let mut at = from + thread * (order.len() / 2);
            move || {
                let key = key_of(order[at & (order.len() - 1)]);
                at += 1;
                take(table, key)
            }
        })
    };
    Row {
        name,
        title,
        bytes: Box::new(move || bytes),
        demands: &["uniform", "zipf"],
        ask: Box::new(ask),
        tell: Box::new(|_, _| unreachable!()),
    }
}

fn take<S: BuildHasher + Clone>(table: &Governor<S>, key: u64) -> bool {
    table.check_key(&key).is_ok()
}

pub fn rows(keys: usize) -> Vec<Row> {
    let orders = Rc::new(orders(keys));
    let many = |n| NonZeroU32::new(n).unwrap();
    let quota = Quota::per_second(many(PER_SECOND)).allow_burst(many(PLENTY));
    vec![
        row(
            "empty_keyed",
            "empty loop, keyed (Rust)",
            keys,
            &orders,
            || (),
            |_, key| key != 0,
        ),
        row(
            "governor_keyed",
            "governor, keyed: dashmap, SipHash (its default)",
            keys,
            &orders,
            || RateLimiter::dashmap(quota),
            take,
        ),
        row(
            "governor_keyed_ahash",
            "governor, keyed: dashmap, ahash",
            keys,
            &orders,
            || RateLimiter::dashmap_with_hasher(quota, ahash::RandomState::new()),
            take,
        ),
    ]
}
