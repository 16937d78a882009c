package dev.offsetd.server.fetch;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.layout.BuildId;
import java.time.Duration;
import java.util.List;

/** One place that debug files come from. Safe for any number of threads. */
public interface DebugFileSource {

    /** What kind of place it is. */
    enum Origin {
        /** A folder on this machine. */
        LOCAL,
        /** An upstream debuginfod, or the disk cache of what upstreams delivered. */
        DEBUGINFOD
    }

    /** The folder, or the upstream's base URL without credentials; the same for the life of the server. */
    String name();

    Origin origin();

    /**
     * Time until the source should be asked again for a build that it did not have, by misses in a row; empty if it needs
     * no times of its own.
     */
    default List<Duration> missTimes() {
        return List.of();
    }

    /**
     * The debug file of this build, or why there is none. Blocks for as long as the configured timeouts allow.
     *
     * @throws InterruptedException if the calling thread is interrupted; nothing half-done is left behind then
     */
    FetchOutcome fetch(BuildId id) throws InterruptedException;

    /**
     * The same, telling how the download goes if there is one.
     *
     * @throws InterruptedException as for {@link #fetch(BuildId)}
     */
    default FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        return fetch(id);
    }

    /**
     * The supplementary file that another file names. It has a build-id like any other.
     *
     * @throws InterruptedException as for {@link #fetch(BuildId)}
     */
    default FetchOutcome fetchSupplementary(SupplementaryLink link) throws InterruptedException {
        return fetch(link.buildId());
    }
}
