package dev.offsetd.extractor;

/** Receives the progress of readings of types. Several reading threads may call it at once. */
@FunctionalInterface
public interface ReadProgress {

    /** Ignores the progress. */
    ReadProgress NONE = (_, _) -> {};

    /**
     * Takes the progress when a thread starts with a unit.
     *
     * @param bytes of the debug information before this unit; restarts when a reading needs another scan
     * @param total bytes of the debug information
     */
    void update(long bytes, long total);
}
