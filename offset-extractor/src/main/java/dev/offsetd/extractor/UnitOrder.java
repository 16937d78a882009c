package dev.offsetd.extractor;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Order of a parallel reading: several threads take numbers and read what they stand for, and their results are joined in the
 * order of the numbers. The error of the lowest number wins, so the outcome does not depend on the number of threads.
 */
final class UnitOrder<T> {

    /** Takes the results, one after the other. */
    @FunctionalInterface
    interface Sink<T> {
        void add(T result) throws ExtractionException;
    }

    /** Returned by {@link #take} after an error. */
    static final int NONE = -1;

    private final Sink<T> sink;

    /** Results that wait for that of a lower number. */
    private final Map<Integer, T> waiting = new HashMap<>();

    private int next;
    private int joined;
    private int failed = Integer.MAX_VALUE;
    private @Nullable ExtractionException failure;

    UnitOrder(Sink<T> sink) {
        this.sink = sink;
    }

    /** Returns the next number, counted from 0, or {@link #NONE} if one failed or the thread was interrupted. */
    synchronized int take() {
        // Numbers are taken in order: when one fails, all below it are finished or in progress.
        return next > failed || Thread.currentThread().isInterrupted() ? NONE : next++;
    }

    /** Joins the result of a number, with those that waited for it. */
    synchronized void join(int number, T result) throws ExtractionException {
        waiting.put(number, result);
        for (T ready = waiting.remove(joined); ready != null; ready = waiting.remove(joined)) {
            sink.add(ready);
            joined++;
        }
    }

    synchronized void fail(int number, ExtractionException exception) {
        if (number < failed) {
            failed = number;
            failure = exception;
        }
    }

    /**
     * Throws the error of the lowest number that failed, if one did.
     *
     * @throws CancellationException if the current thread was interrupted: it may have left out numbers
     */
    synchronized void requireNoFailure() throws ExtractionException {
        if (failure != null) {
            throw failure;
        }
        Deadline.checkInterrupt();
    }
}
