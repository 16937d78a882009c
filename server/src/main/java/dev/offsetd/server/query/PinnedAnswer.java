package dev.offsetd.server.query;

import dev.offsetd.server.builds.Build;
import java.util.function.Function;

/**
 * Answer from the pins of a build that has nothing stored.
 *
 * @param whole whether pins answer the query completely
 */
public record PinnedAnswer<T>(T answer, boolean whole) {

    /** Produces answers from the pins of a build. */
    public interface Source<T> extends Function<Build, PinnedAnswer<T>> {}
}
