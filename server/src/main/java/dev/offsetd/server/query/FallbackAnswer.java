package dev.offsetd.server.query;

import dev.offsetd.server.builds.Build;
import java.util.Map;
import java.util.function.Function;

/** Result of a fallback for a build that no source has a usable file of. */
public sealed interface FallbackAnswer<T> {

    /** Answers for builds that no source has a usable file of. */
    interface Source<T> extends Function<Build, FallbackAnswer<T>> {}

    /** An answer. */
    record Given<T>(T answer) implements FallbackAnswer<T> {}

    /** The client did not ask for the fallback. */
    record NotAsked<T>() implements FallbackAnswer<T> {}

    /**
     * No answer.
     *
     * @param detail added to that of the build's problem
     * @param members added to the problem
     */
    record Declined<T>(String detail, Map<String, Object> members) implements FallbackAnswer<T> {

        public Declined {
            members = Map.copyOf(members);
        }
    }
}
