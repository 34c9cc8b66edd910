"""The wrapper of src/examples/python: what it answers, and that it keeps what it needs."""
import ctypes
import gc
import importlib
import os
import runpy
import sys
import threading
import unittest

import weir

EXAMPLE = os.path.join(os.path.dirname(weir.__file__), "limits.py")


class Limits(unittest.TestCase):
    def test_a_day_has_24_hours(self):
        self.assertEqual(weir.per_day(5).period_ns, 24 * weir.per_hour(5).period_ns)

    def test_admits_a_burst(self):
        limit = weir.Limit(weir.per_hour(3))
        self.assertEqual(limit.try_acquire().remaining, 2)
        self.assertTrue(limit.try_acquire(2))
        answer = limit.try_acquire()
        self.assertFalse(answer)
        self.assertEqual(answer.status, weir.WAIT)
        self.assertTrue(0 < answer.retry_after < 1201)
        self.assertEqual(limit.peek(4).retry_after, float("inf"))
        self.assertEqual(limit.acquire(1, timeout=0.001).status, weir.TOO_LATE)
        limit.reset()
        self.assertEqual(limit.acquire_up_to(9), 3)
        self.assertTrue(limit.charge(2))
        self.assertEqual(limit.state.debt, 2)

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(weir.Refused, "a quota is written as in 500/min"):
            weir.Limit("fast")
        with self.assertRaisesRegex(weir.Refused, "no cell has this name"):
            weir.Limit("5/s", cell="leaky")
        with self.assertRaisesRegex(weir.Refused, "is negative"):
            weir.Limit("5/s").try_acquire(-1)
        with self.assertRaisesRegex(weir.Refused, "this limit cannot do that"):
            weir.Limit("5/s", cell="sliding_log").reserve()

    def test_waits(self):
        limit = weir.Limit("1000/s, burst 1")
        for _ in range(5):
            self.assertTrue(limit.acquire())

    def test_reserves(self):
        limit = weir.Limit("3/h")
        self.assertTrue(limit.try_acquire(3))
        self.assertFalse(limit.reserve(within=1))
        permit = limit.reserve()
        self.assertTrue(permit)
        self.assertTrue(0 < permit.wait < 1201)
        self.assertEqual(permit.refund(), 1)
        self.assertEqual(permit.refund(), 0)

    def test_changes(self):
        limit = weir.Adjustable("3/h")
        limit.set_quota("10/h, burst 20", over=60)
        self.assertEqual(limit.state.quota.burst, 20)

    def test_takes_the_servers_word(self):
        limit = weir.Limit("100/h", cell="fixed_window")
        self.assertEqual(limit.set_remaining(7, 3600), 3600)
        self.assertEqual(limit.peek(0).remaining, 7)
        self.assertEqual(limit.lower_remaining(9), 0)
        self.assertEqual(limit.peek(0).remaining, 7)
        self.assertLess(limit.set_remaining(0, 90 * 3600), 90 * 3600)
        with self.assertRaisesRegex(weir.Refused, "is negative"):
            limit.set_remaining(-1)
        with self.assertRaisesRegex(weir.Refused, "cannot do that"):
            weir.AllOf(limit, weir.Limit("2/h")).set_remaining(1)

    def test_is_built_of_limits(self):
        def build():
            return weir.AllOf(weir.Limit("3/h"), weir.Limit("2/h"))
        both = build()
        gc.collect()
        self.assertTrue(both.try_acquire(2))
        self.assertEqual(both.try_acquire(1).refused_by, 1)
        lease = weir.Lease(weir.Limit("10/h"), 4)
        self.assertEqual(lease.try_acquire().remaining, 3)
        striped = weir.Striped(weir.Limit("640/h"))
        self.assertEqual(sum(map(bool, (striped.try_acquire() for _ in range(650)))), 640)

    def test_threads_share_a_limit(self):
        limit, taken = weir.Limit("1000/h"), []
        threads = [threading.Thread(target=lambda: taken.append(sum(map(bool, (limit.try_acquire()
                   for _ in range(500)))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(1000 <= sum(taken) <= 1100)


class Calls(unittest.TestCase):
    def test_ends_once(self):
        calls = weir.InFlight(2)
        with calls.begin() as first, calls.begin() as second:
            self.assertTrue(first and second)
            self.assertFalse(calls.begin())
            first.end()
            self.assertEqual(calls.in_use, 1)
        self.assertEqual(calls.in_use, 0)
        call = calls.begin()
        del call
        gc.collect()
        self.assertEqual(calls.in_use, 0)
        with self.assertRaises(RuntimeError), calls.begin():
            raise RuntimeError
        self.assertEqual(calls.in_use, 0)
        with self.assertRaises(weir.Refused):
            weir.InFlight(0)

    def test_wakes_who_waits(self):
        calls, begun = weir.InFlight(1), []

        def work():
            with calls.begin(timeout=None) as call:
                begun.append(bool(call))
        with calls.begin():
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(begun, [True] * 3)
        self.assertEqual(calls.in_use, 0)


class Tables(unittest.TestCase):
    def test_array(self):
        array = weir.Array(4, "3/h", refunds=True)
        self.assertTrue(array.try_acquire(1, 3))
        self.assertFalse(array[1].try_acquire())
        self.assertTrue(array[-1].try_acquire(3))
        self.assertFalse(array.try_acquire(3))
        with self.assertRaises(IndexError):
            array.try_acquire(4)
        with self.assertRaises(IndexError):
            array[4]
        self.assertEqual(len(array), 4)

    def test_keyed(self):
        keyed = weir.Keyed(100, "3/h", exact=True)
        self.assertTrue(keyed.try_acquire("alice", 3))
        self.assertFalse(keyed.try_acquire(b"alice"))
        self.assertTrue(keyed.try_acquire(7, 3))
        self.assertFalse(keyed[7].try_acquire())
        self.assertTrue(weir.AllOf(keyed["bob"], weir.Limit("5/h")).try_acquire(3))
        self.assertFalse(keyed["bob"].try_acquire())


class Pacers(unittest.TestCase):
    def test_polled(self):
        sent, dropped = [], []
        pacer = weir.Pacer(weir.per(1e-6, 1), sent.append, lambda item, reason: dropped.append((item, reason)))
        lane = pacer.lane()
        for item in ("one", ["two"], None):
            self.assertTrue(lane.push(item))
        while pacer.poll().what != weir.IDLE:
            pass
        self.assertEqual(sent, ["one", ["two"], None])
        pacer.set_rate("1/h")
        lane.push("kept")
        lane.push("left")
        pacer.drain(0)
        while pacer.poll().what != weir.DONE:
            pass
        self.assertEqual(len(sent) + len(dropped), 5)
        self.assertEqual(dropped[-1], ("left", weir.DISCARDED))
        self.assertFalse(lane.push("late"))
        lane.close()

    def test_on_a_thread(self):
        sent = []
        pacer = weir.Pacer("1M/s", sent.append)
        self.assertRegex(pacer.start(), "^runs")
        with self.assertRaisesRegex(RuntimeError, "it runs already"):
            pacer.start()
        with pacer.lane(priority=0) as lane:
            for i in range(100):
                self.assertTrue(lane.push(i))
        pacer.close()
        pacer.join()
        self.assertEqual(sent, list(range(100)))

    def test_counts_what_is_raised(self):
        def fails(_):
            raise ValueError
        pacer = weir.Pacer(weir.Limit("1000/h"), fails, most_failures=2)
        with pacer.lane() as lane:
            for i in range(5):
                lane.push(i)
        self.assertEqual(pacer.poll().what, weir.PAUSED)
        pacer.discard()


class Versions(unittest.TestCase):
    def test_another_library_is_not_used(self):
        self.assertEqual(ctypes.CDLL(os.environ["WEIR_LIBRARY"]).weir_abi(), weir.ABI)
        source = open(weir.__file__).read()
        for abi, sentence in ((2, "newer libweir"), (0, "older libweir")):
            with self.assertRaisesRegex(Exception, sentence):
                exec(compile(source.replace("\nABI = 1\n", f"\nABI = {abi}\n"), "weir.py", "exec"), {})

    def test_the_example_runs(self):
        runpy.run_path(EXAMPLE, run_name="__main__")


if __name__ == "__main__":
    unittest.main()
