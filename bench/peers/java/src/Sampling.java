// SPDX-License-Identifier: MIT

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One thread, or two in lockstep, make decisions, and say what one decision took and how many were
 * admitted. Each row's demand loads this class anew (see {@link Own}), so that the compiler sees one
 * kind of limit in it, as it does in a program that has one.
 */
final class Sampling implements Sampler {
    private static final int CHUNK = 50;

    private interface Decision {
        boolean decide();
    }

    private static final class Part {
        double elapsed;
        int timed;
        long asked;
        long admitted;
        long switches;
        long[] each;

        /** That one in ten thousand exceeds. */
        double p9999() {
            if (timed == 0) return 0; // the other one was through before it began
            Arrays.sort(each, 0, timed);
            return each[(int) (((long) timed * 9999 + 9999) / 10_000) - 1];
        }
    }

    private static Decision decision(Object of, String demand, int thread, int[] order, int from) {
        if (of instanceof Table table) {
            return new Decision() {
                private int at = from + thread * (order.length / 2);

                @Override
                public boolean decide() {
                    return table.take(Keyed.key(order[at++ & (order.length - 1)]));
                }
            };
        }
        Limit limit = (Limit) of;
        if (!demand.equals("mixed")) return limit::one;
        boolean[] pattern = Direct.TOO_MUCH;
        return new Decision() {
            private int at = thread * (pattern.length / 2);

            @Override
            public boolean decide() {
                return limit.some(pattern[at++ & (pattern.length - 1)] ? Direct.PLENTY : 1);
            }
        };
    }

    private static void meet(AtomicInteger arrived, int all) {
        arrived.incrementAndGet();
        while (arrived.get() < all) Thread.onSpinWait();
    }

    private static long together(Decision d, Part into, int decisions, AtomicInteger over) {
        long admitted = 0;
        int done = 0;
        long start = System.nanoTime();
        while (done < decisions && over.getOpaque() == 0) {
            for (int i = 0; i < CHUNK; ++i) admitted += d.decide() ? 1 : 0;
            done += CHUNK;
        }
        over.setOpaque(1);
        into.elapsed = System.nanoTime() - start;
        into.timed = done;
        return admitted;
    }

    private static long oneByOne(Decision d, Part into, int decisions, AtomicInteger over) {
        long admitted = 0;
        int done = 0;
        while (done < decisions && over.getOpaque() == 0) {
            for (int i = 0; i < CHUNK; ++i) {
                long before = System.nanoTime();
                admitted += d.decide() ? 1 : 0;
                into.each[done++] = System.nanoTime() - before;
            }
        }
        over.setOpaque(1);
        into.timed = done;
        return admitted;
    }

    @Override
    public Sample sample(Object of, String demand, How how, int[] order, int from) {
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger over = new AtomicInteger();
        Part[] parts = new Part[how.cores().length];
        Thread[] threads = new Thread[parts.length];
        for (int i = 0; i < parts.length; ++i) {
            int me = i;
            threads[me] = new Thread(() -> {
                Cores.pin(how.cores()[me]);
                Decision d = decision(of, demand, me, order, from);
                Part mine = new Part();
                parts[me] = mine;
                if (how.tail()) mine.each = new long[how.decisions() + CHUNK];
                int first = how.decisions() / 4; // finds everything cold
                for (int k = 0; k < first; ++k) mine.admitted += d.decide() ? 1 : 0;
                meet(arrived, parts.length); // until then the threads find their cores
                long switches = Cores.switchedOut();
                meet(arrived, 2 * parts.length);
                // The first thread that is through stops the other, so that both are at it all the time.
                mine.admitted += how.tail() ? oneByOne(d, mine, how.decisions(), over)
                        : together(d, mine, how.decisions(), over);
                mine.switches = Cores.switchedOut() - switches;
                mine.asked = first + mine.timed;
            });
            threads[me].start();
        }
        double elapsed = 0;
        double longest = 0;
        long timed = 0;
        long asked = 0;
        long admitted = 0;
        long switches = 0;
        for (int i = 0; i < parts.length; ++i) {
            try {
                threads[i].join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            Part p = parts[i];
            elapsed += p.elapsed;
            timed += p.timed;
            asked += p.asked;
            admitted += p.admitted;
            switches += p.switches;
            if (how.tail()) longest = Math.max(longest, p.p9999());
        }
        return new Sample(how.tail() ? longest : elapsed / timed, asked, admitted, switches);
    }
}
