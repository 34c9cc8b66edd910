"""python3 src/examples/python/limits.py: three logins at once, and ten messages through a pacer.
WEIR_LIBRARY names libweir.so if the system does not find it."""
import weir

logins = weir.Limit("6/min, burst 3")
for i in range(1, 5):
    answer = logins.try_acquire()
    print(f"{i}: {answer}" if answer else f"{i}: wait {answer.retry_after:.0f} s")

per_client = weir.Keyed(4096, weir.per_second(10))
print("10.0.0.7 may" if per_client.try_acquire("10.0.0.7") else "10.0.0.7 must wait")

sent = []
messages = weir.Pacer(weir.per_second(1000), emit=sent.append)
messages.start()
with messages.lane() as lane:
    for number in range(10):
        lane.push({"number": number})
messages.close()
messages.join()
print(f"{len(sent)} sent, the last is {sent[-1]}")
