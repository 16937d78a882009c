package dev.offsetd.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PackageUnpackerTests {

    @TempDir
    private Path folder;

    @Test
    void diskFaultDoesNotSkipAFileOfAPackage() {
        assertFailsOfTheDisk(() -> unpack(folder.resolve("missing")));
        assertFailsOfTheDisk(() -> unpack(folder));
    }

    @Test
    void fullDiskIsADiskFault() throws IOException {
        try (CopyOutput full = new CopyOutput(Path.of("/dev/full"))) {
            assertFailsOfTheDisk(() -> full.write(new byte[9]));
            assertFailsOfTheDisk(() -> full.write(9));
        }
    }

    /** Unpacks an archive with one file, whose copy cannot be read. */
    private static void unpack(Path copies) throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".data", new byte[300])
                .toBytes();
        ByteArrayInputStream archive = new ByteArrayInputStream(Archives.gzip(Archives.tar(Map.of("prog", elf))));
        PackageUnpacker.unpack("x.tar.gz", archive, copies, new PackageUnpacker.Taker() {
            @Override
            public boolean take(String place, Path copy) throws IOException {
                throw new IOException("Input/output error");
            }

            @Override
            public void skipped(String place, String reason) {
                throw new AssertionError(place + " was skipped: " + reason);
            }
        });
    }

    @Test
    void zerosOfASparseFileCountAsDecompressedBytes() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        assertThatThrownBy(() -> PackageUnpacker.unpack(
                        "x.tar",
                        new ByteArrayInputStream(Archives.tarWithSparse(1, "prog", elf, 3 << 20, Map.of())),
                        folder,
                        new Keeping(),
                        2 << 20))
                .isInstanceOf(ArchiveLimitException.class)
                .hasMessageContaining("limit of 2097152 decompressed bytes");
        assertThat(folder).isEmptyDirectory();
    }

    /** The zeros are 2 TB. */
    @Test
    @Timeout(60)
    void sparseFileThatIsNotWantedIsSkipped() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        byte[] tar = Archives.tarWithSparse(1000, "disk", new byte[512], Integer.MAX_VALUE, Map.of("prog", elf));
        Keeping kept = new Keeping();
        PackageUnpacker.unpack("x.tar", new ByteArrayInputStream(tar), folder, kept);
        assertThat(kept.places).containsExactly("x.tar!prog");
    }

    @Test
    void sparseFileIsCopiedWithItsZeros() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        byte[] tar = Archives.tarWithSparse(1, "prog", elf, 9000, Map.of("other", elf));
        Keeping kept = new Keeping();
        PackageUnpacker.unpack("x.tar", new ByteArrayInputStream(tar), folder, kept);
        assertThat(kept.places).containsExactly("x.tar!prog", "x.tar!other");
        try (Stream<Path> copies = Files.list(folder)) {
            assertThat(copies).anySatisfy(copy -> assertThat(copy).hasSize(9000));
        }
    }

    @Test
    void numberOfCopiesIsBounded() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        byte[] tar = Archives.tar(Map.of("a", elf, "b", elf, "c", elf));
        ArchiveLimits limits = new ArchiveLimits(1000, 1 << 30, 100, 1 << 20, 1 << 20, 2, 3, 2);
        assertThatThrownBy(() ->
                        PackageUnpacker.unpack("x.tar", new ByteArrayInputStream(tar), folder, new Keeping(), limits))
                .isInstanceOf(ArchiveLimitException.class)
                .hasMessageContaining("limit of 2 builds");
    }

    private static final class Keeping implements PackageUnpacker.Taker {

        private final List<String> places = new ArrayList<>();

        @Override
        public boolean take(String place, Path copy) {
            return places.add(place);
        }

        @Override
        public void skipped(String place, String reason) {
            throw new AssertionError(place + " was skipped: " + reason);
        }
    }

    private static void assertFailsOfTheDisk(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .matches(e -> e instanceof IOException failure && PackageUnpacker.isOfTheDisk(failure));
    }
}
