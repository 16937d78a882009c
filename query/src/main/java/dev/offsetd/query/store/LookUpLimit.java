package dev.offsetd.query.store;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limit of the types that a look-up in a catalogue reads, or look-ups that share what they read. A type is read with those that it
 * holds by value, so one name can stand for a whole file. Without a limit of the current thread, look-ups read any number of types.
 */
public final class LookUpLimit {

    private static final ScopedValue<Long> CURRENT = ScopedValue.newInstance();

    private LookUpLimit() {}

    /**
     * Runs work whose look-ups read at most this many bytes of types, decompressed.
     *
     * @throws TypesTooLargeException if a look-up needs more
     */
    public static <T extends @Nullable Object> T during(long bytes, Supplier<T> work) {
        return ScopedValue.where(CURRENT, bytes).call(work::get);
    }

    /** Returns work with the limit of the calling thread, whichever thread runs it. */
    public static <T extends @Nullable Object> Callable<T> carried(Callable<T> work) {
        if (!CURRENT.isBound()) {
            return work;
        }
        long bytes = CURRENT.get();
        return () -> ScopedValue.where(CURRENT, bytes).call(work::call);
    }

    static void check(long bytes) {
        if (CURRENT.isBound() && bytes > CURRENT.get()) {
            throw new TypesTooLargeException(CURRENT.get());
        }
    }
}
