package dev.offsetd.server.soak;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Builds of a soak test. The build-id encodes which source has the build, and its file if that is hostile. All others have
 * the types of {@code SmallBuild}.
 */
final class SoakBuild {

    private static final String UPSTREAM = "5a";
    private static final String UPLOADED = "5b";
    private static final String NOWHERE = "5c";
    private static final String HOSTILE_UPSTREAM = "5d";
    private static final String HOSTILE_UPLOAD = "5e";

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

    /** Returns a build that has this file at the working upstream. */
    static BuildId hostileAtUpstream(HostileFile file, int number) {
        return hostile(HOSTILE_UPSTREAM, file, number);
    }

    /** Returns a build for an upload of this file. */
    static BuildId hostileForUpload(HostileFile file, int number) {
        return hostile(HOSTILE_UPLOAD, file, number);
    }

    private static BuildId hostile(String who, HostileFile file, int number) {
        return BuildId.parse(who + "%02x%036x".formatted(file.number(), number));
    }

    /** Returns the hostile file that the working upstream has of a build, if it has one. */
    static Optional<HostileFile> hostileFile(BuildId id) {
        return id.toString().startsWith(HOSTILE_UPSTREAM)
                ? Optional.of(HostileFile.of(id.toBytes()[1]))
                : Optional.empty();
    }

    private static BuildId next(String who) {
        return BuildId.parse(who + "%038x".formatted(NUMBER.incrementAndGet()));
    }
}
