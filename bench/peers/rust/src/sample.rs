// SPDX-License-Identifier: MIT
//! One thread, or two in lockstep, make decisions, and say what one decision took and how many were
//! admitted.

use std::arch::asm;
use std::mem::{size_of, zeroed};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub struct How {
    pub cores: Vec<usize>, // one for each thread
    pub decisions: usize,
    pub tail: bool, // take the time of each decision, for the p99.99
}

#[derive(Default)]
pub struct Sample {
    pub ns: f64, // per decision and thread, or the p99.99
    pub asked: u64,
    pub admitted: u64,
    pub switches: i64, // how often the system took a core away
}

struct Part {
    elapsed: f64,
    timed: usize,
    p9999: f64,
    told: Sample,
}

#[repr(align(64))]
struct Line<T>(T);

const CHUNK: usize = 50;

fn pin(core: usize) {
    unsafe {
        let mut one: libc::cpu_set_t = zeroed();
        libc::CPU_SET(core, &mut one);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &one);
    }
}

fn switched_out() -> i64 {
    unsafe {
        let mut usage: libc::rusage = zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_nivcsw
    }
}

/// Of the whole process.
pub fn cpu_time() -> Duration {
    let usage = unsafe {
        let mut usage: libc::rusage = zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let of = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

pub fn heap_in_use() -> usize {
    let now = unsafe { libc::mallinfo2() };
    now.uordblks + now.hblkhd
}

/// Makes the compiler compute a value in a register, although nobody uses it.
#[inline(always)]
fn keep(value: &mut u64) {
    unsafe {
        asm!(
            "/* {0} */",
            inout(reg) * value,
            options(nostack, preserves_flags)
        )
    }
}

/// A read of the core's counter that comes after all that was before it.
#[inline(always)]
fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_lfence();
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        let now: u64;
        asm!("isb", "mrs {}, cntvct_el0", out(reg) now, options(nostack));
        now
    }
}

/// That one in ten thousand exceeds.
fn p9999(mut all: Vec<u64>) -> f64 {
    all.sort_unstable();
    let at = (all.len() * 9999).div_ceil(10_000);
    all.get(at.wrapping_sub(1)).copied().unwrap_or(0) as f64
}

/// `worker` is asked for one by each thread; it makes one decision per call.
pub fn sample<W: FnMut() -> bool>(how: &How, worker: impl Fn(usize) -> W + Sync) -> Sample {
    let arrived = Line(AtomicUsize::new(0));
    let over = Line(AtomicBool::new(false));
    let take_part = |me: usize| {
        pin(how.cores[me]);
        let mut decide = worker(me);
        let (mut asked, mut admitted) = (0u64, 0u64);
        let mut one = || {
            admitted += decide() as u64;
            asked += 1;
            keep(&mut admitted);
        };
        (0..how.decisions / 4).for_each(|_| one()); // finds everything cold
        let mut each = Vec::with_capacity(if how.tail { how.decisions + CHUNK } else { 0 });
        let meet = |times: usize| {
            arrived.0.fetch_add(1, Ordering::AcqRel);
            while arrived.0.load(Ordering::Acquire) < times * how.cores.len() {
                std::hint::spin_loop();
            }
        };
        meet(1); // until then the threads find their cores
        let switches = switched_out();
        meet(2);
        // The first thread that is through stops the other, so that both are at it all the time.
        let start = Instant::now();
        let first = ticks();
        let mut timed = 0;
        while timed < how.decisions && !over.0.load(Ordering::Relaxed) {
            if how.tail {
                for _ in 0..CHUNK {
                    let before = ticks();
                    one();
                    each.push(ticks() - before);
                }
            } else {
                (0..CHUNK).for_each(|_| one());
            }
            timed += CHUNK;
        }
        over.0.store(true, Ordering::Relaxed);
        let elapsed = start.elapsed().as_nanos() as f64;
        let a_tick = elapsed / (ticks() - first) as f64;
        let switches = switched_out() - switches;
        Part {
            elapsed,
            timed,
            p9999: p9999(each) * a_tick,
            told: Sample {
                ns: 0.0,
                asked,
                admitted,
                switches,
            },
        }
    };
    let parts: Vec<Part> = thread::scope(|scope| {
        let take_part = &take_part;
        let all: Vec<_> = (0..how.cores.len())
            .map(|me| scope.spawn(move || take_part(me)))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let mut all = Sample::default();
    let (mut elapsed, mut timed, mut longest) = (0.0, 0, 0f64);
    for part in parts {
        elapsed += part.elapsed;
        timed += part.timed;
        longest = longest.max(part.p9999);
        all.asked += part.told.asked;
        all.admitted += part.told.admitted;
        all.switches += part.told.switches;
    }
    all.ns = if how.tail {
        longest
    } else {
        elapsed / timed as f64
    };
    all
}
