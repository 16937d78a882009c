package dev.offsetd.server.demand;

import dev.offsetd.extractor.layout.BuildId;
import java.time.Instant;

/**
 * Number of requests for a build that no source has.
 *
 * @param asked requests, more than 0
 * @param cause problem code of the last request
 */
public record DemandCount(BuildId id, long asked, Instant firstAsked, Instant lastAsked, String cause) {

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
