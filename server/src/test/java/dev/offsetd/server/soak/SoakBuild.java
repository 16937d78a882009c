package dev.offsetd.server.soak;

import dev.offsetd.extractor.layout.BuildId;
import java.util.concurrent.atomic.AtomicLong;

/** Builds of a soak test; their ids say who has them. All have the types of {@code SmallBuild}. */
final class SoakBuild {

    private static final String UPSTREAM = "5a";
    private static final String UPLOADED = "5b";
    private static final String NOWHERE = "5c";

    private static final AtomicLong NUMBER = new AtomicLong();

    private SoakBuild() {}

    /** A new build that the sound upstream has. */
    static BuildId atUpstream() {
        return next(UPSTREAM);
    }

    /** A new build that only an upload can bring. */
    static BuildId forUpload() {
        return next(UPLOADED);
    }

    /** A new build that nobody has. */
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
