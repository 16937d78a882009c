package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

public sealed interface BuildStatus {

    /** The last attempt has a result that still holds. */
    record Settled(Build build) implements BuildStatus {}

    /**
     * The build is queued or in progress.
     *
     * @param result completes with the build, or fails with {@link BusyException} or {@link DrainingException}; cancelling it does
     *     not stop the work
     * @param first completes with the first content of a large build that may answer before it is stored: what the query which began
     *     the work waits for, or all types; empty if the work ended before
     * @param allTypes completes with all types of a large build; empty if the work ended before
     */
    record InProgress(
            CompletableFuture<Build> result,
            CompletableFuture<Optional<EarlyBuild>> first,
            CompletableFuture<Optional<EarlyBuild>> allTypes)
            implements BuildStatus {

        /** Returns after which time to request the build again, if the server is overloaded and did not start any work. */
        public Optional<Duration> refused() {
            return result.state() == Future.State.FAILED && result.exceptionNow() instanceof BusyException busy
                    ? Optional.of(busy.retryAfter())
                    : Optional.empty();
        }
    }
}
