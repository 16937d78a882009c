package dev.offsetd.query.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contents of bundles, and what is refused. */
class BundleTests {

    private static final int BLOCK = TarWriter.BLOCK_BYTES;
    private static final String BUILD = "builds/" + SmallBundle.ID + "/";

    @TempDir
    private Path folder;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("bundle"), bytes);
    }

    private void verify(byte[] bytes) throws IOException, BundleException {
        try (Bundle bundle = Bundle.open(file(bytes))) {
            bundle.verify();
        }
    }

    private void assertRefused(byte[] bytes, String message) {
        assertThatThrownBy(() -> verify(bytes))
                .isInstanceOf(BundleException.class)
                .hasMessageContaining(message);
    }

    @Test
    void writtenBundleIsReadAsItWas() throws Exception {
        try (Bundle bundle = Bundle.open(file(SmallBundle.bytes()))) {
            bundle.verify();
            BuildArchive build = bundle.build(SmallBundle.ID);

            assertThat(build.build())
                    .isEqualTo(SmallBundle.build(SmallBundle.ID).build());
            assertThat(build.types()).asString(StandardCharsets.UTF_8).isEqualTo("types");
            assertThat(build.symbols()).asString(StandardCharsets.UTF_8).isEqualTo("symbols");
            assertThat(bundle.signature().orElseThrow())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("a signature");
            assertThat(bundle.find(BuildId.parseKey("go:abc~def"))).contains(SmallBundle.ID);
            assertThat(bundle.sets(new BuiltInTypeSets())
                            .find("points")
                            .orElseThrow()
                            .version())
                    .isEqualTo(3);
            assertThat(bundle.manifest().builds().getFirst().title()).isEqualTo("libpoint.so.1");
            assertThat(bundle.manifest().createdAt()).isEqualTo(SmallBundle.TIME);
        }
    }

    private static byte[] bundleOf(BuildArchive build) throws IOException, BundleException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BundleWriter bundle = new BundleWriter(out);
        bundle.add(build);
        bundle.<IOException>finish("0.1.0", SmallBundle.TIME, "http://127.0.0.1:8080", manifest -> new byte[0]);
        return out.toByteArray();
    }

    private static BuildArchive withoutSource(byte[] types) {
        BundledBuild build = SmallBundle.build(SmallBundle.ID).build();
        return new BuildArchive(
                new BundledBuild(build.id(), null, null, build.identity(), build.aliases(), build.pins()),
                types,
                new byte[0]);
    }

    @Test
    void buildWithPinsOnlyIsReadAsItWas() throws Exception {
        BuildArchive pinned = withoutSource(new byte[0]);
        try (Bundle bundle = Bundle.open(file(bundleOf(pinned)))) {
            bundle.verify();
            assertThat(bundle.manifest().builds().getFirst().source()).isNull();
            assertThat(bundle.manifest().builds().getFirst().pins()).isEqualTo(2);
            assertThat(bundle.build(SmallBundle.ID).build()).isEqualTo(pinned.build());
            assertThat(bundle.build(SmallBundle.ID).types()).isEmpty();
        }
    }

    @Test
    void buildWithMorePinsThanPeopleMakeIsRefused() throws Exception {
        BundledBuild build = SmallBundle.build(SmallBundle.ID).build();
        BundledBuild pinned = new BundledBuild(
                build.id(),
                build.architecture(),
                build.source(),
                build.identity(),
                build.aliases(),
                Collections.nCopies(1_001, build.pins().getFirst()));
        assertThatThrownBy(
                        () -> BundledBuild.read(BundlePath.of(SmallBundle.ID, BundlePath.Part.BUILD), pinned.toJson()))
                .isInstanceOf(BundleException.class)
                .hasMessageContaining("pins is an array of 1001; expected an array of at most 1000");
    }

    /** A reader that left out what it does not understand would answer with another value. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            value = {
                "{\"offset\":8,\"size\":1,\"bitSize\":3} => bitOffset is missing; expected an integer from 0 to 9223372036854775807",
                "{\"offset\":8,\"size\":1,\"bitOffset\":67} => bitSize is missing; expected an integer from 0 to 2147483647",
                "{\"offset\":8,\"size\":1,\"bitOffset\":67,\"bitSize\":0} => bitSize is 0; expected at least 1",
                "{\"offset\":8,\"size\":1,\"bits\":3} => member \"bits\"; expected bitOffset, bitSize, offset, size, type",
                "{\"size\":1,\"bitOffset\":67,\"bitSize\":3} => member \"bitOffset\"; expected members, size",
                "{\"offset\":-8,\"size\":1} => offset is -8; expected an integer from 0 to 9223372036854775807",
                "{\"offset\":8} => size is missing; expected an integer from 0 to 9223372036854775807"
            })
    void pinnedValueWithMembersThatAreMissingOrUnknownIsRefused(String value, String fault) {
        String json = new String(SmallBundle.build(SmallBundle.ID).build().toJson(), StandardCharsets.UTF_8);
        String pinned = "{\"offset\":8,\"size\":1,\"bitOffset\":67,\"bitSize\":3,\"type\":\"unsigned\"}";
        assertThat(json).contains(pinned);

        assertThatThrownBy(() -> BundledBuild.read(
                        BundlePath.of(SmallBundle.ID, BundlePath.Part.BUILD),
                        json.replace(pinned, value).getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BundleException.class)
                .hasMessageStartingWith(BUILD + "build.json: pins[0]: ")
                .hasMessageContaining(fault);
    }

    @Test
    void typesWithoutASourceAreRefused() throws Exception {
        byte[] bytes = bundleOf(withoutSource(new byte[7]));

        assertRefused(
                bytes, BUILD + "build.json: source is missing; expected one for 7 bytes of types and 0 of symbols");
        try (Bundle bundle = Bundle.open(file(bytes))) {
            assertThatThrownBy(() -> bundle.build(SmallBundle.ID)).hasMessageContaining("source is missing");
        }
    }

    @Test
    void aliasDoesNotStandForAnotherBuildOrAGnuBuildId() throws Exception {
        BuildId absent = BuildId.parse("ff".repeat(20));
        BuildId claimed = BuildId.parseKey("go:abc~def");
        BundledBuild build = SmallBundle.build(BuildId.parse("00".repeat(20))).build();
        BundledBuild greedy = new BundledBuild(
                build.id(),
                build.architecture(),
                build.source(),
                build.identity(),
                List.of(SmallBundle.ID, absent, claimed),
                build.pins());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BundleWriter writer = new BundleWriter(out);
        writer.add(new BuildArchive(greedy, new byte[1], new byte[1]));
        writer.add(SmallBundle.build(SmallBundle.ID));
        writer.<IOException>finish("0.1.0", SmallBundle.TIME, "http://127.0.0.1:8080", manifest -> new byte[0]);

        try (Bundle bundle = Bundle.open(file(out.toByteArray()))) {
            assertThat(bundle.find(SmallBundle.ID)).contains(SmallBundle.ID);
            assertThat(bundle.find(absent)).isEmpty();
            assertThat(bundle.find(claimed)).contains(greedy.id());
        }
    }

    @Test
    void equalContentMakesEqualBytes() throws Exception {
        assertThat(SmallBundle.bytes()).isEqualTo(SmallBundle.bytes());
    }

    @Test
    void expiredPinsAreNotActive() {
        BundledBuild build = SmallBundle.build(SmallBundle.ID).build();

        assertThat(build.activePins(SmallBundle.TIME)).containsOnlyKeys("p2", "p3");
        assertThat(build.activePins(SmallBundle.TIME.plusSeconds(60))).containsOnlyKeys("p2");
    }

    @Test
    void changedFileIsRefused() throws Exception {
        byte[] bytes = SmallBundle.bytes();
        bytes[place(bytes, BUILD + "types") + BLOCK] ^= 1;

        assertRefused(bytes, BUILD + "types: damaged or changed: its SHA-256 is ");
    }

    @Test
    void changedFileIsRefusedWhenItIsUsed() throws Exception {
        byte[] bytes = SmallBundle.bytes();
        bytes[place(bytes, BUILD + "symbols") + BLOCK] ^= 1;
        try (Bundle bundle = Bundle.open(file(bytes))) {
            assertThatThrownBy(() -> bundle.build(SmallBundle.ID)).hasMessageContaining("damaged or changed");
        }
    }

    @Test
    void fileOfAnotherSizeIsRefused() throws Exception {
        assertRefused(
                replaced(BUILD + "types", "longer types".getBytes(StandardCharsets.UTF_8)), "12 bytes; expected 5");
    }

    @Test
    void missingAndAdditionalFilesAreRefused() throws Exception {
        byte[] bytes = SmallBundle.bytes();

        assertRefused(without(bytes, BUILD + "types"), BUILD + "types is missing");
        assertRefused(without(bytes, BundlePath.MANIFEST), BundlePath.MANIFEST + " is missing");
        assertRefused(
                with(bytes, BundlePath.ofSet("other"), "{}".getBytes(StandardCharsets.UTF_8)),
                "manifest.json does not name sets/other.json");
    }

    @Test
    void duplicateIsRefused() throws Exception {
        assertRefused(
                with(
                        SmallBundle.bytes(),
                        BundlePath.of(SmallBundle.ID, BundlePath.Part.TYPES),
                        "types".getBytes(StandardCharsets.UTF_8)),
                BUILD + "types: duplicate file");
    }

    @Test
    void pathsOutsideOfTheBundleAreRefused() throws Exception {
        for (String path : List.of(
                "../../etc/passwd",
                "/etc/passwd",
                "builds/../types",
                BUILD + "../types",
                BUILD + "other",
                "sets/../a.json",
                "sets/A.json",
                "builds/0123/types",
                "builds/0123456789ABCDEF/types",
                "")) {
            assertRefused(renamed(path), "unexpected file \"" + path + '"');
        }
    }

    @Test
    void everythingButRegularFilesIsRefused() throws Exception {
        for (char type : "12345679gLxSD\0".toCharArray()) {
            byte[] bytes = SmallBundle.bytes();
            bytes[TarWriter.TYPE_AT] = (byte) type;
            seal(bytes, 0);
            assertRefused(bytes, "expected \"0\", a regular file");
        }
    }

    @Test
    void oversizeIsRefusedBeforeItIsRead() throws Exception {
        byte[] bytes = SmallBundle.bytes();
        System.arraycopy("77777777777".getBytes(StandardCharsets.US_ASCII), 0, bytes, TarWriter.SIZE_AT, 11);
        seal(bytes, 0);

        assertRefused(bytes, "8589934591 bytes; the limit is 4194304");
    }

    @Test
    void truncatedBundleIsRefusedWhereverItEnds() throws Exception {
        byte[] bytes = SmallBundle.bytes();
        for (int length = 0; length < bytes.length; length += 97) {
            byte[] part = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> verify(part)).isInstanceOf(BundleException.class);
        }
    }

    @Test
    void hiddenBytesAreRefused() throws Exception {
        byte[] bytes = SmallBundle.bytes();
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        byte[] padded = bytes.clone();
        padded[place(bytes, BUILD + "types") + BLOCK + 5] = 1;

        assertRefused(longer, "unexpected data after the end");
        assertRefused(padded, "unexpected data after the file");
    }

    @Test
    void archiveOfAnotherToolIsRefused() throws Exception {
        assertRefused("%PDF-1.7 ".repeat(200).getBytes(StandardCharsets.UTF_8), "not an offsetd bundle");
    }

    @Test
    void manifestWithWrongValuesIsRefused() throws Exception {
        assertRefused(
                manifest("\"format\":\"offsetd bundle\"", "\"format\":\"offsetd backup\""),
                "expected \"offsetd bundle\"");
        assertRefused(manifest("\"formatVersion\":1", "\"formatVersion\":2"), "formatVersion is 2; expected 1");
        assertRefused(manifest("\"bytes\":5", "\"bytes\":-5"), "files[1]: bytes is -5; expected an integer from 0 to");
        assertRefused(
                manifest("\"bytes\":5", "\"bytes\":\"5\""), "files[1]: bytes is \"5\"; expected an integer from 0 to");
        assertRefused(
                manifest("\"bytes\":5", "\"bytes\":5.0"), "files[1]: bytes is 5.0; expected an integer from 0 to");
        assertRefused(
                manifest("\"bytes\":5", "\"bytes\":99999999999999999999"),
                "bytes is 99999999999999999999; expected an integer from 0");
        assertRefused(manifest("\"pins\":2", "\"pins\":3"), "differs from the entry of the build");
        assertRefused(manifest("\"createdAt\":\"2030", "\"createdAt\":\"x030"), "createdAt is \"x030");
        assertRefused(manifest("\"createdAt\":\"2030", "\"createdAt\":\"+12030"), "createdAt is \"+12030");
        assertRefused(manifest("\"bytes\":5,", ""), "files[1]: bytes is missing; expected an integer");
        assertRefused(manifest("\"product\":\"", "\"product\":{},\"x\":\""), "product is an object; expected a string");
        assertRefused(
                manifest("\"product\":\"", "\"format\":\"offsetd bundle\",\"product\":\""),
                ": \"format\" is given twice");
        assertRefused(
                manifest("{\"format\"", "{\"a\":[" + "[],".repeat(1_000_000) + "[]],\"format\""),
                ": more than 8 levels, or a text, a number or the whole is too long; expected an object");
        assertRefused(manifest("{\"format\"", "[[[[[[[[[[{\"format\""), "manifest.json: more than 8 levels");
        assertRefused(manifest("{\"format\"", "{\"format"), "manifest.json, line 1, column ");
    }

    @Test
    void archiveOfABuildHasOnlyItsFiles() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SmallBundle.build(SmallBundle.ID).writeTo(out);
        Path file = file(out.toByteArray());
        BuildId other = BuildId.parse("ff".repeat(20));

        assertThat(BuildArchive.read(file, SmallBundle.ID).build())
                .isEqualTo(SmallBundle.build(SmallBundle.ID).build());
        assertThatThrownBy(() -> BuildArchive.read(file, other))
                .isInstanceOf(BundleException.class)
                .hasMessageContaining("expected files of build " + other);
    }

    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Member(String path, byte[] header, byte[] content) {}

    private static List<Member> members(byte[] bytes) throws IOException {
        List<Member> members = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        while (true) {
            byte[] header = in.readNBytes(BLOCK);
            if (header[0] == 0) {
                return members;
            }
            String name = text(header, 0, TarWriter.NAME_BYTES);
            String prefix = text(header, TarWriter.PREFIX_AT, TarWriter.PREFIX_BYTES);
            int size = Integer.parseInt(text(header, TarWriter.SIZE_AT, TarWriter.NUMBER_BYTES), 8);
            byte[] content = in.readNBytes(size);
            in.skipNBytes(TarWriter.padding(size));
            members.add(new Member(prefix.isEmpty() ? name : prefix + '/' + name, header, content));
        }
    }

    private static String text(byte[] header, int at, int length) {
        return new String(header, at, length, StandardCharsets.US_ASCII).replaceFirst("\0.*", "");
    }

    private static byte[] archive(List<Member> members) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Member member : members) {
            out.write(member.header());
            out.write(member.content());
            out.write(new byte[TarWriter.padding(member.content().length)]);
        }
        out.write(new byte[2 * BLOCK]);
        return out.toByteArray();
    }

    private static byte[] without(byte[] bytes, String path) throws IOException {
        return archive(members(bytes).stream()
                .filter(member -> !member.path().equals(path))
                .toList());
    }

    private static byte[] with(byte[] bytes, BundlePath path, byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, bytes.length - 2 * BLOCK);
        TarWriter more = new TarWriter(out);
        more.put(path, content);
        more.finish();
        return out.toByteArray();
    }

    private static byte[] replaced(String path, byte[] content) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TarWriter archive = new TarWriter(out);
        for (Member member : members(SmallBundle.bytes())) {
            archive.put(BundlePath.require(member.path()), member.path().equals(path) ? content : member.content());
        }
        archive.finish();
        return out.toByteArray();
    }

    private static byte[] manifest(String text, String replacement) throws Exception {
        for (Member member : members(SmallBundle.bytes())) {
            if (member.path().equals(BundlePath.MANIFEST)) {
                String json = new String(member.content(), StandardCharsets.UTF_8);
                assertThat(json).contains(text);
                return replaced(
                        BundlePath.MANIFEST, json.replace(text, replacement).getBytes(StandardCharsets.UTF_8));
            }
        }
        throw new IllegalStateException("no manifest");
    }

    /** Returns the bundle with another path for its first file. */
    private static byte[] renamed(String path) throws Exception {
        byte[] bytes = SmallBundle.bytes();
        Arrays.fill(bytes, 0, TarWriter.NAME_BYTES, (byte) 0);
        byte[] name = path.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(name, 0, bytes, 0, name.length);
        seal(bytes, 0);
        return bytes;
    }

    /** Corrects the checksum of a header. */
    private static void seal(byte[] bytes, int at) {
        byte[] header = Arrays.copyOfRange(bytes, at, at + BLOCK);
        ByteBuffer.wrap(bytes, at + TarWriter.CHECKSUM_AT, 6)
                .put("%06o".formatted(TarWriter.checksum(header)).getBytes(StandardCharsets.US_ASCII));
    }

    private static int place(byte[] bytes, String path) throws IOException {
        int at = 0;
        for (Member member : members(bytes)) {
            if (member.path().equals(path)) {
                return at;
            }
            at += BLOCK + member.content().length + TarWriter.padding(member.content().length);
        }
        throw new IllegalArgumentException(path);
    }
}
