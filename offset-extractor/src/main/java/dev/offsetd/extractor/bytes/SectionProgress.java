package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.MalformedInputException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a section that one thread decompresses while others read it. Bytes that {@link #await} has waited for do
 * not change.
 */
public final class SectionProgress {

    /** Bytes from the start of the section. */
    private volatile long available;

    private volatile boolean cancelled;
    private boolean ended;
    private @Nullable Throwable failure;

    /** Announces that the section is complete up to this offset. For the decompressing thread. */
    public synchronized void advance(long end) {
        available = end;
        notifyAll();
    }

    /**
     * Announces that decompression has ended. For the decompressing thread.
     *
     * @param cause why the rest is missing, or null if the section is complete
     */
    public synchronized void end(@Nullable Throwable cause) {
        ended = true;
        failure = cause;
        notifyAll();
    }

    /** Asks the decompressing thread to stop. */
    public void cancel() {
        cancelled = true;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Waits until the section is complete up to this offset.
     *
     * @throws MalformedInputException if its contents are broken before that
     * @throws UncheckedIOException of an {@link InterruptedIOException} if the thread was interrupted
     */
    void await(long end) throws MalformedInputException {
        if (available < end) {
            awaitSlowly(end);
        }
    }

    /**
     * Waits until the section is complete.
     *
     * @throws MalformedInputException if its contents are broken
     * @throws UncheckedIOException of an {@link InterruptedIOException} if the thread was interrupted
     */
    public void awaitEnd() throws MalformedInputException {
        awaitSlowly(Long.MAX_VALUE);
    }

    private synchronized void awaitSlowly(long end) throws MalformedInputException {
        try {
            while (available < end && !ended) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new UncheckedIOException((InterruptedIOException)
                    new InterruptedIOException("interrupted while a section was decompressed").initCause(e));
        }
        if (available < end && failure != null) {
            switch (failure) {
                case MalformedInputException malformed -> throw malformed;
                case RuntimeException unexpected -> throw unexpected;
                case Error error -> throw error;
                default -> throw new IllegalStateException(failure);
            }
        }
    }
}
