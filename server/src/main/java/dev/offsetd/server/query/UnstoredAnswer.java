package dev.offsetd.server.query;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.server.builds.UnstoredBuild;
import java.util.Optional;
import java.util.function.Function;

/**
 * An answer from types that are not stored yet.
 *
 * @param names that the answer needs
 * @param source returns empty if the types do not suffice
 */
public record UnstoredAnswer<T>(RequestedNames names, Function<UnstoredBuild, Optional<T>> source) {

    static <T> UnstoredAnswer<T> none() {
        return new UnstoredAnswer<>(RequestedNames.NONE, _ -> Optional.empty());
    }
}
