package dev.offsetd.server.fetch;

import java.util.OptionalLong;

/** Hears how a download goes. It is told after every few kilobytes, by the thread that downloads, and must not block that. */
@FunctionalInterface
public interface FetchProgress {

    /** Hears, and does nothing. */
    FetchProgress NONE = (bytes, total) -> {};

    /**
     * More of the file is here.
     *
     * @param bytes that are here, decompressed
     * @param total of the whole file, decompressed; empty if the upstream did not say
     */
    void received(long bytes, OptionalLong total);
}
