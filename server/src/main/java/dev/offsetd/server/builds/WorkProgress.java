package dev.offsetd.server.builds;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Progress of a build whose lease this server holds. Thread-safe. */
public final class WorkProgress {

    static final StoredProgress BEGUN = new StoredProgress(StoredProgress.Phase.FETCHING, null, null);

    private final Instant startedAt = Instant.now();
    private volatile StoredProgress now = BEGUN;

    /** The reading of {@link System#nanoTime} when the transfer of the file began; 0 before it. */
    private volatile long transferBegan;

    WorkProgress() {}

    /** Reports that the next source is queried. */
    public void querying() {
        transferBegan = 0;
        now = BEGUN;
    }

    /**
     * Reports that more of the debug file was received.
     *
     * @param bytes received so far, decompressed
     * @param total size of the file; empty if unknown
     */
    public void received(long bytes, OptionalLong total) {
        if (transferBegan == 0) {
            transferBegan = System.nanoTime();
        }
        now = new StoredProgress(
                StoredProgress.Phase.FETCHING, bytes, total.isPresent() ? (Long) total.getAsLong() : null);
    }

    /** Reports that the file is complete and is read next. */
    public void reading() {
        now = new StoredProgress(StoredProgress.Phase.EXTRACTING, null, null);
    }

    StoredProgress now() {
        return now;
    }

    Instant startedAt() {
        return startedAt;
    }

    /** Returns an estimate of the rest of the transfer at its speed so far; empty if no file of known size is received. */
    Optional<Duration> left() {
        StoredProgress seen = now;
        Long bytes = seen.bytes();
        Long total = seen.totalBytes();
        long began = transferBegan;
        if (bytes == null || total == null || bytes <= 0 || began == 0) {
            return Optional.empty();
        }
        double perByte = (double) (System.nanoTime() - began) / bytes;
        return Optional.of(Duration.ofNanos((long) (perByte * Math.max(0, total - bytes))));
    }
}
