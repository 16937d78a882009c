package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.RequestedNames;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Takes types of a file before they are stored.
 *
 * @param first names that a query waits for: their types are read and taken before all others
 */
record EarlyConsumer<T>(RequestedNames first, Consumer<T> taker) {

    /** Takes nothing. */
    static <T> EarlyConsumer<T> notTaken() {
        return new EarlyConsumer<>(RequestedNames.NONE, _ -> {});
    }

    void take(T types) {
        taker.accept(types);
    }

    /** Returns a taker of others, which are converted first. */
    <U> EarlyConsumer<U> after(Function<U, T> conversion) {
        return new EarlyConsumer<>(first, types -> taker.accept(conversion.apply(types)));
    }
}
