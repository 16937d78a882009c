package dev.offsetd.cli.terminal;

import dev.offsetd.query.answer.ByteCount;
import java.time.Duration;

/** Progress line of work on a known number of bytes: percent, bytes and an estimate. Appears after the first second. */
public final class ByteProgress {

    private static final Duration DELAY = Duration.ofSeconds(1);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final Console console;
    private final String label;
    private long start = System.nanoTime();
    private long nextShown = start + DELAY.toNanos();

    /** @param label what is done, such as "reading" */
    public ByteProgress(Console console, String label) {
        this.console = console;
        this.label = label;
    }

    /** Shows the progress, at most ten times a second. No bytes start the first second again. Thread-safe. */
    public void update(long bytes, long total) {
        if (console.terminal().isPresent()) {
            show(bytes, total, System.nanoTime());
        }
    }

    private synchronized void show(long bytes, long total, long now) {
        if (bytes == 0) {
            start = now;
            nextShown = now + DELAY.toNanos();
        }
        if (now - nextShown >= 0) {
            nextShown = now + INTERVAL.toNanos();
            console.progress(label + ": " + describe(bytes, total) + estimate(bytes, total, now - start));
        }
    }

    /** Returns percent and bytes. */
    public static String describe(long bytes, long total) {
        long percent = (long) (Math.clamp((double) bytes / total, 0, 1) * 100);
        return percent + "%, " + ByteCount.text(bytes) + " of " + ByteCount.text(total);
    }

    /** Returns the remaining time at the speed so far; empty if it cannot be estimated. */
    public static String estimate(long bytes, long total, long elapsedNanos) {
        return bytes <= 0 || bytes >= total ? "" : left((long) Math.ceil(elapsedNanos / 1e9 * (total - bytes) / bytes));
    }

    /** Returns a remaining time. */
    public static String left(long seconds) {
        return ", " + (seconds < 120 ? seconds + " s" : seconds / 60 + " min") + " left";
    }
}
