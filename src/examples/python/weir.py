"""weir for Python: limits and the pacer of libweir, by ctypes. One file to copy; see limits.py.

    logins = weir.Limit("6/min, burst 3")
    if logins.try_acquire():
        ...

Times are seconds. What cannot be made raises weir.Refused, with the sentence of the library. A refusal is
no mistake: it is an Answer that is false. Any number of threads may ask a limit; while one waits, others run.

SPDX-License-Identifier: MIT
"""
import ctypes
import ctypes.util
import itertools
import os
from ctypes import (CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint8,
                    c_uint32, c_uint64, c_void_p)

ABI = 1
OK, WAIT, NEVER, TOO_LATE, RUNS_WITHOUT, NO_PLACE, WAS_NULL = 0, 1, 2, 3, 8, 10, -1
FOREVER = ALL = 2**63 - 1
DEFAULT = -(2**63)
EXPIRED, COSTS_TOO_MUCH, DISCARDED, ABANDONED = range(4)
DUE, IDLE, PAUSED, DONE = range(4)


def _load():
    name = os.environ.get("WEIR_LIBRARY") or ctypes.util.find_library("weir") or "libweir.so.0"
    return ctypes.CDLL(name)


_lib = _load()
_lib.weir_text.restype = c_char_p
_lib.weir_version.restype = c_char_p
_lib.weir_size_of.restype = c_size_t


class Refused(Exception):
    """What the library refuses, in its words; `status` is its number in weir.h."""

    def __init__(self, status):
        super().__init__(_lib.weir_text(c_int32(status)).decode())
        self.status = status


def _well(status):
    if status < OK:
        raise Refused(status)
    return status


_well(_lib.weir_serves(c_uint32(ABI)))
version = _lib.weir_version().decode()


def _nanoseconds(seconds):
    if seconds is None or seconds == float("inf"):
        return FOREVER
    return min(round(seconds * 1e9), FOREVER)


def _seconds(nanoseconds):
    return float("inf") if nanoseconds == FOREVER else nanoseconds / 1e9


class _Grows(ctypes.Structure):
    """Begins with its size and the version of weir.h."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(self), abi=ABI, **{k: v for k, v in values.items() if v is not None})


_HEAD = [("size", c_uint32), ("abi", c_uint32)]


class Quota(ctypes.Structure):
    """So many units in each period, and `burst` of them at once."""

    _fields_ = [("units", c_int64), ("period_ns", c_int64), ("burst", c_int64)]

    def __repr__(self):
        return f"Quota({self.units}, {self.period_ns}, {self.burst})"


def per(seconds, units, burst=None):
    return Quota(units, _nanoseconds(seconds), units if burst is None else burst)


def per_second(units, burst=None):
    return per(1, units, burst)


def per_minute(units, burst=None):
    return per(60, units, burst)


def per_hour(units, burst=None):
    return per(3600, units, burst)


def per_day(units, burst=None):
    return per(86400, units, burst)


def quota(text):
    """A Quota, or one out of a text such as "500/min" or "1.5M/s, burst 20k"."""
    if isinstance(text, Quota):
        return text
    read = Quota()
    _well(_lib.weir_read_quota(text.encode(), byref(read)))
    return read


class _Options(_Grows):
    _fields_ = _HEAD + [("cell", c_char_p), ("start", c_int64), ("debt", c_int64), ("queue", c_int64),
                        ("guard_ns", c_int64), ("whole_periods", c_uint32), ("refunds", c_uint32),
                        ("anchor_ns", c_int64)]

    def __init__(self, cell=None, start=DEFAULT, debt=DEFAULT, queue=DEFAULT, guard=None,
                 whole_periods=False, refunds=False, anchor=0):
        guard_ns = DEFAULT if guard is None else _nanoseconds(guard)
        super().__init__(cell=cell and cell.encode(), start=start, debt=debt, queue=queue, guard_ns=guard_ns,
                         whole_periods=int(whole_periods), refunds=int(refunds), anchor_ns=_nanoseconds(anchor))


class _KeyedOptions(_Grows):
    _fields_ = _HEAD + [("when_full", c_uint32), ("exact", c_uint32), ("debt", c_int64),
                        ("guard_ns", c_int64), ("seed", c_uint64)]


class _State(_Grows):
    _fields_ = _HEAD + [("quota", Quota), ("remaining", c_int64), ("debt", c_int64),
                        ("reset_after_ns", c_int64), ("can_reserve", c_uint32), ("can_lend", c_uint32)]


class Answer(ctypes.Structure):
    """True if the units were taken. `remaining` units are left; `retry_after` seconds until they may be."""

    _fields_ = [("status", c_int32), ("refused_by", c_uint32), ("remaining", c_int64), ("retry_after_ns", c_int64)]

    def __bool__(self):
        return self.status == OK

    @property
    def retry_after(self):
        return _seconds(self.retry_after_ns)

    def __repr__(self):
        return f"{_lib.weir_text(c_int32(self.status)).decode()}, {self.remaining} remaining"


class _Permit(ctypes.Structure):
    _fields_ = [("status", c_int32), ("seal", c_uint32), ("units", c_int64), ("wait_ns", c_int64),
                ("inside", c_uint8 * 104)]


class _View(ctypes.Structure):
    _fields_ = [("inside", c_uint64 * 20)]


class _Call(ctypes.Structure):
    _fields_ = [("inside", c_void_p * 1)]


class _PacerOptions(_Grows):
    _fields_ = _HEAD + [("capacity", c_uint32), ("most_failures", c_uint32), ("catch_up_ns", c_int64),
                        ("lowest_gets_one_in", c_uint32), ("most_drops", c_uint32)]


class _LaneOptions(_Grows):
    _fields_ = _HEAD + [("priority", c_uint32), ("weight", c_uint32), ("budget", c_void_p)]


class NextPoll(ctypes.Structure):
    """What a poll answers: `what` (DUE, IDLE, PAUSED, DONE), and in how many seconds the next one is due."""

    _fields_ = [("what", c_int32), ("wakes", c_uint32), ("in_ns", c_int64), ("lost", c_uint64)]

    @property
    def seconds(self):
        return _seconds(self.in_ns)


# A library with other structs than these would write where it must not.
for _name, _struct in {"quota": Quota, "options": _Options, "keyed_options": _KeyedOptions, "state": _State,
                       "answer": Answer, "permit": _Permit, "view": _View, "call": _Call, "pacer_options": _PacerOptions,
                       "lane_options": _LaneOptions, "next_poll": NextPoll}.items():
    if _lib.weir_size_of(_name.encode()) < ctypes.sizeof(_struct):
        raise ImportError(f"weir.py and libweir {version} do not fit together: {_name}")

_EMIT = CFUNCTYPE(c_bool, c_void_p, c_void_p)
_DROP = CFUNCTYPE(None, c_void_p, c_void_p, c_int32)


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments


_P = c_void_p
for _name in ("weir_try_acquire", "weir_peek", "weir_charge"):
    _declare(_name, c_bool, _P, c_int64, POINTER(Answer))
_declare("weir_acquire_up_to", c_int64, _P, c_int64, POINTER(Answer))
_declare("weir_acquire", c_bool, _P, c_int64, c_int64, POINTER(Answer))
_declare("weir_reserve", c_bool, _P, c_int64, c_int64, POINTER(_Permit))
_declare("weir_refund", c_int32, _P, POINTER(_Permit), c_int64, POINTER(c_int64))
_declare("weir_set_quota", c_int32, _P, Quota, c_int64)
for _name in ("weir_set_remaining", "weir_lower_remaining"):
    _declare(_name, c_int32, _P, c_int64, c_int64, POINTER(c_int64))
for _name in ("weir_reset", "weir_give_back"):
    _declare(_name, c_int32, _P)
_declare("weir_look", c_int32, _P, POINTER(_State))
_declare("weir_limit_free", None, _P)
for _name in ("weir_limit_new", "weir_adjustable_new"):
    _declare(_name, c_int32, Quota, POINTER(_Options), POINTER(_P))
_declare("weir_all_of_new", c_int32, POINTER(_P), c_size_t, POINTER(_P))
_declare("weir_lease_new", c_int32, _P, c_int64, c_int64, POINTER(_P))
_declare("weir_striped_new", c_int32, _P, c_int64, POINTER(_P))
_declare("weir_in_flight_new", c_int32, c_int64, POINTER(_P))
_declare("weir_in_flight_free", None, _P)
_declare("weir_begin", c_bool, _P, c_int64, POINTER(_Call))
_declare("weir_end", None, POINTER(_Call))
_declare("weir_set_most", c_int32, _P, c_int64)
_declare("weir_calls_in_use", c_int64, _P)
_declare("weir_array_new", c_int32, c_size_t, Quota, POINTER(_Options), POINTER(_P))
_declare("weir_array_try_acquire", c_bool, _P, c_size_t, c_int64, POINTER(Answer))
_declare("weir_array_at", _P, _P, c_size_t, POINTER(_View))
_declare("weir_array_free", None, _P)
_declare("weir_keyed_new", c_int32, c_size_t, Quota, POINTER(_KeyedOptions), POINTER(_P))
_declare("weir_keyed_try_acquire", c_bool, _P, c_char_p, c_size_t, c_int64, POINTER(Answer))
_declare("weir_keyed_try_acquire_number", c_bool, _P, c_uint64, c_int64, POINTER(Answer))
_declare("weir_keyed_at", _P, _P, c_char_p, c_size_t, POINTER(_View))
_declare("weir_keyed_at_number", _P, _P, c_uint64, POINTER(_View))
_declare("weir_keyed_free", None, _P)
_declare("weir_pacer_new", c_int32, Quota, POINTER(_PacerOptions), _EMIT, _DROP, _P, POINTER(_P))
_declare("weir_pacer_on", c_int32, _P, POINTER(_PacerOptions), _EMIT, _DROP, _P, POINTER(_P))
_declare("weir_pacer_poll", c_int32, _P, POINTER(NextPoll))
_declare("weir_pacer_start", c_int32, _P, _P, c_char_p, c_size_t)
_declare("weir_pacer_set_rate", c_int32, _P, Quota)
for _name in ("pause", "throttled", "drain"):
    _declare("weir_pacer_" + _name, c_int32, _P, c_int64)
for _name in ("free", "stop", "join", "resume", "discard", "close"):
    _declare("weir_pacer_" + _name, c_int32, _P)
_declare("weir_lane_open", c_int32, _P, POINTER(_LaneOptions), POINTER(_P))
_declare("weir_lane_close", None, _P)
_declare("weir_push", c_bool, _P, _P, c_int64, c_int64, POINTER(c_int32))


class _Handle:
    """Something of the library's. It keeps what it is built of, and is freed with its last user."""

    _free = None

    def __init__(self, make, *arguments, keeps=()):
        self._handle, self._keeps = _P(), keeps
        _well(make(*arguments, byref(self._handle)))

    def __del__(self):
        if getattr(self, "_handle", None) and self._free and _lib:
            self._free(self._handle)
            self._handle = None


class Call:
    """A call that has begun, or none: false. It ends with `end`, with its `with` block, or with its last user."""

    def __init__(self, calls, timeout):
        self._keeps, self._call = calls, _Call()
        self._begun = _lib.weir_begin(calls._handle, _nanoseconds(timeout), byref(self._call))

    def __bool__(self):
        return self._begun

    def end(self):
        self._begun = False
        _lib.weir_end(byref(self._call))

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.end()

    def __del__(self):
        if getattr(self, "_begun", False) and _lib:
            self.end()


class InFlight(_Handle):
    """A cap on calls that have begun and not ended: `with calls.begin(timeout=1) as call: if call: ...`"""

    _free = _lib.weir_in_flight_free

    def __init__(self, most):
        super().__init__(_lib.weir_in_flight_new, most)

    def begin(self, timeout=0):
        """Waits no longer than `timeout` seconds, None: as long as it takes; other threads run meanwhile."""
        return Call(self, timeout)

    def set_most(self, most):
        _well(_lib.weir_set_most(self._handle, most))

    @property
    def in_use(self):
        return _lib.weir_calls_in_use(self._handle)


class Permit:
    """A place in the order of a limit: true if it is one, and to be used after `wait` seconds."""

    def __init__(self, limit, n, within):
        self._limit, self._permit = limit, _Permit()
        _lib.weir_reserve(limit._handle, n, _nanoseconds(within), byref(self._permit))
        _well(self._permit.status)

    def __bool__(self):
        return self._permit.status == OK

    @property
    def wait(self):
        return _seconds(self._permit.wait_ns)

    def refund(self, units=ALL):
        """Gives back what was not used, as far as it is still to come, and says how many units that is."""
        back = c_int64()
        _well(_lib.weir_refund(self._limit._handle, byref(self._permit), units, byref(back)))
        return back.value


class _Limit(_Handle):
    _free = _lib.weir_limit_free

    def _ask(self, call, *arguments):
        answer = Answer()
        call(self._handle, *arguments, byref(answer))
        _well(answer.status)
        return answer

    def try_acquire(self, n=1):
        """All n units now, or none."""
        return self._ask(_lib.weir_try_acquire, n)

    def peek(self, n=1):
        """What try_acquire would answer."""
        return self._ask(_lib.weir_peek, n)

    def charge(self, n):
        """Takes n units although they may not be there."""
        return self._ask(_lib.weir_charge, n)

    def acquire(self, n=1, timeout=None):
        """Waits for n units; other threads run meanwhile."""
        return self._ask(_lib.weir_acquire, n, _nanoseconds(timeout))

    def acquire_up_to(self, n):
        """As many as there are now, up to n: how many it took."""
        answer = Answer()
        taken = _lib.weir_acquire_up_to(self._handle, n, byref(answer))
        _well(answer.status)
        return taken

    def reserve(self, n=1, within=None):
        """A Permit for as soon as n units conform."""
        return Permit(self, n, within)

    def reset(self):
        _well(_lib.weir_reset(self._handle))

    def _told(self, call, units, reset_after):
        obeyed = c_int64()
        status = call(self._handle, units, _nanoseconds(reset_after), byref(obeyed))
        if status == NO_PLACE:
            raise Refused(status)
        _well(status)
        return _seconds(obeyed.value)

    def set_remaining(self, units, reset_after=0):
        """A server says that so many units are left, and that its count begins anew in `reset_after`
        seconds: 0 if it does not say. For how many seconds no more pass: fewer than that if the limit
        cannot look so far ahead."""
        return self._told(_lib.weir_set_remaining, units, reset_after)

    def lower_remaining(self, units, reset_after=0):
        """The same where that is stricter than the present state."""
        return self._told(_lib.weir_lower_remaining, units, reset_after)

    def give_back(self):
        """What a Lease or a Striped holds."""
        _well(_lib.weir_give_back(self._handle))

    @property
    def state(self):
        """A snapshot: quota, remaining, debt, reset_after_ns, can_reserve, can_lend."""
        state = _State()
        _well(_lib.weir_look(self._handle, byref(state)))
        return state


class Limit(_Limit):
    """A limit with a quota, or a text that is one. Options: cell, start, debt, queue, guard, whole_periods."""

    def __init__(self, its_quota, **options):
        super().__init__(_lib.weir_limit_new, quota(its_quota), _Options(**options))


class Adjustable(_Limit):
    """A limit whose quota changes."""

    def __init__(self, its_quota, **options):
        super().__init__(_lib.weir_adjustable_new, quota(its_quota), _Options(**options))

    def set_quota(self, its_quota, over=0):
        _well(_lib.weir_set_quota(self._handle, quota(its_quota), _nanoseconds(over)))


class AllOf(_Limit):
    """Several limits at once: all of them or none."""

    def __init__(self, *limits):
        handles = (_P * len(limits))(*(limit._handle for limit in limits))
        super().__init__(_lib.weir_all_of_new, handles, len(limits), keeps=limits)


class Lease(_Limit):
    """Units that one thread takes from a limit in one go."""

    def __init__(self, limit, units, time_to_live=None):
        super().__init__(_lib.weir_lease_new, limit._handle, units, _nanoseconds(time_to_live), keeps=(limit,))


class Striped(_Limit):
    """One limit that many threads of the process hit at once."""

    def __init__(self, limit, largest_lease=ALL):
        super().__init__(_lib.weir_striped_new, limit._handle, largest_lease, keeps=(limit,))


class _Entry(_Limit):
    _free = None

    def __init__(self, table, at, *key):
        self._view, self._keeps = _View(), (table,)
        self._handle = at(table._handle, *key, byref(self._view))
        if not self._handle:
            raise IndexError(*key)


class Array(_Handle):
    """Limits by index that share a quota: `array[i]` is one. Options as of Limit, and `refunds`."""

    _free = _lib.weir_array_free

    def __init__(self, size, its_quota, **options):
        super().__init__(_lib.weir_array_new, size, quota(its_quota), _Options(**options))
        self._size = size

    def __len__(self):
        return self._size

    def __getitem__(self, index):
        return _Entry(self, _lib.weir_array_at, range(self._size)[index])

    def try_acquire(self, index, n=1):
        answer = Answer()
        _lib.weir_array_try_acquire(self._handle, range(self._size)[index], n, byref(answer))
        _well(answer.status)
        return answer


class Keyed(_Handle):
    """Limits by key that share a quota: `keyed[key]` is one. A key is a number, a text or bytes."""

    _free = _lib.weir_keyed_free
    POLICIES = {"deny": 0, "forgive_least": 1, "allow": 2}

    def __init__(self, places, its_quota, when_full="forgive_least", exact=False, debt=DEFAULT, guard=None, seed=0):
        options = _KeyedOptions(when_full=self.POLICIES[when_full], exact=int(exact), debt=debt, seed=seed,
                                guard_ns=DEFAULT if guard is None else _nanoseconds(guard))
        super().__init__(_lib.weir_keyed_new, places, quota(its_quota), options)

    @staticmethod
    def _bytes(key):
        return key.encode() if isinstance(key, str) else bytes(key)

    def __getitem__(self, key):
        if isinstance(key, int):
            return _Entry(self, _lib.weir_keyed_at_number, key)
        key = self._bytes(key)
        return _Entry(self, _lib.weir_keyed_at, key, len(key))

    def try_acquire(self, key, n=1):
        answer = Answer()
        if isinstance(key, int):
            _lib.weir_keyed_try_acquire_number(self._handle, key, n, byref(answer))
        else:
            key = self._bytes(key)
            _lib.weir_keyed_try_acquire(self._handle, key, len(key), n, byref(answer))
        _well(answer.status)
        return answer


class Lane(_Handle):
    """A lane of a pacer, for one thread at a time. It ends with `close`, or as a context."""

    def __init__(self, pacer, priority, weight, budget):
        options = _LaneOptions(priority=priority, weight=weight, budget=budget._handle if budget else None)
        super().__init__(_lib.weir_lane_open, pacer._handle, options, keeps=(pacer, budget))

    def push(self, item, cost=1, within=None):
        """Any object. False with the reason, as `Refused`, if it does not go: a full lane, a missed deadline."""
        pacer = self._keeps[0]
        number = next(pacer._numbers)
        pacer._items[number] = item
        why = c_int32()
        if not _lib.weir_push(self._handle, number, cost, _nanoseconds(within), byref(why)):
            del pacer._items[number]
            _well(why.value)
        return why.value == OK

    def close(self):
        if self._handle:
            _lib.weir_lane_close(self._handle)
            self._handle = None

    __enter__ = lambda self: self
    __exit__ = lambda self, *_: self.close()
    __del__ = close


class Pacer(_Handle):
    """Items at a constant rate, or as a Limit lets them: `emit(item)` and `drop(item, reason)` are called on the
    thread that polls. What `emit` raises counts as a failure; ten in a row pause the pacer."""

    def __init__(self, rate, emit, drop=lambda item, reason: None, capacity=1024, most_failures=10, catch_up=None):
        self._items, self._numbers = {}, itertools.count(1)

        def emit_number(_, number):
            emit(self_items.pop(number))
            return True

        def drop_number(_, number, reason):
            drop(self_items.pop(number), reason)

        def guarded(_, number):
            try:
                return emit_number(_, number)
            except Exception:  # nothing that is raised crosses the library
                return False

        self_items = self._items  # and not self, which would never end
        self._calls = _EMIT(guarded), _DROP(drop_number)
        options = _PacerOptions(capacity=capacity, most_failures=most_failures, most_drops=8,
                                catch_up_ns=DEFAULT if catch_up is None else _nanoseconds(catch_up))
        if isinstance(rate, _Limit):
            super().__init__(_lib.weir_pacer_on, rate._handle, options, *self._calls, None, keeps=(rate,))
        else:
            super().__init__(_lib.weir_pacer_new, quota(rate), options, *self._calls, None)

    def _free(self, handle):
        _lib.weir_pacer_free(handle)

    def lane(self, priority=4, weight=1, budget=None):
        return Lane(self, priority, weight, budget)

    def poll(self):
        """Lets go what may go now."""
        result = NextPoll()
        _well(_lib.weir_pacer_poll(self._handle, byref(result)))
        return result

    def start(self):
        """A thread that polls. Returns its report."""
        report = ctypes.create_string_buffer(128)
        status = _lib.weir_pacer_start(self._handle, None, report, len(report))
        if status < OK:
            raise RuntimeError(report.value.decode())
        return report.value.decode()

    def pause(self, seconds=None):
        _well(_lib.weir_pacer_pause(self._handle, _nanoseconds(seconds)))

    def throttled(self, retry_after):
        _well(_lib.weir_pacer_throttled(self._handle, _nanoseconds(retry_after)))

    def set_rate(self, rate):
        _well(_lib.weir_pacer_set_rate(self._handle, quota(rate)))

    def drain(self, within=None):
        _well(_lib.weir_pacer_drain(self._handle, _nanoseconds(within)))

    def stop(self):
        _well(_lib.weir_pacer_stop(self._handle))

    def join(self):
        _well(_lib.weir_pacer_join(self._handle))

    def resume(self):
        _well(_lib.weir_pacer_resume(self._handle))

    def discard(self):
        _well(_lib.weir_pacer_discard(self._handle))

    def close(self):
        _well(_lib.weir_pacer_close(self._handle))
