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

    /** Time for one file, and as long again for its turn. */
    Duration patience();

    /** Returns a download that has not begun. */
    Download prepare(FileRequest request, FetchProgress progress);

    /** One attempt to download a file. For one thread, which may block in the network; interrupting it ends the attempt. */
    interface Download {

        /**
         * Downloads the file to the disk cache, or a source file to a temporary file. Whatever the source sends, the attempt ends with an
         * outcome.
         */
        FetchOutcome run() throws InterruptedException;

        /** Returns whether the connection failed, rather than the content of this file. */
        boolean transportFailed();

        /** Returns the bytes received, before decompression. */
        long wireBytes();
    }
}
