"""Limits that machines share in a Redis, for Python, by ctypes: libweir_redis. Copy it beside weir.py.

    calls = weir_redis.Leased("10000/s", "calls", processes=16, host="redis.internal")
    if calls.try_acquire():     # asks nobody: a thread of the library leases units meanwhile
        ...

A Leased is a limit as weir.Limit is, so a Pacer runs on it and an AllOf takes it. What is left goes back to Redis
when it is closed, as a context or with its last user.

SPDX-License-Identifier: MIT
"""
import ctypes
import ctypes.util
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64

import weir
from weir import _P, _HEAD, _Grows, _Handle, _Limit, _nanoseconds, _well

NO_LEASE_YET, LEASED, DEGRADED, FORKED = range(4)
LOCAL_SHARE, CLOSED, OPEN = range(3)


def _load():
    name = os.environ.get("WEIR_REDIS_LIBRARY") or ctypes.util.find_library("weir_redis") or "libweir_redis.so.0"
    return ctypes.CDLL(name)


_lib = _load()


class _Redis(_Grows):
    _fields_ = _HEAD + [("host", c_char_p), ("socket", c_char_p), ("user", c_char_p), ("password", c_char_p),
                        ("port", c_int32), ("database", c_int32), ("connect_within_ns", c_int64),
                        ("answer_within_ns", c_int64), ("security", _P)]

    def __init__(self, host="127.0.0.1", port=6379, socket=None, user=None, password=None, database=0,
                 connect_within=1, answer_within=0.1):
        super().__init__(host=host.encode(), socket=socket and socket.encode(), user=user and user.encode(),
                         password=password and password.encode(), port=port, database=database,
                         connect_within_ns=_nanoseconds(connect_within),
                         answer_within_ns=_nanoseconds(answer_within))


class _Fleet(_Grows):
    _fields_ = _HEAD + [("processes", c_uint32), ("when_away", c_uint32), ("least_lease", c_int64),
                        ("thread_name", c_char_p)]


class State(_Grows):
    """How a leased limit stands, and what its thread has done: see weir_redis.h."""

    _fields_ = _HEAD + [("mode", c_int32), ("error", c_int32), ("mode_ns", c_int64), ("burst", c_int64)] + [
        (name, c_uint64) for name in ("beyond", "calls", "failures", "leases", "leased", "given_back", "lost", "minted",
                                      "passed", "charged", "keys", "entered", "forgotten", "without_place")]

    @property
    def text(self):
        """What is wrong, in the words of the library; None if nothing is."""
        return weir.Refused(self.error).args[0] if self.error else None


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments


_TO = (POINTER(_Redis), c_char_p, weir.Quota)
_declare("weir_fleet_new", c_int32, *_TO, POINTER(_Fleet), POINTER(_P))
_declare("weir_fleet_look", c_int32, _P, POINTER(State))
_declare("weir_fleet_keyed_new", c_int32, *_TO, c_size_t, POINTER(_Fleet), POINTER(_P))
_declare("weir_fleet_keyed_free", None, _P)
_declare("weir_fleet_keyed_look", c_int32, _P, POINTER(State))
for _name in ("try_acquire", "peek"):
    _declare("weir_fleet_keyed_" + _name, c_bool, _P, c_char_p, c_size_t, c_int64, POINTER(weir.Answer))


def _options(processes, away, least_lease):
    return _Fleet(processes=processes, when_away=away, thread_name=b"weir fleet",
                  least_lease=weir.DEFAULT if least_lease is None else least_lease)


class _Leases(_Handle):
    _look = None

    @property
    def fleet(self):
        """A State."""
        state = State()
        _well(self._look(self._handle, byref(state)))
        return state

    def close(self):
        """Gives back what is left."""
        self.__del__()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()


class Leased(_Leases, _Limit):
    """One limit for `processes` processes at most. `redis`: host, port, socket, user, password, database,
    connect_within, answer_within."""

    _look = staticmethod(_lib.weir_fleet_look)

    def __init__(self, its_quota, name, processes, away=LOCAL_SHARE, least_lease=None, **redis):
        super().__init__(_lib.weir_fleet_new, _Redis(**redis), name.encode(), weir.quota(its_quota),
                         _options(processes, away, least_lease))


class LeasedByKey(_Leases):
    """The same for each key, with room for `keys` of them at one time. A key is a text or bytes, 64 bytes at most."""

    _free = _lib.weir_fleet_keyed_free
    _look = staticmethod(_lib.weir_fleet_keyed_look)

    def __init__(self, its_quota, name, keys, processes, away=LOCAL_SHARE, least_lease=None, **redis):
        super().__init__(_lib.weir_fleet_keyed_new, _Redis(**redis), name.encode(), weir.quota(its_quota), keys,
                         _options(processes, away, least_lease))

    def _ask(self, call, key, n):
        key, answer = weir.Keyed._bytes(key), weir.Answer()
        call(self._handle, key, len(key), n, byref(answer))
        _well(answer.status)
        return answer

    def try_acquire(self, key, n=1):
        """All n units of the key now, or none."""
        return self._ask(_lib.weir_fleet_keyed_try_acquire, key, n)

    def peek(self, key, n=1):
        """What try_acquire would answer."""
        return self._ask(_lib.weir_fleet_keyed_peek, key, n)
