package dev.offsetd.server.web;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lowest rate of a transfer. The other side may be behind it by an allowance; bytes that arrive faster restore the allowance, but
 * buy no longer pause. Not thread-safe.
 */
public final class Pace {

    /** A modem is faster; a client that is slower holds its place for minutes. */
    public static final long BYTES_PER_SECOND = 1000;

    private final long bytesPerSecond;
    private final long allowanceNanos;
    private long leftNanos;

    public Pace(long bytesPerSecond, Duration allowance) {
        this.bytesPerSecond = bytesPerSecond;
        this.allowanceNanos = allowance.toNanos();
        this.leftNanos = allowanceNanos;
    }

    /**
     * Counts a part of the transfer.
     *
     * @param nanos time that the other side took for it
     * @return whether the other side is fast enough
     */
    public boolean keeps(long bytes, long nanos) {
        // A part of more than an hour's bytes restores all of the allowance anyway.
        long earned = Math.min(bytes, 3600 * bytesPerSecond) * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        leftNanos = Math.min(allowanceNanos, leftNanos - nanos + earned);
        return leftNanos >= 0;
    }

    /** Returns how long the other side may send nothing after it was fast enough. */
    public long allowanceNanos() {
        return allowanceNanos;
    }

    @Override
    public String toString() {
        return bytesPerSecond + " bytes per second, with at most " + allowanceNanos / 1_000_000 + " ms behind";
    }
}
