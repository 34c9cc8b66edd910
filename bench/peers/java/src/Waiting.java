// SPDX-License-Identifier: MIT

import com.google.common.util.concurrent.RateLimiter;
import com.sun.management.OperatingSystemMXBean;
import io.github.bucket4j.BlockingBucket;
import io.github.bucket4j.Bucket;
import java.lang.management.ManagementFactory;

/** Threads that wait, and how exactly the rate is kept; see worker.hpp. */
final class Waiting {
    private Waiting() {}

    static Runnable guava(int perSecond) {
        RateLimiter limiter = RateLimiter.create(perSecond);
        return limiter::acquire;
    }

    static Runnable bucket4j(int perSecond) {
        BlockingBucket bucket = Bucket.builder().addLimit(Direct.bandwidth(perSecond, 10))
                .withNanosecondPrecision().build().asBlocking();
        return () -> bucket.consumeUninterruptibly(1);
    }

    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** When each wait was over, since the first one was, and what the process took meanwhile. */
    static String waiting(Runnable wait, int perSecond, long length) {
        for (int i = 0; i < 20; ++i) wait.run(); // the burst, and everything cold
        StringBuilder at = new StringBuilder();
        long[] times = new long[(int) (2 * length * perSecond / 1_000_000_000) + 1000];
        int count = 0;
        long before = cpu();
        long first = System.nanoTime();
        for (long now = first; now - first < length && count < times.length; now = System.nanoTime()) {
            times[count++] = now - first;
            wait.run();
        }
        long taken = cpu() - before;
        for (int i = 0; i < count; ++i) at.append(' ').append(times[i]);
        return taken + " " + count + at;
    }

    /**
     * A call that was admitted after one that was refused: of which time it is not known when it could
     * have been admitted, and what was admitted before it.
     */
    private record Turn(long within, long at, long units) {}

    /**
     * Units that were admitted between two turns, the time between these, and how wrong that may be.
     * The turns are the surest one of each half.
     */
    static String accuracy(Sampler.Limit limit, int units, long length) {
        Turn[] turns = new Turn[2];
        long refusal = 0;
        long admitted = 0;
        boolean refused = false;
        long begin = System.nanoTime();
        for (long before = begin; before - begin < length;) {
            boolean ok = limit.some(units);
            long after = System.nanoTime();
            if (!ok) {
                refusal = before;
            } else {
                if (refused) {
                    int half = after - begin > length / 2 ? 1 : 0;
                    long within = after - refusal;
                    if (turns[half] == null || within < turns[half].within)
                        turns[half] = new Turn(within, after, admitted);
                }
                admitted += units;
            }
            refused = !ok;
            before = after;
        }
        Turn first = turns[0];
        Turn last = turns[1];
        if (first == null || last == null) return "0 0 0";
        return (last.units - first.units) + " " + (last.at - first.at) + " " + (first.within + last.within);
    }
}
