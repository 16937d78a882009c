package dev.offsetd.server.sources;

import java.util.OptionalLong;

/** Listener to the progress of a download. Called every few kilobytes by the downloading thread, which it must not block. */
@FunctionalInterface
public interface FetchProgress {

    /** Ignores progress. */
    FetchProgress NONE = (bytes, total) -> {};

    /**
     * Reports that more of the file was received.
     *
     * @param bytes received so far, decompressed
     * @param total size of the file, decompressed; empty if the upstream did not announce it
     */
    void received(long bytes, OptionalLong total);
}
