package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.EarlyContent.Wanted;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Consumer of content of a file before it is stored.
 *
 * @param wanted what a query waits for: it is read and consumed before all else
 */
public record EarlyConsumer<T>(Wanted wanted, Consumer<T> consumer) {

    /** Returns a consumer that ignores the content. */
    public static <T> EarlyConsumer<T> none() {
        return new EarlyConsumer<>(Wanted.NONE, _ -> {});
    }

    void accept(T content) {
        consumer.accept(content);
    }

    <U> EarlyConsumer<U> converting(Function<U, T> conversion) {
        return new EarlyConsumer<>(wanted, content -> consumer.accept(conversion.apply(content)));
    }
}
