package dev.offsetd.server.query;

import dev.offsetd.server.builds.Build;
import java.util.function.Function;

/**
 * An answer about a build that has nothing stored, from its pins alone.
 *
 * @param whole whether nothing that was asked for is missing from it
 */
public record PinnedAnswer<T>(T answer, boolean whole) {

    /** Gives such answers. */
    public interface Source<T> extends Function<Build, PinnedAnswer<T>> {}
}
