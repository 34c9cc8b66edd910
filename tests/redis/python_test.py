# SPDX-License-Identifier: MIT
"""python_test.py <redis-server> <limit.lua> <takes>: shares limits with a program in C++, by EVALSHA.

It needs no client library: the protocol is forty lines.
"""
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time


class Redis:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def __call__(self, *words):
        words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        message = b"*%d\r\n" % len(words)
        for word in words:
            message += b"$%d\r\n%s\r\n" % (len(word), word)
        self.socket.sendall(message)
        return self.answer()

    def answer(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        if kind == b"$":
            if int(rest) < 0:
                return None
            return self.file.read(int(rest) + 2)[:-2]
        if kind == b":":
            return int(rest)
        if kind == b"-":
            raise RuntimeError(rest.decode())
        return rest


def expect(what, told, expected):
    if told != expected:
        sys.exit(f"{what}: {told}, and not {expected}")


def refuses(call, *words):
    try:
        return f"accepted: {call(*words)}"
    except RuntimeError as error:
        return str(error).split()[0]


def main():
    server, script_path, takes = sys.argv[1:]
    with open(script_path, "rb") as file:
        script = file.read()
    sha1 = hashlib.sha1(script).hexdigest()
    folder = tempfile.mkdtemp(prefix="weir_redis_")
    path = os.path.join(folder, "socket")
    process = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
        executable=server, stdout=subprocess.DEVNULL)
    try:
        while not os.path.exists(path):
            if process.poll() is not None:
                sys.exit("redis-server did not start")
            time.sleep(0.01)
        redis = Redis(path)
        expect("the name of the script", redis("SCRIPT", "LOAD", script), sha1.encode())

        # Fifty an hour; the key as weir::remote_limiter writes it: name "shared", key "ann".
        key = "weir:6:shared:ann"
        told = redis("EVALSHA", sha1, 1, key, "gcra", "take", 20, 1, 72_000_000, 50)
        expect("twenty units", told[:4], [0, 20, 30, 0])
        cpp = subprocess.run([takes, path, "ann"], capture_output=True, text=True, check=True)
        expect("what C++ finds", cpp.stdout, "30\n")
        told = redis("EVALSHA", sha1, 1, key, "gcra", "take", 1, 1, 72_000_000, 50)
        expect("nothing is left", told[:3], [1, 0, 0])
        if not 0 < told[3] <= 72_000_000:
            sys.exit(f"the wait is {told[3]} us")
        # A fraction that is not in lowest terms is the same quota.
        expect("as many units", redis("EVALSHA", sha1, 1, "other", "gcra", "take", 50, 50,
                                      3_600_000_000, 50)[:3], [0, 50, 0])

        for rule in "fixed_window", "sliding_window", "sliding_log":
            told = [redis("EVALSHA", sha1, 1, rule, rule, "take", 1, 2, 3_600_000_000, 2)[0]
                    for _ in range(3)]
            if rule != "sliding_window":  # whose window may end meanwhile
                expect(rule, told, [0, 0, 1])
            expect("peek at " + rule,
                   redis("EVALSHA", sha1, 1, rule, rule, "peek", 3, 2, 3_600_000_000, 2)[0], 2)

        for bad in (["gcra", "take", "-1", 1, 1, 1], ["gcra", "take", "1.5", 1, 1, 1],
                    ["gcra", "take", "1e3", 1, 1, 1], ["gcra", "take", "0x10", 1, 1, 1],
                    ["gcra", "take", "nan", 1, 1, 1], ["gcra", "take", "", 1, 1, 1],
                    ["gcra", "take", 1, 0, 1, 1], ["gcra", "take", 1, 1, 0, 1],
                    ["gcra", "take", 1, 1, 1, 0], ["gcra", "take", 1, 1, 2**51, 2],
                    ["gcra", "take", 2**53, 1, 1, 1], ["gcra", "give", 1, 1, 1, 1],
                    ["bucket", "take", 1, 1, 1, 1], ["gcra", "take", 1, 1, 1],
                    ["fixed_window", "take", 1, 2, 1, 1], ["fixed_window", "lease", 1, 1, 1, 1],
                    ["sliding_log", "take", 1, 100001, 1, 100001],
                    ["gcra", "take", 1, 1, 1, 1, 5], ["gcra", "take", 1, 1, 1, 1, "", "soon"]):
            expect(f"{bad}", refuses(redis, "EVALSHA", sha1, 1, "fresh", *bad), "WEIR_ARGUMENT")
        expect("two keys", refuses(redis, "EVALSHA", sha1, 2, "fresh", "b", "gcra", "take", 1, 1, 1, 1),
               "WEIR_ARGUMENT")
        expect("what was refused has made no key", redis("EXISTS", "fresh"), 0)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


main()
