package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Status of a build when it is requested. */
public sealed interface BuildStatus {

    /** The last attempt has a result that still holds. */
    record Settled(Build build) implements BuildStatus {}

    /**
     * The build is queued or in progress.
     *
     * @param result completes with the build; cancelling it does not stop the work
     * @param requestedTypes completes with the types of a large build that the query which began the work waits for
     * @param allTypes completes with all types of a large build, which may answer before they are stored
     */
    record InProgress(
            CompletableFuture<Build> result,
            CompletableFuture<EarlyBuild> requestedTypes,
            CompletableFuture<EarlyBuild> allTypes)
            implements BuildStatus {}

    /** The server is overloaded and did not start any work. */
    record Busy(Duration retryAfter) implements BuildStatus {}
}
