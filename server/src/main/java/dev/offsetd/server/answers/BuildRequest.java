package dev.offsetd.server.answers;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.web.Wait;
import org.jspecify.annotations.Nullable;

/**
 * A request about a build.
 *
 * @param caller that has a share of the work which the request begins
 * @param part of the build that the query reads
 * @param waiting how long the client waits for the build
 * @param name that the client gives the build, for builds that no source has; null if it gives none. Queries leave it out, so that
 *     clients with different names for a build share its cached answers
 */
public record BuildRequest(
        BuildId id,
        Caller caller,
        Part part,
        Wait waiting,
        @Nullable String name) {

    /** Parameter of a query with the name. */
    public static final String NAME = "name";

    /** Part of a stored build that a query reads. */
    public enum Part {
        TYPES,

        /** Stored also for files whose debug information is unusable. */
        SYMBOLS
    }
}
