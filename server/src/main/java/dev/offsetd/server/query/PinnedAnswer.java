package dev.offsetd.server.query;

import dev.offsetd.server.builds.Build;
import java.util.function.Function;

/**
 * Answer from the pins of a build that has nothing stored.
 *
 * @param whole whether pins answer the query completely
 * @param stating the same answer, which states a reason of what is missing
 */
public record PinnedAnswer<T>(T answer, boolean whole, Function<String, T> stating) {

    /** Produces answers from the pins of a build. */
    public interface Source<T> extends Function<Build, PinnedAnswer<T>> {}

    public PinnedAnswer(T answer, boolean whole) {
        this(answer, whole, _ -> answer);
    }
}
