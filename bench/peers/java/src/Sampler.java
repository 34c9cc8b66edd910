// SPDX-License-Identifier: MIT

/** What is measured, and by what; public, as {@link Own} has classes of another loader use it. */
public interface Sampler {
    /** A core for each thread; `tail` takes the time of each decision, for the p99.99. */
    record How(int[] cores, int decisions, boolean tail) {}

    /** Nanoseconds per decision and thread, or the p99.99; switches: how often a core was taken away. */
    record Sample(double ns, long asked, long admitted, long switches) {}

    /** One limit that all threads share. */
    interface Limit {
        boolean one();

        boolean some(long n);
    }

    /** A limit for each key. */
    interface Table {
        boolean take(long key);
    }

    /** Of a {@link Limit}, or of a {@link Table} whose keys are asked for in this order. */
    Sample sample(Object of, String demand, How how, int[] order, int from);
}
