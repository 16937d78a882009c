package dev.offsetd.server.builds.demand;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.ClaimedName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Number of requests for a build that no source has.
 *
 * @param asked requests, more than 0
 * @param cause problem code of the last request
 * @param claimed what a caller calls the build; null if none did
 */
public record DemandCount(
        BuildId id,
        long asked,
        Instant firstAsked,
        Instant lastAsked,
        String cause,
        @Nullable ClaimedName claimed) {

    /** Names of {@link #cells}. */
    public static final List<String> COLUMNS = List.of("build_id", "count", "first_asked", "last_asked", "cause");

    DemandCount(BuildId id, long asked, Instant firstAsked, Instant lastAsked, String cause) {
        this(id, asked, firstAsked, lastAsked, cause, null);
    }

    /** Returns the cells of a table of text. */
    public List<String> cells() {
        return List.of(id.toString(), Long.toString(asked), firstAsked.toString(), lastAsked.toString(), cause);
    }

    /** Returns the sum of both counts of one build. */
    DemandCount plus(DemandCount other) {
        return new DemandCount(
                id,
                asked + other.asked,
                firstAsked.isBefore(other.firstAsked) ? firstAsked : other.firstAsked,
                lastAsked.isAfter(other.lastAsked) ? lastAsked : other.lastAsked,
                lastAsked.isAfter(other.lastAsked) ? cause : other.cause);
    }
}
