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

    /**
     * The source answered, and does not have the build.
     *
     * @param authoritative whether that is the last word. A 404 of a debuginfod is not: it may ask others itself, and
     *     then says 404 for their failures too
     */
    record NotFound(boolean authoritative) implements FetchOutcome {}

    /**
     * The upstream answered with an error of its own, or does not want to answer us.
     *
     * @param httpStatus 4xx other than 404 and 410, or 5xx
     * @param retryAfter how long it asks us to wait, at most a day; absent if it does not say
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
