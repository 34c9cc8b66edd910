"""python_leases_test.py <socket of a Redis>: the wrapper of src/examples/python for leased limits."""
import gc
import sys
import time
import unittest

import weir
import weir_redis

REDIS = {"socket": sys.argv.pop(), "connect_within": 600, "answer_within": 600}
QUOTA = "1000/h"


def leased(name, **options):
    return weir_redis.Leased(QUOTA, name, processes=4, **options, **REDIS)


def by_key(name):
    return weir_redis.LeasedByKey(QUOTA, name, 100, processes=4, **REDIS)


class Leases(unittest.TestCase):
    def test_decides(self):
        with leased("decides") as calls:
            self.assertEqual(calls.fleet.mode, weir_redis.LEASED)
            self.assertEqual(calls.fleet.burst, 125)
            self.assertIsNone(calls.fleet.text)
            self.assertTrue(calls.try_acquire())
            self.assertTrue(calls.acquire(125))
            self.assertEqual(calls.try_acquire(126).retry_after, float("inf"))
            self.assertEqual(calls.state.quota.units, 1000)
            both = weir.AllOf(weir.Limit("5/h"), calls)
            self.assertTrue(both.acquire(2, timeout=None))
            del both
        with leased("decides") as again:
            self.assertLessEqual(again.fleet.leased, 1000)

    def test_paces(self):
        sent = []
        pacer = weir.Pacer(leased("paces"), sent.append)
        gc.collect()
        pacer.start()
        with pacer.lane() as lane:
            for i in range(50):
                self.assertTrue(lane.push(i))
        pacer.close()
        pacer.join()
        self.assertEqual(sent, list(range(50)))

    def test_keys(self):
        with by_key("keys") as users:
            for key in ("ann", b"an\0", "", "\r\nFLUSHALL\r\n", "ü" * 32):
                self.assertTrue(users.peek(key))
                self.assertTrue(users.try_acquire(key))
            while not users.try_acquire("ann", 100):
                time.sleep(0.001)
            with self.assertRaisesRegex(weir.Refused, "64 bytes at most"):
                users.try_acquire("ü" * 33)
            while users.fleet.entered < 5:  # one that was forgotten comes again
                time.sleep(0.001)

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(weir.Refused, "how many processes"):
            weir_redis.Leased(QUOTA, "x", processes=0, **REDIS)
        with self.assertRaisesRegex(weir.Refused, "2 units for each process"):
            weir_redis.Leased("3/h", "x", processes=2, **REDIS)
        with self.assertRaisesRegex(weir.Refused, "user or the password"):
            leased("x", password="wrong")
        with self.assertRaisesRegex(weir.Refused, "a value that it cannot have"):
            leased("x", away=7)
        with self.assertRaisesRegex(weir.Refused, "cannot do that"):
            leased("x").reset()
        away = weir_redis.Leased(QUOTA, "x", processes=4, socket="/nowhere", away=weir_redis.OPEN)
        self.assertEqual(away.fleet.mode, weir_redis.NO_LEASE_YET)
        self.assertRegex(away.fleet.text, "no connection to Redis")
        self.assertTrue(away.try_acquire(100))

    def test_knows_the_structs(self):
        for name in ("redis_options", "fleet_options", "fleet_state"):
            its = {"redis_options": weir_redis._Redis, "fleet_options": weir_redis._Fleet,
                   "fleet_state": weir_redis.State}[name]
            self.assertEqual(weir._lib.weir_size_of(name.encode()), weir.ctypes.sizeof(its))


if __name__ == "__main__":
    unittest.main()
