package dev.offsetd.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Builds in whatever a pipeline has at hand. */
class BuildFinderTests {

    private static final String LIBRARY = "usr/lib/libruby.so.3.4.1";

    @TempDir
    private Path folder;

    private static byte[] elf(int number) {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(id(number).toBytes())
                .section(".data", new byte[3000])
                .toBytes();
    }

    private static BuildId id(int number) {
        byte[] bytes = new byte[20];
        Arrays.fill(bytes, (byte) number);
        return BuildId.of(bytes);
    }

    private static Map<String, byte[]> files(int number) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("usr/", new byte[0]);
        files.put("usr/share/doc/readme", "not an ELF file".getBytes(StandardCharsets.UTF_8));
        files.put(LIBRARY, elf(number));
        files.put("usr/share/empty", new byte[0]);
        return files;
    }

    /** Packages and archives, each with the library in it. */
    static Stream<byte[]> containers() throws IOException {
        byte[] tar = Archives.tar(files(1));
        return Stream.of(
                tar,
                Archives.gzip(tar),
                Archives.xz(tar),
                Archives.zstd(tar),
                Archives.bzip2(tar),
                Archives.deb(files(1)),
                Archives.rpm(files(1)),
                Archives.image(List.of(tar)),
                Archives.image(List.of(Archives.gzip(Archives.tar(Map.of())), Archives.gzip(tar))),
                Archives.gzip(Archives.image(List.of(Archives.zstd(tar)))));
    }

    /** For files over 4 GiB, rpm strips the headers of the payload. */
    @Test
    void payloadOfAnRpmThatCannotBeReadIsNamed() throws IOException {
        ByteArrayOutputStream leads = new ByteArrayOutputStream();
        for (int i = 0; i < 10_000; i++) {
            leads.write(Archives.rpm(new byte[0]));
        }
        byte[] stripped = Archives.rpm("07070X".getBytes(StandardCharsets.US_ASCII));
        for (byte[] file : List.of(stripped, leads.toByteArray())) {
            assertThat(find(Files.write(folder.resolve("odd.rpm"), file)).unreadable())
                    .singleElement()
                    .satisfies(
                            odd -> assertThat(odd.reason()).contains("the payload of the RPM is in an unknown format"));
        }
    }

    @Test
    void tarArchiveMayEndWithTheLastByteOfItsLastFile() throws IOException {
        byte[] library = elf(1);
        byte[] tar = Archives.tar(Map.of(LIBRARY, library));
        int end = 512 + library.length;
        assertThat(end % 512).as("padding").isPositive();

        SearchResult whole = find(Files.write(folder.resolve("unpadded.tar"), Arrays.copyOf(tar, end)));
        SearchResult truncated = find(Files.write(folder.resolve("truncated.tar"), Arrays.copyOf(tar, end - 1)));

        assertThat(whole.unreadable()).isEmpty();
        assertThat(whole.builds())
                .singleElement()
                .satisfies(build -> assertThat(build.buildId()).isEqualTo(id(1)));
        assertThat(truncated.unreadable()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("containers")
    void libraryIsFoundInEveryKindOfArchiveWhateverItsName(byte[] container) throws IOException {
        Path file = Files.write(folder.resolve("some.file"), container);

        SearchResult found = find(file);

        assertThat(found.unreadable()).isEmpty();
        assertThat(found.skipped()).isEmpty();
        assertThat(found.builds()).singleElement().satisfies(build -> {
            assertThat(build.buildId()).isEqualTo(id(1));
            assertThat(build.name()).isEqualTo("libruby.so.3.4.1");
            assertThat(build.architecture().machine()).isEqualTo("x86_64");
            assertThat(build.places())
                    .singleElement()
                    .asString()
                    .startsWith(file + "!")
                    .endsWith(LIBRARY);
        });
    }

    @Test
    void placesNameEachArchiveOnTheWay() throws IOException {
        Path image = Files.write(
                folder.resolve("image.tar"), Archives.image(List.of(Archives.tar(files(1)), Archives.tar(files(2)))));

        assertThat(find(image).builds())
                .extracting(build -> build.places().getFirst())
                .containsExactly(
                        image + "!blobs/sha256/" + "0".repeat(64) + "!" + LIBRARY,
                        image + "!blobs/sha256/" + "1".repeat(64) + "!" + LIBRARY);
    }

    @Test
    void deletedByALaterLayerIsFoundAllTheSame() throws IOException {
        byte[] whiteout = Archives.tar(Map.of("usr/lib/.wh.libruby.so.3.4.1", new byte[0]));
        Path image =
                Files.write(folder.resolve("image.tar"), Archives.image(List.of(Archives.tar(files(1)), whiteout)));

        assertThat(find(image).builds()).extracting(FoundBuild::buildId).containsExactly(id(1));
    }

    @Test
    void foldersAreGoneThroughAndLinksNotFollowed() throws IOException {
        Path outside = Files.write(folder.resolve("outside.so"), elf(9));
        Path root = Files.createDirectories(folder.resolve("root"));
        Files.createDirectories(root.resolve("a/b"));
        Files.write(root.resolve("a/b/one.so"), elf(1));
        Files.write(root.resolve("two.deb"), Archives.deb(files(2)));
        Files.createSymbolicLink(root.resolve("a/circle"), root);
        Files.createSymbolicLink(root.resolve("a/out.so"), outside);

        assertThat(find(root).builds()).extracting(FoundBuild::buildId).containsExactly(id(1), id(2));
    }

    @Test
    void linkThatIsNamedIsFollowed() throws IOException {
        Files.write(folder.resolve("one.so"), elf(1));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("one.so"));

        assertThat(find(link).builds()).hasSize(1);
    }

    @Test
    void sameBuildIsFoundOnceAndNamedAfterItsLibrary() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("usr/lib/debug/.build-id/01/0101.debug", elf(1));
        files.putAll(files(1));
        Path tar = Files.write(folder.resolve("a.tar"), Archives.tar(files));

        assertThat(find(tar, tar).builds()).singleElement().satisfies(build -> {
            assertThat(build.name()).isEqualTo("libruby.so.3.4.1");
            assertThat(build.places()).hasSize(2);
        });
    }

    @Test
    void onlyNamesThatMatchAreRead() throws IOException {
        Map<String, byte[]> files = files(1);
        files.put("usr/lib/libc.so.6", elf(2));
        Path tar = Files.write(folder.resolve("a.tar"), Archives.tar(files));

        assertThat(finder(ArchiveLimits.DEFAULT, "libruby*")
                        .find(List.of(tar.toString()))
                        .builds())
                .extracting(FoundBuild::buildId)
                .containsExactly(id(1));
    }

    @Test
    void standardInputIsReadAsAnyFile() throws IOException {
        byte[] image = Archives.gzip(Archives.image(List.of(Archives.gzip(Archives.tar(files(1))))));

        SearchResult found = new BuildFinder(List.of(), new Trickle(image), _ -> {}).find(List.of("-"));

        assertThat(found.builds())
                .singleElement()
                .satisfies(build -> assertThat(build.places().getFirst()).startsWith("standard input!blobs/"));
    }

    @Test
    void whatHasNoBuildIdIsCounted() throws IOException {
        byte[] without = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".data", new byte[9])
                .toBytes();
        Path tar = Files.write(folder.resolve("a.tar"), Archives.tar(Map.of("a.o", without)));

        SearchResult found = find(tar);

        assertThat(found.builds()).isEmpty();
        assertThat(found.withoutBuildId()).isEqualTo(1);
    }

    @Test
    void brokenFileInAnArchiveIsPassedOverAndSaid() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("broken.so", Arrays.copyOf(elf(3), 100));
        files.put("broken.gz", Arrays.copyOf(Archives.gzip(elf(4)), 60));
        files.putAll(files(1));
        Path tar = Files.write(folder.resolve("a.tar"), Archives.tar(files));

        SearchResult found = find(tar);

        assertThat(found.builds()).extracting(FoundBuild::buildId).containsExactly(id(1));
        assertThat(found.unreadable()).isEmpty();
        assertThat(found.skipped())
                .extracting(SearchResult.UnreadableFile::place)
                .containsExactly(tar + "!broken.so", tar + "!broken.gz");
    }

    @Test
    void pathThatEndsTooEarlyIsUnreadable() throws IOException {
        byte[] whole = Archives.gzip(Archives.tar(files(1)));
        Path cut = Files.write(folder.resolve("cut.tar.gz"), Arrays.copyOf(whole, whole.length - 30));

        assertThat(find(cut).unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.place()).isEqualTo(cut.toString()));
    }

    @Test
    void pathsThatAreNotThereAreUnreadable() {
        assertThat(find(folder.resolve("none")).unreadable())
                .containsExactly(
                        new SearchResult.UnreadableFile(folder.resolve("none").toString(), "no such file"));
        assertThat(find(Path.of("/dev/null")).unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason()).contains("not a regular file"));
    }

    @Test
    void fileOfAnotherKindIsUnreadableOnlyIfItIsNamed() throws IOException {
        byte[] source = "int main(void) { return 0; }".getBytes(StandardCharsets.UTF_8);
        Path root = Files.createDirectories(folder.resolve("root"));
        Path named = Files.write(root.resolve("app.c"), source);
        Path compressed = Files.write(root.resolve("app.c.gz"), Archives.gzip(source));

        assertThat(find(named, compressed).unreadable())
                .extracting(SearchResult.UnreadableFile::place)
                .containsExactly(named.toString(), compressed.toString());
        assertThat(find(root).unreadable()).isEmpty();
        assertThat(find(root).skipped()).isEmpty();
        assertThat(finder(ArchiveLimits.DEFAULT, "lib*")
                        .find(List.of(named.toString()))
                        .unreadable())
                .isEmpty();
    }

    @Test
    void archivesDeeperThanAnImagesLayersAreNotOpened() throws IOException {
        byte[] layer = Archives.tar(Map.of("var/cache/one.deb", Archives.deb(files(1))));
        Path image = Files.write(folder.resolve("image.tar"), Archives.image(List.of(layer)));

        assertThat(find(image).builds()).isEmpty();
        assertThat(find(image).unreadable()).isEmpty();
    }

    @Test
    void compressedZerosAreRefused() throws IOException {
        ArchiveLimits limits = new ArchiveLimits(1000, 1 << 30, 100, 1 << 20, 1 << 20, 2, 3, 100);
        Path bomb = Files.write(
                folder.resolve("bomb.tar.zst"), Archives.zstd(Archives.tar(Map.of("zeros", new byte[8 << 20]))));

        assertThat(find(limits, bomb).unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason()).contains("the limit is a ratio of 100"));
    }

    @Test
    void bytesEntriesAndBuildsAreBounded() throws IOException {
        Map<String, byte[]> files = files(1);
        files.putAll(Map.of("a", elf(2), "b", elf(3)));
        Path tar = Files.write(folder.resolve("a.tar.gz"), Archives.gzip(Archives.tar(files)));

        assertThat(find(new ArchiveLimits(1000, 10_000, 100, 1 << 20, 1 << 20, 2, 3, 100), tar)
                        .unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason()).contains("limit of 10000 decompressed bytes"));
        assertThat(find(new ArchiveLimits(3, 1 << 30, 100, 1 << 20, 1 << 20, 2, 3, 100), tar)
                        .unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason()).contains("limit of 3 files"));
        assertThat(find(new ArchiveLimits(1000, 1 << 30, 100, 1 << 20, 1 << 20, 2, 3, 2), tar)
                        .unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason()).contains("limit of 2 builds"));
    }

    @Test
    void nameOfMegabytesIsRefused() throws IOException {
        Path tar = Files.write(folder.resolve("a.tar.xz"), Archives.xz(Archives.tarWithNameOf(2 << 20)));

        assertThat(find(tar).unreadable())
                .singleElement()
                .satisfies(unread -> assertThat(unread.reason())
                        .contains("header of a file in it exceeds the limit of 1048576 bytes"));
    }

    @ParameterizedTest
    @MethodSource("containers")
    void changedBytesEndInFindingsToo(byte[] container) throws IOException {
        Random random = new Random(7);
        for (int run = 0; run < 60; run++) {
            byte[] changed = container.clone();
            for (int i = 0; i < 4; i++) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            SearchResult found = find(Files.write(folder.resolve("changed"), changed));
            assertThat(found.builds().size() + found.unreadable().size()).isLessThanOrEqualTo(2);
        }
    }

    /** The largest window of {@code xz -9} is permitted. */
    @ParameterizedTest
    @CsvSource({"28, 1", "29, 0"})
    void windowOfAStreamIsBounded(int window, int builds) throws IOException {
        byte[] stream = Archives.xz(elf(1));
        // After the header of the stream: size and flags of the block header, then the filter and the size of its
        // window.
        int size = (stream[12] + 1) * 4;
        assertThat(stream).startsWith(0xfd, '7', 'z').containsSequence(0x21, 0x01);
        stream[16] = (byte) window;
        CRC32 sum = new CRC32();
        sum.update(stream, 12, size - 4);
        ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN).putInt(12 + size - 4, (int) sum.getValue());

        SearchResult found = find(Files.write(folder.resolve("x.xz"), stream));

        assertThat(found.builds()).hasSize(builds);
        assertThat(found.unreadable()).hasSize(1 - builds);
    }

    /** A stream of a hundred bytes chooses its window, here 8 MiB. */
    @Test
    void windowsOfManyStreamsAreAllocatedOnce() throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (OutputStream out = new XZOutputStream(stream, new LZMA2Options(6))) {
            out.write(elf(1));
        }
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            files.put("core." + i, stream.toByteArray());
        }
        Path tar = Files.write(folder.resolve("many.tar"), Archives.tar(files));

        assertThat(HostileRun.answer("many streams", 64 << 20, () -> find(tar)))
                .hasValueSatisfying(found -> assertThat(found.builds()).hasSize(1));
    }

    private SearchResult find(Path... paths) {
        return find(ArchiveLimits.DEFAULT, paths);
    }

    private static SearchResult find(ArchiveLimits limits, Path... paths) {
        return finder(limits).find(Arrays.stream(paths).map(Path::toString).toList());
    }

    private static BuildFinder finder(ArchiveLimits limits, String... globs) {
        return new BuildFinder(
                Arrays.stream(globs)
                        .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
                        .toList(),
                InputStream.nullInputStream(),
                _ -> {},
                limits);
    }

    /** A pipe that is always being waited for: a few bytes at a time, and none that is there already. */
    private static final class Trickle extends InputStream {

        private final ByteArrayInputStream bytes;

        Trickle(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return bytes.read(target, offset, Math.min(length, 7));
        }

        @Override
        public int available() {
            return 0;
        }
    }
}
