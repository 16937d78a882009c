package dev.offsetd.server.fetch;

/** The debug files that this server keeps on its disk. */
public interface DebugFileCache {

    /** How full it is. */
    Use use();

    /**
     * What is in the cache.
     *
     * @param bytes of all files together
     * @param maxBytes above which files are evicted
     */
    record Use(int files, long bytes, long maxBytes) {}
}
