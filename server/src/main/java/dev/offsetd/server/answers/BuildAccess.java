package dev.offsetd.server.answers;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.BuildPins;

/** Part of a build that a query can read now, or the reason why it can read none. */
public sealed interface BuildAccess {

    /** The build, and the file whose stored part the query reads. */
    record Stored(Build build, StoredFile file) implements BuildAccess {}

    /** Nothing that the query reads is stored, but pins are in effect. */
    record OnlyPins(Build build, BuildPins pins) implements BuildAccess {}

    /** No source has a usable file: 404 or 422; or a source failed: 5xx. */
    record Unavailable(Build build) implements BuildAccess {}

    /** The extraction takes longer than the client waits. */
    record InProgress() implements BuildAccess {}
}
