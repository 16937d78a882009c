package dev.offsetd.server.soak;

import dev.offsetd.extractor.layout.BuildId;
import java.util.concurrent.atomic.AtomicLong;

/** Builds of a soak test. The build-id encodes which source has the build. All have the types of {@code SmallBuild}. */
final class SoakBuild {

    private static final String UPSTREAM = "5a";
    private static final String UPLOADED = "5b";
    private static final String NOWHERE = "5c";

    private static final AtomicLong NUMBER = new AtomicLong();

    private SoakBuild() {}

    /** Returns a new build that the working upstream has. */
    static BuildId atUpstream() {
        return next(UPSTREAM);
    }

    /** Returns a new build that only an upload provides. */
    static BuildId forUpload() {
        return next(UPLOADED);
    }

    /** Returns a new build that no source has. */
    static BuildId nowhere() {
        return next(NOWHERE);
    }

    static boolean isUpstream(BuildId id) {
        return id.toString().startsWith(UPSTREAM);
    }

    private static BuildId next(String who) {
        return BuildId.parse(who + "%038x".formatted(NUMBER.incrementAndGet()));
    }
}
