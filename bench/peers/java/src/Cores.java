// SPDX-License-Identifier: MIT

import com.sun.jna.Native;

/** What Java cannot ask the system for. */
public final class Cores {
    private Cores() {}

    static {
        Native.register("c");
    }

    private static native int sched_setaffinity(int thread, long size, byte[] cores);

    private static native int getrusage(int of, long[] usage);

    public static void pin(int core) {
        byte[] one = new byte[128];
        one[core / 8] = (byte) (1 << core % 8);
        sched_setaffinity(0, one.length, one);
    }

    /** How many times the system took the core away from the calling thread. */
    public static long switchedOut() {
        final int thread = 1; // RUSAGE_THREAD
        final int place = 17; // of ru_nivcsw, in longs
        long[] usage = new long[18];
        getrusage(thread, usage);
        return usage[place];
    }
}
