package dev.offsetd.server.sources;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A source of debug files. Thread-safe. */
public interface DebugFileSource {

    /** The folder, or the upstream's base URL without credentials. Constant for the life of the server. */
    String name();

    Origin origin();

    /** Backoff after negative answers, by consecutive misses; empty for the configured default. */
    default List<Duration> missTimes() {
        return List.of();
    }

    /** Listener to the progress of a download. Called every few kilobytes by the downloading thread, which it must not block. */
    @FunctionalInterface
    interface FetchProgress {

        FetchProgress NONE = (bytes, total) -> {};

        /**
         * Reports that more of the file was received.
         *
         * @param bytes received so far, decompressed
         * @param total size of the file, decompressed; null if the source did not announce it
         */
        void received(long bytes, @Nullable Long total);
    }

    /**
     * Fetches the debug file of this build, or only its sections with types and symbols. Blocks within the configured timeouts.
     *
     * @throws InterruptedException if the calling thread is interrupted; no partial file is left behind
     */
    FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException;

    /**
     * Fetches a file of any kind whole. A cached one may have been verified some minutes ago.
     *
     * @throws InterruptedException if the calling thread is interrupted
     */
    FetchOutcome fetch(FileRequest request) throws InterruptedException;

    /**
     * Fetches the supplementary file that a debug file names by its build-id and file name.
     *
     * @throws InterruptedException if the calling thread is interrupted
     */
    default FetchOutcome fetchSupplementary(SupplementaryLink link) throws InterruptedException {
        return fetch(link.buildId(), FetchProgress.NONE);
    }

    /** Removes files of a build from the disk cache, unless they are in use: the next source is queried for its file. */
    default void discard(BuildId id, Set<FileKind> kinds) {}

    /** A call of one of the methods that fetch. */
    @FunctionalInterface
    interface Query {
        FetchOutcome run() throws InterruptedException;
    }

    /**
     * Runs a query of a source among several. An unexpected exception fails this source only.
     *
     * @param subject for the log: the build or file that is sought
     */
    static FetchOutcome contained(DebugFileSource source, Object subject, Query query) throws InterruptedException {
        try {
            return query.run();
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(DebugFileSource.class)
                    .error("{}: the query to {} failed unexpectedly", subject, source.name(), e);
            return new FetchOutcome.Failed(Cause.INTERNAL, "unexpected error while querying the source");
        }
    }
}
