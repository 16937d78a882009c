package dev.offsetd.server.sources;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.FileRange;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.compute.ComputePool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import okio.BufferedSource;

/**
 * Fetches the sections of a large debug file that the extractor reads, by ranges of the file (RFC 9110 section 14): the start of the
 * file, its section header table, the names, and then the sections. They are written to a sparse file of the announced size, so
 * every byte lies where the section headers say, and copied from there to a slim file. For one thread.
 */
final class SectionDownload {

    private static final int START_BYTES = 64 << 10;

    /** Ranges with a smaller gap are fetched as one: a request costs as much. */
    private static final long GAP_BYTES = 128 << 10;

    private static final int MAX_RANGES = 64;

    /** Share of the file that the sections may have. Otherwise the whole file, which serves debuggers, too, is fetched. */
    private static final double WORTHWHILE = 0.6;

    private final ReadOptions options;
    private final RangeTransfer ranges;
    private final DiskCache cache;
    private final BodyTransfer transfer;
    private final long size;
    private final ComputePool threads;

    /** @param threads that read what came */
    SectionDownload(RangeTransfer ranges, DiskCache cache, BodyTransfer transfer, ComputePool threads) {
        this.options = new ReadOptions(Limits.HEADERS.withMaxFileBytes(ranges.size()), 1);
        this.ranges = ranges;
        this.cache = cache;
        this.transfer = transfer;
        this.size = ranges.size();
        this.threads = threads;
    }

    /**
     * Fetches the sections.
     *
     * @param whole body of the response with the whole file, of which nothing is consumed
     * @param endWhole ends the response with the whole file; called before most of the sections are fetched
     * @return the slim file, unfinished; empty if the whole file should be fetched
     * @throws RangeTransfer.NoRangeException if the upstream stops to deliver ranges
     */
    Optional<IncomingFile> run(BufferedSource whole, Runnable endWhole) throws IOException, InterruptedException {
        if (!whole.request(START_BYTES)) {
            return Optional.empty();
        }
        byte[] start = whole.peek().readByteArray(START_BYTES);
        try (IncomingFile sparse = cache.newFile();
                FileChannel file = FileChannel.open(sparse.path(), StandardOpenOption.WRITE)) {
            List<FileRange> sections;
            try {
                FileRange table = FileRange.ofSectionHeaders(start);
                if (table.end() > size) {
                    return Optional.empty();
                }
                RangeTransfer.write(file, ByteBuffer.wrap(new byte[1]), size - 1);
                RangeTransfer.write(file, ByteBuffer.wrap(start), 0);
                ranges.fetch(table, file);
                ranges.fetch(read(sparse, DebugInfo::sectionNames), file);
                sections = RangeTransfer.merged(read(sparse, DebugInfo::slimRanges), GAP_BYTES);
            } catch (ExtractionException | RangeTransfer.NoRangeException e) {
                return Optional.empty();
            }
            long bytes = sections.stream().mapToLong(FileRange::bytes).sum();
            if (sections.size() > MAX_RANGES || bytes > size * WORTHWHILE) {
                return Optional.empty();
            }
            endWhole.run();
            ranges.expect(bytes + start.length);
            transfer.add(start.length, bytes + start.length);
            for (FileRange range : sections) {
                ranges.fetch(range, file);
            }
            return Optional.of(slim(sparse));
        }
    }

    private <T> T read(IncomingFile sparse, DebugInfo.Reading<T> reading)
            throws IOException, ExtractionException, InterruptedException {
        return threads.read(() -> DebugInfo.read(sparse.path(), options, reading));
    }

    private IncomingFile slim(IncomingFile sparse) throws IOException, InterruptedException {
        try (IncomingFile slim = cache.newFile()) {
            OutputStream out = new OutputStream() {
                @Override
                public void write(int value) throws DiskException {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws DiskException {
                    slim.write(from == 0 ? bytes : Arrays.copyOfRange(bytes, from, from + length), length);
                }
            };
            long _ = read(sparse, info -> info.writeSlim(out));
            return slim.handOver();
        } catch (ExtractionException e) {
            throw new IllegalStateException("the sections of a file whose headers were read cannot be copied", e);
        }
    }
}
