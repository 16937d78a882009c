package dev.offsetd.server.sources;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.FileRange;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.compute.ComputePool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import okhttp3.Response;

/**
 * Fetches the parts of an executable that say where its code and its thread-local variables are: its first 4 KiB, the section header
 * table, and what the program headers lead to. For one thread.
 */
final class ProgramDownload {

    static final FileRange START = new FileRange(0, 4 << 10);

    /** Ranges with a smaller gap are fetched as one. */
    private static final long GAP_BYTES = 16 << 10;

    /** Most bytes of all parts; the relocations of a large C++ library have some megabytes. */
    private static final long MAX_BYTES = 16 << 20;

    private final RangeTransfer ranges;
    private final ComputePool threads;
    private final ReadOptions options;
    private final Set<FileRange> known =
            new TreeSet<>(Comparator.comparingLong(FileRange::offset).thenComparingLong(FileRange::bytes));
    private long bytes;

    /** @param threads that read what came */
    ProgramDownload(RangeTransfer ranges, ComputePool threads) {
        this.ranges = ranges;
        this.threads = threads;
        this.options = new ReadOptions(Limits.HEADERS.withMaxFileBytes(ranges.size()), 1);
    }

    /**
     * Fetches the parts.
     *
     * @param first response with the first of them
     * @param file that they are written to
     * @return whether they are enough; otherwise the whole executable should be fetched
     */
    boolean run(Response first, Path file) throws IOException, InterruptedException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            RangeTransfer.write(channel, ByteBuffer.wrap(new byte[1]), ranges.size() - 1);
            FileRange start = new FileRange(0, Math.min(START.bytes(), ranges.size()));
            ranges.expect(MAX_BYTES);
            ranges.receive(start, first, channel);
            // Without the section headers, a debug file could pass for its program.
            List<FileRange> next = List.of(sectionHeaders(file, start));
            while (!next.isEmpty()) {
                if (!fetch(next, channel)) {
                    return false;
                }
                next = threads.read(() -> DebugInfo.read(file, options, DebugInfo::programRanges)).stream()
                        .filter(range -> range.bytes() > 0 && range.end() > start.end() && !known.contains(range))
                        .toList();
            }
            return true;
        } catch (ExtractionException | RangeTransfer.NoRangeException e) {
            return false;
        }
    }

    private static FileRange sectionHeaders(Path file, FileRange start) throws IOException, ExtractionException {
        try (InputStream in = Files.newInputStream(file)) {
            return FileRange.ofSectionHeaders(in.readNBytes((int) start.bytes()));
        }
    }

    /** Returns whether all ranges are fetched; else they are outside of the file, or too large. */
    private boolean fetch(List<FileRange> next, FileChannel channel) throws IOException {
        known.addAll(next);
        for (FileRange range : RangeTransfer.merged(next, GAP_BYTES)) {
            bytes += range.bytes();
            if (range.offset() < 0 || range.end() > ranges.size() || bytes > MAX_BYTES) {
                return false;
            }
            ranges.fetch(range, channel);
        }
        return true;
    }

    /** Returns the size of the file that a {@code Content-Range} states; empty if it does not. */
    static Optional<Long> size(Response response) {
        String range = String.valueOf(response.header("Content-Range"));
        String size = range.substring(range.lastIndexOf('/') + 1);
        return !size.isEmpty() && size.length() < 19 && size.chars().allMatch(Character::isDigit)
                ? Optional.of(Long.parseLong(size))
                : Optional.empty();
    }
}
