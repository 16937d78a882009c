package dev.offsetd.server.fetch;

/** Cache of debug files on this server's disk. */
public interface DebugFileCache {

    Use use();

    /**
     * Content of the cache.
     *
     * @param bytes size of all files together
     * @param maxBytes limit above which files are evicted
     */
    record Use(int files, long bytes, long maxBytes) {}
}
