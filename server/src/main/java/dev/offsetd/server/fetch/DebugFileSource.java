package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;

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
     * The debug file of this build, or why there is none. Blocks for as long as the configured timeouts allow.
     *
     * @throws InterruptedException if the calling thread is interrupted; nothing is left behind then
     */
    FetchOutcome fetch(BuildId id) throws InterruptedException;
}
