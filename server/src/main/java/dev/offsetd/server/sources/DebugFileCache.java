package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Optional;

/** Cache of debug files on this server's disk. */
public interface DebugFileCache {

    Use use();

    /**
     * Returns the build's file of a kind to send it, pinned, if it is cached and undamaged.
     *
     * @throws DiskException if the file cannot be read
     */
    Optional<CachedFile> findToSend(BuildId id, FileKind kind) throws DiskException, InterruptedException;

    /**
     * Content of the cache.
     *
     * @param bytes size of all files together
     * @param maxBytes limit above which files are evicted
     */
    record Use(int files, long bytes, long maxBytes) {}
}
