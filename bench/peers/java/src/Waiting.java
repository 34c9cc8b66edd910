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
     * Units that were admitted between two calls that were admitted as soon as they could be, and the
     * time between these calls.
     */
    static String accuracy(Sampler.Limit limit, int units, long length) {
        long soon = length / 50_000;
        long first = 0;
        long last = 0;
        long refusal = 0;
        long since = 0; // admitted since the first of the two calls
        long admitted = 0;
        boolean refused = false;
        boolean begun = false;
        long begin = System.nanoTime();
        for (long before = begin; before - begin < length;) {
            boolean ok = limit.some(units);
            long after = System.nanoTime();
            if (!ok) {
                refusal = before;
            } else {
                if (refused && after - refusal < soon) {
                    if (!begun) {
                        first = after;
                        since = 0;
                        begun = true;
                    }
                    last = after;
                    admitted = since;
                }
                since += units;
            }
            refused = !ok;
            before = after;
        }
        return admitted + " " + (last - first);
    }
}
