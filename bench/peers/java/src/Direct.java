// SPDX-License-Identifier: MIT

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.function.BiFunction;

/** One limit that all threads share. */
public final class Direct {
    /** A burst that no row exhausts. */
    public static final int PLENTY = 50_000_000;
    static final int PER_SECOND = 1_000_000;
    public static final boolean[] TOO_MUCH = tooMuch();

    private Direct() {}

    /** From units a second and a burst. */
    interface Make extends BiFunction<Double, Integer, Sampler.Limit> {}

    /**
     * Which requests of a mixed demand are for too much: so many that the branch predictor cannot
     * learn them by heart.
     */
    private static boolean[] tooMuch() {
        boolean[] all = new boolean[1 << 17];
        int x = (int) 2463534242L;
        for (int i = 0; i < all.length; ++i) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            all[i] = (x >>> 16) % 2 != 0;
        }
        return all;
    }

    static Sampler.Limit empty(double perSecond, int burst) {
        return new Sampler.Limit() {
            @Override
            public boolean one() {
                return true;
            }

            @Override
            public boolean some(long n) {
                return n == 1;
            }
        };
    }

    /** Its burst is what a second brings, and it is not there in the beginning. */
    static Sampler.Limit guava(double perSecond, int burst) {
        RateLimiter limiter = RateLimiter.create(perSecond);
        return new Sampler.Limit() {
            @Override
            public boolean one() {
                return limiter.tryAcquire();
            }

            @Override
            public boolean some(long n) {
                return limiter.tryAcquire((int) n);
            }
        };
    }

    static Bandwidth bandwidth(double perSecond, int burst) {
        var capacity = Bandwidth.builder().capacity(burst);
        if (perSecond >= 1) return capacity.refillGreedy((long) perSecond, Duration.ofSeconds(1)).build();
        return capacity.refillGreedy(1, Duration.ofNanos((long) (1e9 / perSecond))).build();
    }

    private static Sampler.Limit bucket4j(Bucket bucket) {
        return new Sampler.Limit() {
            @Override
            public boolean one() {
                return bucket.tryConsume(1);
            }

            @Override
            public boolean some(long n) {
                return bucket.tryConsume(n);
            }
        };
    }

    static Sampler.Limit bucket4j(double perSecond, int burst) {
        return bucket4j(Bucket.builder().addLimit(bandwidth(perSecond, burst)).build());
    }

    static Sampler.Limit preciseBucket4j(double perSecond, int burst) {
        return bucket4j(Bucket.builder().addLimit(bandwidth(perSecond, burst)).withNanosecondPrecision()
                .build());
    }

    /** A window: the burst comes back as a whole. */
    static Sampler.Limit resilience4j(double perSecond, int burst) {
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("it", RateLimiterConfig.custom()
                .limitForPeriod(burst).limitRefreshPeriod(Duration.ofNanos((long) (burst * 1e9 / perSecond)))
                .timeoutDuration(Duration.ZERO).build());
        return new Sampler.Limit() {
            @Override
            public boolean one() {
                return limiter.acquirePermission(1);
            }

            @Override
            public boolean some(long n) {
                return limiter.acquirePermission((int) n);
            }
        };
    }

    static Sampler.Limit forDemand(String demand, Make make, boolean hasBurst) {
        if (demand.equals("deny")) {
            Sampler.Limit none = make.apply(1.0 / 3600, 1);
            none.one();
            return none;
        }
        // What cannot be given a burst is asked at a rate that it never reaches.
        Sampler.Limit limit = make.apply(hasBurst ? PER_SECOND : 1e9, PLENTY);
        if (hasBurst) limit.some(PLENTY / 2);
        return limit;
    }
}
