package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.RequestedNames;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Consumer of types of a file before they are stored.
 *
 * @param requested names that a query waits for: their types are read and consumed before all others
 */
public record EarlyConsumer<T>(RequestedNames requested, Consumer<T> consumer) {

    /** Returns a consumer that ignores the types. */
    public static <T> EarlyConsumer<T> none() {
        return new EarlyConsumer<>(RequestedNames.NONE, _ -> {});
    }

    void accept(T types) {
        consumer.accept(types);
    }

    /** Returns a consumer that converts its input for this one. */
    <U> EarlyConsumer<U> converting(Function<U, T> conversion) {
        return new EarlyConsumer<>(requested, types -> consumer.accept(conversion.apply(types)));
    }
}
