package dev.offsetd.server.demand;

import dev.offsetd.extractor.layout.BuildId;
import java.time.Instant;

/**
 * How often a build was asked for in vain.
 *
 * @param asked times, more than 0
 * @param cause why there was no answer the last time: the code of the problem
 */
public record Count(BuildId id, long asked, Instant firstAsked, Instant lastAsked, String cause) {

    /** Both counts of one build together. */
    Count plus(Count other) {
        return new Count(
                id,
                asked + other.asked,
                firstAsked.isBefore(other.firstAsked) ? firstAsked : other.firstAsked,
                lastAsked.isAfter(other.lastAsked) ? lastAsked : other.lastAsked,
                lastAsked.isAfter(other.lastAsked) ? cause : other.cause);
    }
}
