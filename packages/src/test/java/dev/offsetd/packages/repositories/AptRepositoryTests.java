package dev.offsetd.packages.repositories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.packages.Archives;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Suites of apt archives: two recorded states of a real one, and hostile ones that are signed by a key of the test. */
class AptRepositoryTests {

    private static final String SECURITY = "http://security.example/debian-security";
    private static final String SECURITY_SUITE = SECURITY + "/dists/bookworm-security/";
    private static final InstantSource RECORDED = InstantSource.fixed(Instant.parse("2026-11-26T12:00:00Z"));

    private static final String ARCHIVE = "https://archive.example/debian";
    private static final String SUITE = ARCHIVE + "/dists/stable/";
    private static final BuildId BUILD = id(1);

    private static Signer signer;
    private static Signer other;

    @TempDir
    private Path folder;

    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private final PublishedFiles web = new PublishedFiles();

    @BeforeAll
    static void makeKeys() throws Exception {
        signer = new Signer();
        other = new Signer();
    }

    // A recorded suite.

    private Repository recorded(int state, InstantSource clock) throws IOException {
        web.put(SECURITY_SUITE + "InRelease", resource("InRelease." + state));
        for (String component : List.of("contrib", "non-free")) {
            byte[] index = resource(component + "-amd64-Packages.xz");
            String hash = Sha256.hex(index);
            web.put(SECURITY_SUITE + component + "/binary-amd64/by-hash/SHA256/" + hash, index);
        }
        return new RepositoryDescription(
                        Kind.APT,
                        SECURITY,
                        "bookworm-security",
                        List.of("contrib", "non-free"),
                        List.of("amd64"),
                        List.of("libcuda*", "nvidia-driver"),
                        List.of(),
                        null)
                .repository(web, folder, clock);
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(AptRepositoryTests.class.getResourceAsStream("bookworm-security/" + name))) {
            return in.readAllBytes();
        }
    }

    @Test
    void realSuiteIsVerifiedByTheKeysOfDebian() throws IOException {
        Listing listing = recorded(1, RECORDED).list(null);

        assertThat(listing.unchanged()).isFalse();
        assertThat(listing.warnings()).isEmpty();
        assertThat(listing.entries())
                .extracting(RepositoryEntry::name, RepositoryEntry::version, RepositoryEntry::architecture)
                .contains(tuple("libcuda1", "535.309.01-0+deb12u1", "amd64"));
        assertThat(listing.entries()).allSatisfy(entry -> {
            assertThat(entry.key()).matches("sha256:[0-9a-f]{64}");
            assertThat(entry.location()).startsWith("pool/updates/non-free/");
            assertThat(entry.size()).isPositive();
        });
    }

    @Test
    void newerReleaseWithTheSameIndexesIsUnchangedAndReadsNone() throws IOException {
        String state = recorded(1, RECORDED).list(null).state();
        Repository newer = recorded(2, RECORDED);
        int before = web.urls().size();

        Listing listing = newer.list(state);

        assertThat(listing.unchanged()).isTrue();
        assertThat(listing.entries()).isEmpty();
        assertThat(listing.state()).isNotEqualTo(state);
        assertThat(web.urls().subList(before, web.urls().size())).containsExactly(SECURITY_SUITE + "InRelease");
    }

    @Test
    void olderReleaseIsAReplay() throws IOException {
        String state = recorded(2, RECORDED).list(null).state();
        Repository replayed = recorded(1, RECORDED);

        assertFails(Reason.REPLAYED, "2026-11-24T00:34:33Z, older than", () -> replayed.list(state));
    }

    @Test
    void releaseOlderThanOneWhoseEntriesWereNotAllReadIsAReplay() throws Exception {
        VerifiedBefore newest = new VerifiedBefore(Instant.EPOCH);
        String state = recorded(1, RECORDED).list(null).state() + "ETag: \"a\"\n";
        recorded(2, RECORDED).list(null, newest);
        assertThat(newest.time()).isAfter(Instant.parse("2026-11-24T00:34:33Z"));
        assertFails(
                Reason.REPLAYED,
                "2026-11-24T00:34:33Z, older than",
                () -> recorded(1, RECORDED).list(null, newest));
        // An archive that has nothing newer than the state has gone back, too.
        assertFails(
                Reason.REPLAYED,
                "2026-11-24T00:34:33Z, older than",
                () -> recorded(1, RECORDED).list(state, newest));
        assertThat(web.requests().getLast().headers()).doesNotContainKey("If-None-Match");
    }

    @Test
    void releaseIsRefusedAfterItsTime() throws IOException {
        Repository late = recorded(2, InstantSource.fixed(Instant.parse("2026-12-02T02:22:31Z")));

        assertFails(Reason.EXPIRED, "valid until 2026-12-02T02:22:30Z", () -> late.list(null));
    }

    @Test
    void changedByteOfARealReleaseIsNoticed() throws IOException {
        Repository repository = recorded(2, RECORDED);
        String text = new String(resource("InRelease.2"), StandardCharsets.ISO_8859_1);
        web.put(
                SECURITY_SUITE + "InRelease",
                text.replace("Version: 12", "Version: 13").getBytes(StandardCharsets.ISO_8859_1));

        assertFails(Reason.SIGNATURE, "is not a valid one of a key in the keyring", () -> repository.list(null));
    }

    // An archive of the test.

    private static BuildId id(int number) {
        byte[] bytes = new byte[20];
        Arrays.fill(bytes, (byte) number);
        return BuildId.of(bytes);
    }

    private static byte[] deb(BuildId... buildIds) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (BuildId buildId : buildIds) {
            files.put("./usr/lib/debug/" + buildId.debugFilePath(), elf(buildId));
        }
        return Archives.deb(files);
    }

    private static byte[] elf(BuildId buildId) {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(buildId.toBytes())
                .section(".data", new byte[300])
                .toBytes();
    }

    private static String hash(byte[] content) {
        return Sha256.hex(content);
    }

    /** A stanza of the index, and the package. */
    private String published(String name, byte[] deb, BuildId... listed) {
        String path = "pool/main/" + name + "_1.0_amd64.deb";
        web.put(ARCHIVE + "/" + path, deb);
        return """
                Package: %s
                Version: 1.0
                Architecture: amd64
                Filename: %s
                Size: %d
                SHA256: %s
                Build-Ids: %s

                """.formatted(
                name,
                path,
                deb.length,
                hash(deb),
                String.join(" ", Stream.of(listed).map(BuildId::toString).toList()));
    }

    private static String release(Instant date, byte[] index, long size) {
        return """
                Suite: stable
                Date: %s
                SHA256:
                 %s %d main/binary-amd64/Packages.xz
                """.formatted(
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(date.atOffset(ZoneOffset.UTC)), hash(index), size);
    }

    private Repository repository(String... patterns) throws Exception {
        return new RepositoryDescription(
                        Kind.APT,
                        ARCHIVE,
                        "stable",
                        List.of(),
                        List.of("amd64"),
                        List.of(patterns),
                        List.of(),
                        signer.keyring())
                .repository(web, folder);
    }

    private void publish(byte[] index) throws Exception {
        web.put(SUITE + "InRelease", signer.inline(release(now, index, index.length)));
        web.put(SUITE + "main/binary-amd64/Packages.xz", index);
    }

    private void publish(String... stanzas) throws Exception {
        publish(Archives.xz(String.join("", stanzas).getBytes(StandardCharsets.UTF_8)));
    }

    private static void assertFails(Reason reason, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RepositoryException.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private Path copies() throws IOException {
        return Files.createDirectories(folder.resolve("copies"));
    }

    /** Nothing stays in the folder that is given for indexes and packages. */
    private void assertNothingLeft() throws IOException {
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.filter(path -> !path.endsWith("copies"))).isEmpty();
        }
    }

    @Test
    void packagesWithBuildsAreEntriesUnlessPatternsSelect() throws Exception {
        publish(published("libc6-dbg", deb(BUILD, id(2)), BUILD, id(2)), published("doc", deb()));

        assertThat(repository().list(null).entries())
                .singleElement()
                .satisfies(entry -> assertThat(entry.buildIds()).containsExactly(BUILD, id(2)));
        assertThat(repository("d?c", "x").list(null).entries())
                .extracting(RepositoryEntry::name)
                .containsExactly("doc");
        assertNothingLeft();
    }

    @Test
    void changedIndexIsReadAgainAndPackageIsOpened() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        String state = repository().list(null).state();
        publish(published("one", deb(BUILD), BUILD), published("two", deb(id(2)), id(2)));

        Listing listing = repository().list(state);
        List<PackageFile> files = repository().open(listing.entries().getLast(), copies());

        assertThat(listing.entries()).extracting(RepositoryEntry::name).containsExactly("one", "two");
        assertThat(files).singleElement().satisfies(file -> {
            assertThat(file.buildId()).isEqualTo(id(2));
            assertThat(file.place()).startsWith("two_1.0_amd64.deb!").endsWith(".debug");
            assertThat(file.file()).exists();
        });
        assertNothingLeft();
    }

    /** {@code ddebs.ubuntu.com}: other fields, aligned sizes and hours, no by-hash, another key, and other names of files. */
    @Test
    void debugPackagesOfUbuntuAreListedAndOpened() throws Exception {
        byte[] ddeb = Archives.ubuntuDeb(Map.of("./usr/lib/debug/" + BUILD.debugFilePath(), elf(BUILD)));
        String path = "pool/main/r/ruby3.2/libruby3.2-dbgsym_3.2.3-1ubuntu0.24.04.1_amd64.ddeb";
        web.put(ARCHIVE + "/" + path, ddeb);
        byte[] index =
                Archives.xz("""
                Package: libruby3.2-dbgsym
                Architecture: amd64
                Version: 3.2.3-1ubuntu0.24.04.1
                Auto-Built-Package: debug-symbols
                Build-Ids: %s
                Priority: optional
                Section: universe/debug
                Source: ruby3.2
                Origin: Ubuntu
                Depends: libruby3.2 (= 3.2.3-1ubuntu0.24.04.1)
                Filename: %s
                Size: %d
                MD5sum: d41d8cd98f00b204e9800998ecf8427e
                SHA1: da39a3ee5e6b4b0d3255bfef95601890afd80709
                SHA256: %s
                Description: debug symbols for libruby3.2
                Package-Type: ddeb
                """.formatted(BUILD, path, ddeb.length, hash(ddeb)).getBytes(StandardCharsets.UTF_8));
        String suite = ARCHIVE + "/dists/noble-updates/";
        web.put(suite + "InRelease", signer.inline("""
                Origin: Ubuntu
                Label: Ubuntu
                Suite: noble-updates
                Version: 24.04
                Codename: noble
                Date: Fri, 27 Nov 2026  3:16:34 UTC
                Architectures: amd64 arm64 armhf i386 ppc64el riscv64 s390x
                Components: main restricted universe multiverse
                Description: Ubuntu Noble 24.04
                MD5Sum:
                 d41d8cd98f00b204e9800998ecf8427e                0 universe/binary-amd64/Packages
                SHA256:
                 %s                0 universe/binary-amd64/Packages
                 %s %16d universe/binary-amd64/Packages.xz
                """.formatted(hash(new byte[0]), hash(index), index.length)));
        web.put(suite + "universe/binary-amd64/Packages.xz", index);
        Repository ubuntu = new RepositoryDescription(
                        Kind.APT,
                        ARCHIVE,
                        "noble-updates",
                        List.of("universe"),
                        List.of("amd64"),
                        List.of("libruby*-dbgsym"),
                        List.of(),
                        signer.keyring())
                .repository(web, folder);

        Listing listing = ubuntu.list(null);
        assertThat(listing.entries()).singleElement().satisfies(entry -> {
            assertThat(entry.version()).isEqualTo("3.2.3-1ubuntu0.24.04.1");
            assertThat(entry.buildIds()).containsExactly(BUILD);
        });
        assertThat(ubuntu.open(listing.entries().getFirst(), copies()))
                .extracting(PackageFile::buildId)
                .containsExactly(BUILD);
    }

    @Test
    void releaseOfAnotherKeyIsRefused() throws Exception {
        byte[] index = Archives.xz(published("one", deb(BUILD), BUILD).getBytes(StandardCharsets.UTF_8));
        web.put(SUITE + "InRelease", other.inline(release(now, index, index.length)));
        web.put(SUITE + "main/binary-amd64/Packages.xz", index);

        assertFails(
                Reason.SIGNATURE,
                "is not a valid one of a key in the keyring",
                () -> repository().list(null));
        assertThat(web.urls()).containsExactly(SUITE + "InRelease");
    }

    @Test
    void textOutsideOfTheSignatureIsRefused() throws Exception {
        String signed = signer.inline(release(now, new byte[0], 1));
        for (String message : List.of("Suite: stable\n", "Suite: stable\n" + signed, signed + "Suite: stable\n", "")) {
            web.put(SUITE + "InRelease", message);

            assertFails(Reason.SIGNATURE, "InRelease", () -> repository().list(null));
        }
    }

    @Test
    void releaseOfAnotherSuiteIsRefused() throws Exception {
        web.put(SUITE + "InRelease", signer.inline(release(now, new byte[0], 1).replace("stable", "oldstable")));

        assertFails(Reason.REPLAYED, "expected \"stable\"", () -> repository().list(null));
    }

    @Test
    void indexOfTwoGigabytesIsNotDownloaded() throws Exception {
        web.put(SUITE + "InRelease", signer.inline(release(now, new byte[1], 2L << 30)));

        assertFails(
                Reason.LIMIT,
                "has 2147483648 bytes; the limit is",
                () -> repository().list(null));
        assertThat(web.urls()).containsExactly(SUITE + "InRelease");
    }

    @Test
    void indexIsNotReadBeyondItsAnnouncedSize() throws Exception {
        byte[] index = Archives.xz(new byte[1000]);
        web.put(SUITE + "InRelease", signer.inline(release(now, index, index.length - 1)));
        web.put(SUITE + "main/binary-amd64/Packages.xz", index);

        assertFails(Reason.HASH, "has more bytes; expected", () -> repository().list(null));
        assertNothingLeft();
    }

    @Test
    void indexOfAnotherHashIsRefused() throws Exception {
        byte[] index = Archives.xz(new byte[1000]);
        web.put(SUITE + "InRelease", signer.inline(release(now, Archives.xz(new byte[1001]), index.length)));
        web.put(SUITE + "main/binary-amd64/Packages.xz", index);

        assertFails(
                Reason.HASH,
                "has the SHA-256 " + hash(index),
                () -> repository().list(null));
    }

    @Test
    void decompressionBombIsNotReadToItsEnd() throws Exception {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
            byte[] lines = "\n".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 64; i++) {
                out.write(lines);
            }
        }
        publish(bomb.toByteArray());

        assertFails(
                Reason.LIMIT, "the limit is a ratio of 100", () -> repository().list(null));
        assertNothingLeft();
    }

    @Test
    void stanzaWithoutAnEndIsRefused() throws Exception {
        byte[] noise = new byte[9 << 20];
        new Random(1).nextBytes(noise);
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) ('a' + (noise[i] & 15));
        }
        publish(Archives.gzip(noise));

        assertFails(
                Reason.LIMIT,
                "a stanza of more than the limit",
                () -> repository().list(null));
    }

    @Test
    void packageWithOtherBuildsThanItsIndexIsRefused() throws Exception {
        publish(published("one", deb(BUILD, id(7)), BUILD), published("two", deb(), BUILD));
        List<RepositoryEntry> entries = repository().list(null).entries();

        assertFails(
                Reason.BUILD_ID,
                id(7) + ", which the index does not list",
                () -> repository().open(entries.get(0), copies()));
        assertFails(
                Reason.BUILD_ID,
                "none of the builds that the index lists",
                () -> repository().open(entries.get(1), copies()));
        assertNothingLeft();
    }

    @Test
    void packageOfAnotherHashIsRefused() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        RepositoryEntry entry = repository().list(null).entries().getFirst();
        byte[] changed = deb(BUILD);
        changed[changed.length - 1] ^= 1;
        web.put(ARCHIVE + "/" + entry.location(), changed);

        assertFails(
                Reason.HASH,
                "expected " + entry.key().substring(7),
                () -> repository().open(entry, copies()));
        assertNothingLeft();
    }

    @Test
    void packageOutsideOfTheArchiveIsRefused() throws Exception {
        for (String path : List.of("../../etc/passwd", "//internal.example/x", "/x", "")) {
            publish(published("one", deb(BUILD), BUILD).replace("pool/main/one_1.0_amd64.deb", path));

            assertFails(
                    Reason.MALFORMED,
                    "expected a path below",
                    () -> repository().list(null));
        }
    }

    @Test
    void missingArchitectureIsAWarningAndAMissingSuiteAFailure() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        RepositoryDescription both = new RepositoryDescription(
                Kind.APT,
                ARCHIVE,
                "stable",
                List.of(),
                List.of("amd64", "riscv64"),
                List.of(),
                List.of(),
                signer.keyring());
        assertThat(both.repository(web, folder).list(null).warnings())
                .singleElement()
                .asString()
                .endsWith("has no index main/binary-riscv64/Packages");

        RepositoryDescription none = new RepositoryDescription(
                Kind.APT,
                ARCHIVE,
                "stable",
                List.of("extra"),
                List.of("amd64"),
                List.of(),
                List.of(),
                signer.keyring());
        assertFails(
                Reason.MISSING,
                "has no index extra/binary-amd64/Packages",
                () -> none.repository(web, folder).list(null));
    }

    @Test
    void redirectToAnotherHostIsMarkedAndToTheSameIsNot() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        RepositoryEntry entry = repository().list(null).entries().getFirst();
        byte[] deb = deb(BUILD);
        web.putStatus(ARCHIVE + "/" + entry.location(), 302, Map.of("Location", "/mirror"));
        web.put("https://archive.example/mirror", deb);
        assertThat(repository().open(entry, copies())).hasSize(1);

        web.putStatus("https://archive.example/mirror", 302, Map.of("Location", "https://10.0.0.1/x"));
        web.put("https://10.0.0.1/x", deb);
        assertThatThrownBy(() -> repository().open(entry, copies())).hasMessageContaining("not a public address");

        web.putStatus("https://archive.example/mirror", 302, Map.of("Location", "http://archive.example/x"));
        assertFails(Reason.REDIRECT, "expected an https URL", () -> repository().open(entry, copies()));

        web.putStatus("https://archive.example/mirror", 302, Map.of("Location", "/mirror"));
        assertFails(Reason.REDIRECT, "more than 3 times", () -> repository().open(entry, copies()));
        assertNothingLeft();
    }

    @Test
    void entityTagIsSentAndNotModifiedIsUnchanged() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        String state = repository().list(null).state() + "ETag: \"a\"\n";
        web.putStatus(SUITE + "InRelease", 304, Map.of());

        Listing listing = repository().list(state);

        assertThat(listing.unchanged()).isTrue();
        assertThat(listing.state().lines())
                .containsExactlyInAnyOrderElementsOf(state.lines().toList());
        assertThat(web.requests().getLast().headers()).containsEntry("If-None-Match", "\"a\"");
        assertFails(
                Reason.MISSING, "status 304; expected 200", () -> repository().list("Date: 2026-11-24T00:34:33Z"));
    }

    @Test
    void damagedStateCountsAsNone() throws Exception {
        publish(published("one", deb(BUILD), BUILD));
        for (String damaged : List.of("", "x", "Date: x")) {
            assertThat(repository().list(damaged).entries()).as(damaged).hasSize(1);
        }
    }

    @Test
    void descriptionNamesTheInvalidPart() {
        assertInvalid("suite has \"../x\"; expected", ARCHIVE, "../x");
        assertInvalid("suite has \"\"; expected", ARCHIVE, null);
        assertInvalid("url has \"ftp://x\"; expected an http or https URL", "ftp://x", "stable");
        assertInvalid("without user", "http://u:p@x/", "stable");
    }

    private static void assertInvalid(String message, String url, @Nullable String suite) {
        assertThatThrownBy(() -> new RepositoryDescription(
                        Kind.APT, url, suite, List.of(), List.of(), List.of(), List.of(), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
