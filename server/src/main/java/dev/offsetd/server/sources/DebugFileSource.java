package dev.offsetd.server.sources;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;

/** A source of debug files. Thread-safe. */
public interface DebugFileSource {

    /** The folder, or the upstream's base URL without credentials. Constant for the life of the server. */
    String name();

    Origin origin();

    /** Backoff after negative answers, by consecutive misses; empty for the configured default. */
    default List<Duration> missTimes() {
        return List.of();
    }

    /**
     * Fetches the debug file of this build. Blocks within the configured timeouts.
     *
     * @throws InterruptedException if the calling thread is interrupted; no partial file is left behind
     */
    FetchOutcome fetch(BuildId id) throws InterruptedException;

    /**
     * Fetches the debug file of this build, reporting the progress of a download.
     *
     * @throws InterruptedException as for {@link #fetch(BuildId)}
     */
    default FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        return fetch(id);
    }

    /**
     * Fetches a file to send to a client or to read names from: the complete debug file, the executable or a source file.
     *
     * @throws InterruptedException as for {@link #fetch(BuildId)}
     */
    FetchOutcome fetch(FileRequest request) throws InterruptedException;

    /**
     * Fetches the supplementary file that a debug file names by its build-id and file name.
     *
     * @throws InterruptedException as for {@link #fetch(BuildId)}
     */
    default FetchOutcome fetchSupplementary(SupplementaryLink link) throws InterruptedException {
        return fetch(link.buildId());
    }
}
