package dev.offsetd.server.answers;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.BuildStatus;

/** Part of a build that a query can read now, or the reason why it can read none. */
public sealed interface BuildAccess {

    /** Result for a query that reads only stored builds. */
    sealed interface Settled extends BuildAccess {}

    /** The build, and the file that the query reads. */
    record Stored(Build build, StoredFile file) implements Settled {}

    /** Nothing that the query reads is stored, but pins are in effect. */
    record OnlyPins(Build build) implements Settled {}

    /** No source has a usable file: 404 or 422; or a source failed: 5xx. */
    record Unavailable(Build build) implements Settled {}

    /** The extraction takes longer than the client waits. */
    record InProgress(BuildId id) implements Settled {}

    /**
     * Types that have been read and are not stored yet: at first those that the query needs, then all.
     *
     * @param progress of the extraction
     * @param deadline until which the client waits, as {@link System#nanoTime()}
     */
    record Early(EarlyBuild build, BuildStatus.InProgress progress, long deadline) implements BuildAccess {}
}
