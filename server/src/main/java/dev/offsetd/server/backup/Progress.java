package dev.offsetd.server.backup;

/** Hears how far a backup or a restore has come. */
@FunctionalInterface
public interface Progress {

    /**
     * Called after each few megabytes.
     *
     * @param step what is being done: {@code saving}, {@code checking} or {@code loading}
     * @param table which is being read or written
     * @param rows of that table so far
     * @param bytes of all tables so far, uncompressed
     */
    void at(String step, String table, long rows, long bytes);
}
