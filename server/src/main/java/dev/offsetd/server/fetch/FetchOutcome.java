package dev.offsetd.server.fetch;

import java.time.Duration;
import java.util.Optional;

/**
 * What came of asking one source for one build. Only {@link NotFound} says anything about whether the build exists.
 * Details are for people: one line, what the other side sent is escaped and cut.
 */
public sealed interface FetchOutcome {

    /** The file is here and verified. Whoever gets this closes the file. */
    record Fetched(CachedFile file) implements FetchOutcome {}

    /** The source answered, and does not have the build. */
    record NotFound(Finality finality) implements FetchOutcome {}

    /** How much a no is worth. */
    enum Finality {
        /** The source knows all that it will ever have. */
        LAST_WORD,
        /** The source asks others itself, and says no for their failures too. */
        MAY_HIDE_A_FAILURE,
        /** The source gets a file ready once it was asked for it. */
        MAY_COME_LATER
    }

    /**
     * The source was left in peace: it did not work lately, or has asked for a pause.
     *
     * @param reason how it failed, so that we do not ask it
     * @param retryAfter time until it may be asked
     */
    record NotAsked(Reason reason, Duration retryAfter, String detail) implements FetchOutcome {}

    /** How a source failed that is not asked. */
    enum Reason {
        SILENT,
        BROKEN,
        REFUSED
    }

    /**
     * The upstream answered with an error of its own, or does not want to answer us.
     *
     * @param httpStatus 4xx other than 404 and 410, or 5xx
     * @param retryAfter how long it asks us to wait, within the configured bound; absent if it does not say
     */
    record Refused(int httpStatus, Optional<Duration> retryAfter, String detail) implements FetchOutcome {}

    /** The upstream was silent or too slow. */
    record TimedOut(String detail) implements FetchOutcome {}

    /** What came is not the file: unreachable, cut off, another build's, no ELF at all. */
    record Broken(String detail) implements FetchOutcome {}

    /**
     * The file is larger than we take.
     *
     * @param limitBytes the limit, on decompressed bytes
     */
    record TooLarge(long limitBytes, String detail) implements FetchOutcome {}

    /** Our own disk failed: full, or not readable. */
    record LocalFailure(String detail) implements FetchOutcome {}
}
