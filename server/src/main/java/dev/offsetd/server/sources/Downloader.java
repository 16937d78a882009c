package dev.offsetd.server.sources;

import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;

/** Downloads files from one remote source. {@link CachedSource} caches them, and protects the source and its callers. Thread-safe. */
interface Downloader {

    /** Name of the source, as of {@link DebugFileSource#name}. */
    String name();

    Origin origin();

    /** Backoff after negative answers, by consecutive misses; empty for the configured default. */
    List<Duration> missTimes();

    /** Size limit of a file, decompressed. */
    long maxFileBytes();

    /** Longest time for one file, and as long again for its turn. */
    Duration totalTimeout();

    /**
     * Downloads a file to the disk cache, or a source file to a temporary file: one attempt, which ends with an outcome, whatever the
     * source sends. Blocks in the network; interrupting the thread ends the attempt.
     */
    Downloaded download(FileRequest request, FetchProgress progress) throws InterruptedException;

    /**
     * An ended attempt.
     *
     * @param transportFailed whether the connection failed, rather than the content of the file
     * @param wireBytes bytes received, before decompression
     */
    record Downloaded(FetchOutcome outcome, boolean transportFailed, long wireBytes) {}
}
