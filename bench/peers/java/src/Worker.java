// SPDX-License-Identifier: MIT

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The Java worker; what it is asked and what it answers is told in worker.hpp of the driver. */
public final class Worker {
    private static final List<String> ALL = List.of("admit", "deny", "mixed", "accuracy", "making", "first");
    private static final List<String> NO_MIXED = List.of("admit", "deny", "accuracy", "making", "first");

    /** What this worker can be asked. */
    private abstract static class Row {
        final String name;
        final String title;
        final List<String> demands;
        double bytes; // of the heap, for each limiter or key; 0: it has none

        Row(String name, String title, List<String> demands) {
            this.name = name;
            this.title = title;
            this.demands = demands;
        }

        /** None if it cannot. */
        abstract String answer(String demand, int[] numbers, int[] cores, boolean tail);
    }

    private static String told(Sampler.Sample s) {
        return s.ns() + " " + s.asked() + " " + s.admitted() + " " + s.switches();
    }

    private static Sampler.How how(int[] numbers, int[] cores, boolean tail) {
        return new Sampler.How(Arrays.copyOf(cores, numbers[0]), numbers[1], tail);
    }

    private static final class DirectRow extends Row {
        private final Direct.Make make;
        private final Map<String, Sampler> samplers = new LinkedHashMap<>();

        DirectRow(String name, String title, List<String> demands, Direct.Make make) {
            super(name, title, demands);
            this.make = make;
        }

        DirectRow measured() {
            final int many = 10_000;
            Sampler.Limit[] all = new Sampler.Limit[many];
            heapOf(all, i -> make.apply((double) Direct.PER_SECOND, Direct.PLENTY)); // loads its classes
            // Not counted: the object by which this worker calls them.
            long own = heapOf(all, i -> Direct.empty(i, i));
            long whole = heapOf(all, i -> make.apply((double) Direct.PER_SECOND, Direct.PLENTY));
            bytes = (whole - own) / (double) many;
            return this;
        }

        private static long heapOf(Sampler.Limit[] all, IntFunction<Sampler.Limit> make) {
            Arrays.fill(all, null);
            long before = heapInUse();
            for (int i = 0; i < all.length; ++i) all[i] = make.apply(i);
            long used = heapInUse() - before;
            if (all[all.length - 1] == null) throw new IllegalStateException(); // all live until here
            return used;
        }

        @Override
        String answer(String demand, int[] numbers, int[] cores, boolean tail) {
            switch (demand) {
                case "accuracy": {
                    int burst = Math.max(numbers[1], numbers[0] / 10);
                    if (name.equals("resilience4j")) burst = Math.max(numbers[1], numbers[0] / 100);
                    Waiting.accuracy(make.apply(1e5, 1000), 1, 50_000_000L); // until it is compiled
                    return Waiting.accuracy(make.apply((double) numbers[0], burst), numbers[1],
                            numbers[2] * 1_000_000L);
                }
                case "making": {
                    Sampler.Limit[] all = new Sampler.Limit[numbers[0]];
                    long begin = System.nanoTime();
                    for (int i = 0; i < all.length; ++i)
                        all[i] = make.apply((double) Direct.PER_SECOND, Direct.PLENTY);
                    return "" + (System.nanoTime() - begin);
                }
                default:
                    Sampler.Limit limit = Direct.forDemand(demand, make, demands.contains("mixed"));
                    return told(samplers.computeIfAbsent(demand, d -> Own.sampler())
                            .sample(limit, demand, how(numbers, cores, tail), null, 0));
            }
        }
    }

    private static final class KeyedRow extends Row {
        private final Sampler.Table table;
        private final Keyed.Orders orders;
        private final Map<String, Sampler> samplers = new LinkedHashMap<>();
        private int from;

        KeyedRow(String name, String title, int keys, Keyed.Orders orders, Supplier<Sampler.Table> make) {
            super(name, title, List.of("uniform", "zipf"));
            this.orders = orders;
            long before = heapInUse();
            table = make.get();
            for (int i = 0; i < keys; ++i) table.take(Keyed.key(i)); // all are there before the first sample
            bytes = Math.max(0, (heapInUse() - before) / (double) keys);
        }

        @Override
        String answer(String demand, int[] numbers, int[] cores, boolean tail) {
            int[] order = demand.equals("zipf") ? orders.zipf() : orders.uniform();
            from += 400_000; // no sample meets the keys of the one before it, which warmed up the table
            return told(samplers.computeIfAbsent(demand, d -> Own.sampler())
                    .sample(table, demand, how(numbers, cores, tail), order, from & (order.length - 1)));
        }
    }

    private static final class WaitingRow extends Row {
        private final IntFunction<Runnable> make;

        WaitingRow(String name, String title, IntFunction<Runnable> make) {
            super(name, title, List.of("waiting"));
            this.make = make;
        }

        @Override
        String answer(String demand, int[] numbers, int[] cores, boolean tail) {
            return Waiting.waiting(make.apply(numbers[0]), numbers[0], numbers[1] * 1_000_000L);
        }
    }

    private static long heapInUse() {
        System.gc();
        System.gc(); // what the first one has found to be unused may have been waiting for that
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static List<DirectRow> directRows() {
        return List.of(
                new DirectRow("guava", "Guava RateLimiter, tryAcquire", NO_MIXED, Direct::guava),
                new DirectRow("bucket4j", "Bucket4j, lock-free", ALL, Direct::bucket4j),
                new DirectRow("bucket4j_ns", "Bucket4j, lock-free, in nanoseconds", ALL,
                        Direct::preciseBucket4j),
                new DirectRow("resilience4j", "Resilience4j AtomicRateLimiter", ALL, Direct::resilience4j));
    }

    private static List<Row> rows(int keys) {
        List<Row> all = new ArrayList<>();
        all.add(new DirectRow("empty", "empty loop (Java)", ALL.subList(0, 3), Direct::empty));
        for (DirectRow row : directRows()) all.add(row.measured());
        all.add(new WaitingRow("guava_acquire", "Guava acquire", Waiting::guava));
        all.add(new WaitingRow("bucket4j_blocking", "Bucket4j asBlocking, in nanoseconds",
                Waiting::bucket4j));
        Keyed.Orders orders = Keyed.Orders.of(keys);
        Row empty = new KeyedRow("empty_keyed", "empty loop, keyed (Java)", keys, orders, Keyed::empty);
        empty.bytes = 0;
        all.add(empty);
        all.add(new KeyedRow("bucket4j_keyed", "Bucket4j in a ConcurrentHashMap", keys, orders,
                Keyed::bucket4j));
        return all;
    }

    /** Until the compiler has done what it will do. */
    private static void warmUp(List<Row> rows, int[] cores) {
        for (Row row : rows) {
            for (String demand : row.demands) {
                if (!List.of("admit", "deny", "mixed", "uniform", "zipf").contains(demand)) continue;
                for (int i = 0; i < 4; ++i) {
                    row.answer(demand, new int[] {1, 50_000}, cores, false);
                    row.answer(demand, new int[] {1, 20_000}, cores, true);
                }
            }
        }
    }

    private static String answer(List<Row> rows, int[] cores, String request) {
        String[] words = request.split(" ");
        int[] numbers = new int[3];
        for (int i = 2; i < words.length && i < 5; ++i) {
            if (words[i].matches("[0-9]{1,9}")) numbers[i - 2] = Integer.parseInt(words[i]);
        }
        for (Row row : rows) {
            if (words.length < 3 || !row.name.equals(words[0]) || !row.demands.contains(words[1])) continue;
            boolean isSample = words.length == 5 && !words[1].equals("accuracy");
            if (isSample && (numbers[0] < 1 || numbers[0] > cores.length)) continue;
            return row.answer(words[1], numbers, cores, isSample && words[4].equals("p99.99"));
        }
        return "error: cannot do: " + request;
    }

    private static void first(String name) {
        long begin = System.nanoTime();
        for (DirectRow row : directRows()) {
            if (!row.name.equals(name)) continue;
            row.make.apply((double) Direct.PER_SECOND, Direct.PLENTY).one();
            System.out.println(System.nanoTime() - begin);
            return;
        }
        System.err.println("no such limiter: " + name);
        System.exit(2);
    }

    public static void main(String[] words) throws IOException {
        if (words.length == 2 && words[0].equals("first")) {
            first(words[1]);
            return;
        }
        if (words.length < 2) {
            System.err.println("usage: java <keys> <core> [<core>], or java first <name>");
            System.exit(2);
        }
        int[] cores = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
        List<Row> rows = rows(Integer.parseInt(words[0]));
        warmUp(rows, cores);
        for (Row row : rows) {
            System.out.println("row " + row.name + " " + row.bytes + " " + String.join(",", row.demands) + " "
                    + row.title);
        }
        String by = "java " + System.getProperty("java.version");
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String library = new File(path).getName();
            if (library.matches("(guava|bucket4j|resilience4j-rate).*[.]jar"))
                by += ", " + library.replace(".jar", "");
        }
        System.out.println("by " + by);
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(rows, cores, line));
        }
    }
}
