package dev.offsetd.server.browser;

import dev.offsetd.server.access.Actor;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.access.tokens.Tokens;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Enough in a server's database that no page is empty: builds of glibc, known, unknown and hostile ones, pins, tokens, and
 * what the audit says of them.
 *
 * @param libc a build of glibc, which has {@code link_map}
 * @param olderLibc the same of an earlier release
 * @param pin a pin of one of its members
 * @param review a pin whose item got another extracted value after it was pinned
 * @param token a token of the API
 * @param prewarm a batch of these builds and of missing ones
 */
record Sample(BuildId libc, BuildId olderLibc, UUID pin, UUID review, UUID token, UUID prewarm) {

    /** A build that no source has and that has no pins. */
    private static final BuildId NOWHERE = BuildId.parse("d0578622e31afc2a5d1e4d3c5bb8d84ef1a4c0de");

    /** A build that no client has asked for. */
    private static final BuildId UNHEARD_OF = BuildId.parse("9f2c41aa07d35be86c1408f9e27ab3d5610e4c77");

    private static final Caller ADA = new Caller("ada", null, Set.of(Scope.values()), "127.0.0.1");

    /** @param folders two of {@link #linkInto}, which the server looks into */
    static Sample fill(TestServer server, List<Path> folders) throws IOException {
        List<BuildId> libcs = new ArrayList<>();
        for (Path folder : folders) {
            libcs.add(libc(folder));
            server.offsets(libcs.getLast(), "@glibc", "Prefer", "wait=30");
            name(server, libcs.getLast(), folder.endsWith("debian-12") ? "12" : "11");
        }
        Pins pins = server.bean(Pins.class);
        UUID review = pins.create(
                        new PinDraft(
                                LongNamesBuild.ID,
                                LongNamesBuild.SHORT_TYPE + ".flags",
                                new PinnedValue.OfMember(140, 4, null, "int"),
                                "Read from machine code before a source had the build.",
                                null),
                        new Actor(ADA, "sample"))
                .id();
        server.offsets(LongNamesBuild.ID, LongNamesBuild.SHORT_TYPE);
        server.offsets(ShapesBuild.ID, "line");
        server.offsets(HostileBuild.ID, "\"" + HostileBuild.TYPE + "\"");
        server.offsets(SmallBuild.UNKNOWN_ID, "rb_control_frame_struct");
        server.get("/v1/offsets/" + NOWHERE + "?types=@ruby&name=libruby.so.3.4");
        UUID pin = pins.create(
                        new PinDraft(
                                libcs.getFirst(),
                                "link_map.l_name",
                                new PinnedValue.OfMember(16, 8, null, "char *"),
                                "The distribution's patch moves it; measured in a running process.",
                                null),
                        new Actor(ADA, "sample"))
                .id();
        pins.create(
                new PinDraft(
                        SmallBuild.UNKNOWN_ID,
                        "rb_control_frame_struct.pc",
                        new PinnedValue.OfMember(0, 8, null, null),
                        "No source has this build; read from its machine code.",
                        null),
                new Actor(ADA, "sample"));
        UUID token = server.bean(Tokens.class)
                .create("profiler on hosts", Set.of(Scope.READ), Duration.ofDays(90), new Actor(ADA, "sample"))
                .token()
                .id();
        UUID prewarm = server.bean(Prewarms.class)
                .create(
                        new PrewarmDraft(
                                List.of(libcs.getFirst(), libcs.getLast(), ShapesBuild.ID, SmallBuild.UNKNOWN_ID, NOWHERE),
                                Map.of(),
                                List.of("@glibc"),
                                Priority.NORMAL),
                        new Actor(ADA, "sample"))
                .summary()
                .id();
        return new Sample(libcs.getFirst(), libcs.getLast(), pin, review, token, prewarm);
    }

    /** Adds what the executable and the package would tell: their debug files do not name the builds. */
    private static void name(TestServer server, BuildId id, String release) {
        String version = release.equals("12") ? "2.36-9+deb12u10" : "2.31-13+deb11u11";
        Identity told = new Identity(List.of(
                new IdentityField(IdentityField.Kind.SONAME, "libc.so.6", ".dynamic", false),
                new IdentityField(IdentityField.Kind.PACKAGE, "libc6", "package", false),
                new IdentityField(IdentityField.Kind.PACKAGE_VERSION, version, "package", false),
                new IdentityField(IdentityField.Kind.DISTRIBUTION, "Debian " + release, "package", false)));
        server.bean(Identities.class)
                .add(
                        id,
                        server.bean(Builds.class)
                                .find(id)
                                .flatMap(Build::symbolsFile)
                                .orElseThrow()
                                .architecture(),
                        told);
    }

    /** The paths of all pages, by names for their pictures. */
    Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "/admin");
        pages.put("builds", "/admin/builds");
        pages.put("builds-found", "/admin/builds?q=libc");
        pages.put("build-unknown", "/admin/builds?q=" + UNHEARD_OF);
        pages.put("build", "/admin/builds/" + libc);
        pages.put("build-types", "/admin/builds/" + libc + "?q=link&kind=struct");
        pages.put("build-not-found", "/admin/builds/" + NOWHERE);
        pages.put("build-lines", "/admin/builds/" + libc + "/lines?address=0x26000");
        pages.put("type", "/admin/builds/" + libc + "/types?name=link_map");
        pages.put("type-bit-fields", "/admin/builds/" + ShapesBuild.ID + "/types?name=line");
        pages.put("type-nested", LongNamesBuild.path(LongNamesBuild.SHORT_TYPE) + "&unfold=remote&unfold=remote.timeouts");
        pages.put("type-long-name", LongNamesBuild.path(LongNamesBuild.LONG_TYPE));
        pages.put("type-not-found", "/admin/builds/" + libc + "/types?name=rb_thread_struct");
        pages.put("pin-form", "/admin/pins/new?build=" + libc + "&item=link_map.l_ns");
        pages.put("pins", "/admin/pins");
        pages.put("pin", "/admin/pins/" + pin);
        pages.put("pin-edit", "/admin/pins/" + pin + "/edit");
        pages.put("pin-review", "/admin/pins/" + review);
        pages.put("pin-copy", "/admin/pins/copy?from=" + libc + "&to=" + olderLibc);
        pages.put("diff", "/admin/diff?from=" + olderLibc + "&to=" + libc + "&types=link_map");
        pages.put("diff-builds", "/admin/diff?from=" + olderLibc + "&to=" + libc);
        pages.put("diff-form", "/admin/diff");
        pages.put("checks", "/admin/checks?types=@glibc&q=libc");
        pages.put("type-sets", "/admin/type-sets");
        pages.put("type-set", "/admin/type-sets/glibc");
        pages.put("type-set-maps", "/admin/type-sets/ruby");
        pages.put("type-set-form", "/admin/type-sets/-/new");
        pages.put("prewarms", "/admin/prewarms");
        pages.put("prewarm", "/admin/prewarms/" + prewarm);
        pages.put("demand", "/admin/demand");
        pages.put("events", "/admin/events");
        pages.put("webhooks", "/admin/webhooks");
        pages.put("watches", "/admin/watches");
        pages.put("tokens", "/admin/tokens");
        pages.put("token-revoke", "/admin/tokens/" + token + "/revoke");
        pages.put("users", "/admin/users");
        pages.put("audit", "/admin/audit");
        pages.put("account", "/admin/account");
        pages.put("password", "/admin/password");
        pages.put("docs", "/docs");
        return pages;
    }

    /** Puts folders with the debug files of two releases of glibc below a folder, by links, and gives their names. */
    static List<Path> linkInto(Path folder) throws IOException {
        Path newer = folder.resolve("debian-12");
        Path older = folder.resolve("debian-11");
        link(newer, DebianPackages.unpacked("libc6-dbg", "amd64"));
        link(older, DebianPackages.unpackedOfRelease("bullseye", "libc6-dbg", "amd64"));
        return List.of(newer, older);
    }

    private static void link(Path name, Path unpacked) throws IOException {
        Files.deleteIfExists(name);
        Files.createSymbolicLink(name, unpacked.resolve("usr/lib/debug").toAbsolutePath());
    }

    /** The build of the C library itself, whose debug file is the largest of a release. */
    private static BuildId libc(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
            return files.filter(file -> file.toString().endsWith(".debug"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .map(Sample::idOf)
                    .orElseThrow();
        }
    }

    /** The build-id in the path of a file in {@code .build-id/xx/….debug}. */
    private static BuildId idOf(Path file) {
        int names = file.getNameCount();
        String name = file.getName(names - 1).toString();
        return BuildId.parse(file.getName(names - 2) + name.substring(0, name.lastIndexOf('.')));
    }
}
