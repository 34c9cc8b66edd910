// SPDX-License-Identifier: MIT

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import java.util.concurrent.ConcurrentHashMap;

/** A limit for each of a million keys. */
public final class Keyed {
    private Keyed() {}

    /** Keys lie far apart, as identifiers do, so no hash table is helped by neighbours. */
    public static long key(int index) {
        return (index + 1L) * 0x9E37_79B9_7F4A_7C15L;
    }

    /** In which order the keys are asked for; so long that no cache keeps it. */
    record Orders(int[] uniform, int[] zipf) {
        static Orders of(int keys) {
            Orders all = new Orders(new int[1 << 20], new int[1 << 20]);
            long x = 88172645463325252L;
            for (int i = 0; i < all.uniform.length; ++i) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
                double part = (x >>> 11) * 0x1p-53;
                all.uniform[i] = (int) (part * keys); // each key as often as another
                all.zipf[i] = (int) Math.pow(keys, part) - 1; // the k-th one k-th as often as the first
            }
            return all;
        }
    }

    static Sampler.Table empty() {
        return key -> key != 0;
    }

    static Sampler.Table bucket4j() {
        ConcurrentHashMap<Long, Bucket> all = new ConcurrentHashMap<>();
        Bandwidth bandwidth = Direct.bandwidth(Direct.PER_SECOND, Direct.PLENTY);
        return key -> all.computeIfAbsent(key, k -> Bucket.builder().addLimit(bandwidth).build())
                .tryConsume(1);
    }
}
