package dev.offsetd.packages;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
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

    private static void assertFailsOfTheDisk(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .matches(e -> e instanceof IOException failure && PackageUnpacker.isOfTheDisk(failure));
    }
}
