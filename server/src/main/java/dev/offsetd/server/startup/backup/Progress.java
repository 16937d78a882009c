package dev.offsetd.server.startup.backup;

/** Receives the progress of a backup or restore. */
@FunctionalInterface
public interface Progress {

    /**
     * Called every few megabytes.
     *
     * @param step {@code saving}, {@code checking} or {@code loading}
     * @param table being read or written
     * @param rows of that table so far
     * @param bytes of all tables so far, uncompressed
     */
    void at(String step, String table, long rows, long bytes);
}
