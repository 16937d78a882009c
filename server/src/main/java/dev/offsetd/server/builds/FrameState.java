package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.server.sources.outcome.Failure;

/** Result of reading the functions and lines of a build, while it holds. */
public sealed interface FrameState {

    /**
     * The functions and lines of the build are stored.
     *
     * @param version of the reader that read them, see {@link PartVersions#FRAMES}
     * @param renewable whether an earlier reader read them, and no recent attempt to read them again failed
     */
    record Stored(long generation, int version, boolean renewable) implements FrameState {

        /** Returns whether an earlier reader read them, so that answers may be out of date. */
        public boolean isStale() {
            return version < PartVersions.FRAMES;
        }

        /** Returns whether a later reader read them, which runs beside this one during an upgrade. */
        public boolean isLater() {
            return version > PartVersions.FRAMES;
        }
    }

    /** The functions and lines at the addresses of the caller are known, those of the whole build not yet. */
    record Early(StoredFrames frames) implements FrameState {}

    /** The build has none, or its debug file could not be read or is gone. */
    record Without(Failure failure) implements FrameState {}
}
