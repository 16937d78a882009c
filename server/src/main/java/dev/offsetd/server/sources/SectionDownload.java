package dev.offsetd.server.sources;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.FileRange;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.Response;
import okio.BufferedSource;
import okio.Okio;

/**
 * Fetches the sections of a large debug file that the extractor reads, by ranges of the file (RFC 9110 section 14): the start of the
 * file, its section header table, the names, and then the sections. They are written to a sparse file of the announced size, so
 * every byte lies where the section headers say, and copied from there to a slim file. For one thread.
 */
final class SectionDownload {

    private static final int START_BYTES = 64 << 10;
    private static final int CHUNK_BYTES = 256 << 10;

    /** Ranges with a smaller gap are fetched as one: a request costs as much. */
    private static final long GAP_BYTES = 128 << 10;

    private static final int MAX_RANGES = 64;

    /** Headers that change with the file (RFC 9110 section 8.8). */
    private static final List<String> VALIDATORS = List.of("ETag", "Last-Modified");

    /** Share of the file that the sections may have. Otherwise the whole file, which serves debuggers, too, is fetched. */
    private static final double WORTHWHILE = 0.6;

    private final ReadOptions options;
    private final Requests requests;
    private final DiskCache cache;
    private final BodyTransfer transfer;
    private final long size;
    private final Headers first;

    /** Bytes of the sections; 0 until it is known that they are fetched. */
    private long wanted;

    /** Sends requests for ranges of the file. */
    @FunctionalInterface
    interface Requests {

        /** Returns the response to a request with this {@code Range}. */
        Response send(String range) throws IOException;
    }

    /** The upstream does not deliver this range. */
    static final class NoRangeException extends IOException {

        private final Response response;

        private NoRangeException(Response response, String message) {
            super(message);
            this.response = response;
        }

        Response response() {
            return response;
        }
    }

    /**
     * @param size bytes of the file, as announced
     * @param first headers of the response with the whole file
     */
    SectionDownload(Requests requests, DiskCache cache, BodyTransfer transfer, long size, Headers first) {
        this.options = new ReadOptions(Limits.DEFAULT.withMaxFileBytes(size), 1);
        this.requests = requests;
        this.cache = cache;
        this.transfer = transfer;
        this.size = size;
        this.first = first;
    }

    /**
     * Fetches the sections.
     *
     * @param whole body of the response with the whole file, of which nothing is consumed
     * @param begin called before most of the sections are fetched; the whole file is not needed any more
     * @return the slim file, unfinished; empty if the whole file should be fetched
     * @throws NoRangeException if the upstream stops to deliver ranges
     */
    Optional<IncomingFile> run(BufferedSource whole, Runnable begin) throws IOException {
        if (!whole.request(START_BYTES)) {
            return Optional.empty();
        }
        byte[] start = whole.peek().readByteArray(START_BYTES);
        try (IncomingFile sparse = cache.receive();
                FileChannel file = FileChannel.open(sparse.path(), StandardOpenOption.WRITE)) {
            List<FileRange> ranges;
            try {
                FileRange table = FileRange.ofSectionHeaders(start);
                if (table.end() > size) {
                    return Optional.empty();
                }
                write(file, ByteBuffer.wrap(new byte[1]), size - 1);
                write(file, ByteBuffer.wrap(start), 0);
                fetch(table, file);
                fetch(DebugInfo.read(sparse.path(), options, DebugInfo::sectionNames), file);
                ranges = merged(DebugInfo.read(sparse.path(), options, DebugInfo::slimRanges));
            } catch (ExtractionException | NoRangeException e) {
                return Optional.empty();
            }
            long bytes = ranges.stream().mapToLong(FileRange::bytes).sum();
            if (ranges.size() > MAX_RANGES || bytes > size * WORTHWHILE) {
                return Optional.empty();
            }
            begin.run();
            wanted = bytes + start.length;
            transfer.add(start.length, wanted);
            for (FileRange range : ranges) {
                fetch(range, file);
            }
            return Optional.of(slim(sparse));
        }
    }

    private IncomingFile slim(IncomingFile sparse) throws IOException {
        IncomingFile slim = cache.receive();
        boolean done = false;
        try {
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
            DebugInfo.read(sparse.path(), options, info -> info.writeSlim(out));
            done = true;
            return slim;
        } catch (ExtractionException e) {
            throw new IllegalStateException("the sections of a file whose headers were read cannot be copied", e);
        } finally {
            if (!done) {
                slim.close();
            }
        }
    }

    /** Returns the ranges in the order of the file, with those joined that are close to each other. */
    private static List<FileRange> merged(List<FileRange> ranges) {
        List<FileRange> merged = new ArrayList<>();
        ranges.stream()
                .filter(range -> range.bytes() > 0)
                .sorted(Comparator.comparingLong(FileRange::offset))
                .forEach(range -> {
                    if (merged.isEmpty() || range.offset() > merged.getLast().end() + GAP_BYTES) {
                        merged.add(range);
                    } else {
                        FileRange last = merged.removeLast();
                        merged.add(new FileRange(last.offset(), Math.max(last.end(), range.end()) - last.offset()));
                    }
                });
        return merged;
    }

    private void fetch(FileRange range, FileChannel file) throws IOException {
        if (range.bytes() == 0) {
            return;
        }
        String bytes = range.offset() + "-" + (range.end() - 1);
        try (Response response = requests.send("bytes=" + bytes)) {
            String delivered = response.header("Content-Range");
            if (response.code() != 206
                    || !("bytes " + bytes + "/" + size).equals(delivered)
                    || response.header("Content-Encoding") != null) {
                throw new NoRangeException(response, "HTTP status " + response.code() + " to bytes " + bytes);
            }
            if (!isSameVersion(response)) {
                throw new NoRangeException(response, "bytes " + bytes + " are of another version of the file");
            }
            BufferedSource body = Okio.buffer(transfer.paced(response.body().source()));
            byte[] chunk = new byte[CHUNK_BYTES];
            for (long done = 0; done < range.bytes(); ) {
                int length = (int) Math.min(chunk.length, range.bytes() - done);
                int read = body.read(chunk, 0, length);
                if (read < 0) {
                    throw new IOException("the range ends " + (range.bytes() - done) + " bytes early");
                }
                write(file, ByteBuffer.wrap(chunk, 0, read), range.offset() + done);
                done += read;
                if (wanted > 0) {
                    transfer.add(read, wanted);
                }
            }
        }
    }

    /** Servers that ignore {@code If-Range}, and requests without it, get ranges of a file that was replaced meanwhile. */
    private boolean isSameVersion(Response part) {
        return VALIDATORS.stream().allMatch(name -> {
            String now = part.header(name);
            return now == null || now.equals(first.get(name));
        });
    }

    private static void write(FileChannel file, ByteBuffer bytes, long at) throws DiskException {
        long position = at;
        try {
            while (bytes.hasRemaining()) {
                position += file.write(bytes, position);
            }
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }
}
