// SPDX-License-Identifier: MIT
// libweir from Rust, declared by hand as bindgen would: a limit, a permit, a keyed table, and a pacer
// whose callbacks are Rust's.
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Clone, Copy)]
struct Quota {
    units: i64,
    period_ns: i64,
    burst: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Answer {
    status: i32,
    refused_by: u32,
    remaining: i64,
    retry_after_ns: i64,
}

#[repr(C)]
struct Permit {
    status: i32,
    seal: u32,
    units: i64,
    wait_ns: i64,
    inside: [u8; 104],
}

#[repr(C)]
struct Options {
    size: u32,
    abi: u32,
    cell: *const c_char,
    start: i64,
    debt: i64,
    queue: i64,
    guard_ns: i64,
    whole_periods: u32,
    refunds: u32,
    anchor_ns: i64,
}

#[repr(C)]
struct NextPoll {
    what: i32,
    wakes: u32,
    in_ns: i64,
    lost: u64,
}

enum Limit {}
enum Keyed {}
enum Pacer {}
enum Lane {}

type Emit = extern "C" fn(*mut c_void, *mut c_void) -> bool;
type Drop = extern "C" fn(*mut c_void, *mut c_void, i32);

#[link(name = "weir")]
extern "C" {
    fn weir_serves(abi: u32) -> i32;
    fn weir_abi() -> u32;
    fn weir_size_of(name: *const c_char) -> usize;
    fn weir_text(status: i32) -> *const c_char;
    fn weir_limit_new(q: Quota, o: *const Options, limit: *mut *mut Limit) -> i32;
    fn weir_limit_free(limit: *mut Limit);
    fn weir_try_acquire(limit: *mut Limit, n: i64, answer: *mut Answer) -> bool;
    fn weir_reserve(limit: *mut Limit, n: i64, longest_ns: i64, permit: *mut Permit) -> bool;
    fn weir_refund(limit: *mut Limit, permit: *mut Permit, units: i64, back: *mut i64) -> i32;
    fn weir_keyed_new(places: usize, q: Quota, o: *const c_void, table: *mut *mut Keyed) -> i32;
    fn weir_keyed_free(table: *mut Keyed);
    fn weir_keyed_try_acquire(
        table: *mut Keyed, key: *const c_void, length: usize, n: i64, answer: *mut Answer,
    ) -> bool;
    fn weir_pacer_new(
        q: Quota, o: *const c_void, emit: Emit, drop: Drop, context: *mut c_void,
        pacer: *mut *mut Pacer,
    ) -> i32;
    fn weir_pacer_free(pacer: *mut Pacer) -> i32;
    fn weir_pacer_poll(pacer: *mut Pacer, next: *mut NextPoll) -> i32;
    fn weir_lane_open(pacer: *mut Pacer, o: *const c_void, lane: *mut *mut Lane) -> i32;
    fn weir_lane_close(lane: *mut Lane);
    fn weir_push(
        lane: *mut Lane, item: *mut c_void, cost: i64, within_ns: i64, why: *mut i32,
    ) -> bool;
}

const HOUR: i64 = 3_600_000_000_000;
const THREE_AN_HOUR: Quota = Quota { units: 3, period_ns: HOUR, burst: 3 };

fn text(status: i32) -> String {
    unsafe { CStr::from_ptr(weir_text(status)) }.to_string_lossy().into_owned()
}

// A limit as Rust would have it: freed when it goes, and shared by threads.
struct Owned(*mut Limit);
unsafe impl Send for Owned {}
unsafe impl Sync for Owned {}
impl Owned {
    fn new(q: Quota) -> Result<Owned, String> {
        let mut limit = null_mut();
        match unsafe { weir_limit_new(q, null(), &mut limit) } {
            0 => Ok(Owned(limit)),
            status => Err(text(status)),
        }
    }
    fn try_acquire(&self, n: i64) -> Answer {
        let mut answer = Answer::default();
        let admitted = unsafe { weir_try_acquire(self.0, n, &mut answer) };
        assert_eq!(admitted, answer.status == 0);
        answer
    }
}
impl std::ops::Drop for Owned {
    fn drop(&mut self) {
        unsafe { weir_limit_free(self.0) }
    }
}

#[test]
fn the_structs_are_those_of_the_library() {
    let sizes = [
        (&b"quota\0"[..], std::mem::size_of::<Quota>()),
        (&b"answer\0"[..], std::mem::size_of::<Answer>()),
        (&b"permit\0"[..], std::mem::size_of::<Permit>()),
        (&b"options\0"[..], std::mem::size_of::<Options>()),
        (&b"next_poll\0"[..], std::mem::size_of::<NextPoll>()),
    ];
    for (name, size) in sizes.iter() {
        assert_eq!(unsafe { weir_size_of(name.as_ptr() as *const c_char) }, *size);
    }
    unsafe {
        assert_eq!(weir_serves(1), 0);
        assert!(text(weir_serves(weir_abi() + 1)).contains("newer libweir"));
        assert!(text(weir_serves(0)).contains("older libweir"));
    }
}

#[test]
fn a_limit_admits_its_burst() {
    let limit = Owned::new(THREE_AN_HOUR).unwrap();
    assert_eq!(limit.try_acquire(1).remaining, 2);
    assert_eq!(limit.try_acquire(2).status, 0);
    let refused = limit.try_acquire(1);
    assert_eq!(refused.status, 1);
    assert!(refused.retry_after_ns > 0 && refused.retry_after_ns <= HOUR);
    assert_eq!(limit.try_acquire(4).status, 2);
    assert_eq!(text(limit.try_acquire(-1).status), "a number of units or a time is negative");
    let mistake = Owned::new(Quota { units: 0, ..THREE_AN_HOUR }).err().unwrap();
    assert_eq!(mistake, "a quota must allow at least one unit per period");
}

#[test]
fn options_name_a_cell() {
    let mut o = Options {
        size: std::mem::size_of::<Options>() as u32,
        abi: 1,
        cell: b"sliding_log\0".as_ptr() as *const c_char,
        start: i64::min_value(),
        debt: i64::min_value(),
        queue: i64::min_value(),
        guard_ns: i64::min_value(),
        whole_periods: 0,
        refunds: 0,
        anchor_ns: 0,
    };
    let mut limit = null_mut();
    unsafe {
        assert_eq!(weir_limit_new(THREE_AN_HOUR, &o, &mut limit), 0);
        weir_limit_free(limit);
        o.size += 8;
        assert!(text(weir_limit_new(THREE_AN_HOUR, &o, &mut limit)).contains("newer libweir"));
    }
}

#[test]
fn a_permit_moves_and_is_refunded() {
    let limit = Owned::new(THREE_AN_HOUR).unwrap();
    limit.try_acquire(3);
    unsafe {
        let mut permit: Permit = std::mem::zeroed();
        assert!(weir_reserve(limit.0, 1, i64::max_value(), &mut permit));
        assert!(permit.wait_ns > 0 && permit.inside.len() == 104 && permit.seal != 0);
        let mut moved = Box::new(permit); // to another address
        let mut back = 0;
        assert_eq!(weir_refund(limit.0, &mut *moved, i64::max_value(), &mut back), 0);
        assert_eq!((back, moved.units, moved.status), (1, 0, 0));
    }
}

#[test]
fn threads_share_a_limit() {
    let q = Quota { units: 1000, period_ns: HOUR, burst: 1000 };
    let limit = std::sync::Arc::new(Owned::new(q).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let its = limit.clone();
            std::thread::spawn(move || {
                (0..500).filter(|_| its.try_acquire(1).status == 0).count()
            })
        })
        .collect();
    let taken: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    assert!(taken >= 1000 && taken <= 1100);
}

#[test]
fn keys_are_bytes() {
    unsafe {
        let mut table = null_mut();
        assert_eq!(weir_keyed_new(64, THREE_AN_HOUR, null(), &mut table), 0);
        let ask = |key: &str, n| {
            let bytes = key.as_ptr() as *const c_void;
            weir_keyed_try_acquire(table, bytes, key.len(), n, null_mut())
        };
        assert!(ask("alice", 3) && !ask("alice", 1) && ask("bob", 3));
        weir_keyed_free(table);
    }
}

extern "C" fn emit(context: *mut c_void, item: *mut c_void) -> bool {
    let sent = unsafe { &mut *(context as *mut Vec<String>) };
    sent.push(*unsafe { Box::from_raw(item as *mut String) });
    true
}
extern "C" fn discard(_: *mut c_void, item: *mut c_void, _: i32) {
    std::mem::drop(unsafe { Box::from_raw(item as *mut String) });
}

#[test]
fn a_pacer_hands_items_back() {
    let mut sent: Vec<String> = Vec::new();
    let fast = Quota { units: 1_000_000, period_ns: 1_000_000_000, burst: 1 };
    unsafe {
        let (mut pacer, mut lane) = (null_mut(), null_mut());
        let context = &mut sent as *mut Vec<String> as *mut c_void;
        assert_eq!(weir_pacer_new(fast, null(), emit, discard, context, &mut pacer), 0);
        assert_eq!(weir_lane_open(pacer, null(), &mut lane), 0);
        for text in ["one", "two"].iter() {
            let item = Box::into_raw(Box::new(text.to_string())) as *mut c_void;
            assert!(weir_push(lane, item, 1, i64::max_value(), null_mut()));
        }
        let mut next = NextPoll { what: 0, wakes: 0, in_ns: 0, lost: 0 };
        while next.what == 0 {
            assert_eq!(weir_pacer_poll(pacer, &mut next), 0);
        }
        assert!(next.wakes <= 1 && next.in_ns >= 0 && next.lost < u64::max_value());
        weir_lane_close(lane);
        assert_eq!(weir_pacer_free(pacer), 0);
    }
    assert_eq!(sent, ["one", "two"]);
}
