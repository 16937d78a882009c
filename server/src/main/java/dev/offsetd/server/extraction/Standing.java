package dev.offsetd.server.extraction;

import dev.offsetd.server.builds.Build;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Where a build stands when it is asked for. */
public sealed interface Standing {

    /** There is a result, or it is too early to try again. */
    record Settled(Build build) implements Standing {}

    /**
     * Somebody works on it.
     *
     * @param result the build once the work has ended; all who ask get the same one, and cancelling it stops nothing
     */
    record UnderWay(CompletableFuture<Build> result) implements Standing {}

    /** There is too much to do already; nothing was begun. */
    record Busy(Duration retryAfter) implements Standing {}
}
