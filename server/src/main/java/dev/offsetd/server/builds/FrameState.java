package dev.offsetd.server.builds;

import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.server.sources.outcome.Failure;

/** Result of reading the functions and lines of a build, while it holds. */
public sealed interface FrameState {

    /**
     * The functions and lines of the build are stored.
     *
     * @param generation of the build
     */
    record Stored(long generation) implements FrameState {}

    /** The functions and lines at the addresses of the caller are known, those of the whole build not yet. */
    record Early(StoredFrames frames) implements FrameState {}

    /** The build has none, or its debug file could not be read or is gone. */
    record Without(Failure failure) implements FrameState {}
}
