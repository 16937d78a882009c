package dev.offsetd.packages;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** A package, archive or compressed stream from standard input, as {@code prewarm -} and {@code push -} read it. */
class ArchiveReaderFuzzTests {

    /** Windows of xz, of each size up to the limit. */
    private static final long WINDOWS_BYTES = 3 * (66L << 20);

    /** A stream of bzip2 in an entry of 1,024 bytes allocates 4 MB. */
    private static final long BYTES_FOR_EACH = 4_096;

    private static final ArchiveLimits LIMITS = new ArchiveLimits(1_000, 1 << 20, 300, 1 << 16, 1 << 16, 2, 3, 100);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        long bound = HostileRun.allocationBound(LIMITS.maxDecompressedBytes())
                + data.length * BYTES_FOR_EACH
                + WINDOWS_BYTES;
        Optional<SearchResult> found = HostileRun.answer("archive", bound, () -> {
            InputStream in = new ByteArrayInputStream(data);
            return new BuildFinder(List.of(), in, _ -> {}, LIMITS).find(List.of(BuildFinder.STANDARD_INPUT));
        });
        for (SearchResult.UnreadableFile file : found.orElseThrow().unreadable()) {
            if (file.reason().isBlank()) {
                throw new AssertionError("unreadable without a reason: " + file.place());
            }
        }
    }
}
