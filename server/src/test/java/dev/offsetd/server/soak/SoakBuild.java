package dev.offsetd.server.soak;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Builds of a soak test. The build-id encodes which source has the build, and its file if that is hostile or of GnuTLS. All
 * others have the types of {@code SmallBuild}.
 */
final class SoakBuild {

    private static final String UPSTREAM = "5a";
    private static final String UPLOADED = "5b";
    private static final String NOWHERE = "5c";
    private static final String HOSTILE_UPSTREAM = "5d";
    private static final String HOSTILE_UPLOAD = "5e";
    private static final String PEER = "5f";
    private static final String DISSENTER = "60";

    /** Claims of a client on a program whose peers are {@link #peer} and {@link #dissenter}. */
    static final String CLAIM = "&fallback=consensus&name=gnutls&version=3.8.9&machine=x86_64";

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

    /** Returns a build of GnuTLS that the working upstream has. */
    static BuildId peer(int number) {
        return BuildId.parse(PEER + "%038x".formatted(number));
    }

    /** Returns a build for an upload, which claims to be the same release and has other offsets. */
    static BuildId dissenter(int number) {
        return BuildId.parse(DISSENTER + "%038x".formatted(number));
    }

    static boolean isPeer(BuildId id) {
        return id.toString().startsWith(PEER);
    }

    /** Returns the file of a {@link #peer}, with {@code point.y} at 4, or of a {@link #dissenter}, with it at 0. */
    static byte[] ofGnutls(BuildId id) {
        long y = isPeer(id) ? 4 : 0;
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 8, member("x", "int", 4 - y), member("y", "int", y))))
                .toElf()
                .section(".rodata", "Enabled GnuTLS 3.8.9 logging...\n\0".getBytes(StandardCharsets.US_ASCII))
                .buildId(id.toBytes())
                .toBytes();
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
