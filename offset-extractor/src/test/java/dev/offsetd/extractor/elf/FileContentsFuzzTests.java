package dev.offsetd.extractor.elf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A whole file, which may be compressed, and the member {@code x.o} of it as an archive. */
class FileContentsFuzzTests {

    /** Windows of xz, of each size up to the limit. */
    private static final long WINDOWS_BYTES = 512L << 20;

    private static final Limits LIMITS =
            Limits.DEFAULT.withMaxDecompressedBytes(1 << 20).withMaxHeapSectionBytes(1 << 16);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        Path file = Files.createTempFile("file", null);
        try {
            Files.write(file, data);
            long wholeBytes = bytes(file, data.length).orElse(LIMITS.maxDecompressedBytes());
            if (wholeBytes > Math.max(data.length, LIMITS.maxDecompressedBytes())) {
                throw new AssertionError(data.length + " bytes decompressed to " + wholeBytes);
            }
            bytes(Path.of(file + "(x.o)"), data.length).ifPresent(memberBytes -> {
                if (memberBytes > wholeBytes) {
                    throw new AssertionError("a member of " + memberBytes + " bytes in " + wholeBytes);
                }
            });
        } finally {
            Files.delete(file);
        }
    }

    private static Optional<Long> bytes(Path file, long length) throws IOException {
        return HostileRun.answer("contents", HostileRun.allocationBound(length) + WINDOWS_BYTES, () -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment contents = FileContents.of(file, arena, LIMITS);
                return contents.byteSize();
            }
        });
    }
}
