package dev.offsetd.server.sources;

import dev.offsetd.extractor.FileRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import okhttp3.Headers;
import okhttp3.Response;
import okio.BufferedSource;
import okio.Okio;

/**
 * Fetches ranges of a file (RFC 9110 section 14) to a sparse file of its size, in which every byte lies where it belongs. For one
 * thread.
 */
final class RangeTransfer {

    private static final int CHUNK_BYTES = 256 << 10;

    /** Headers that change with the file (RFC 9110 section 8.8). */
    private static final List<String> VALIDATORS = List.of("ETag", "Last-Modified");

    private final Requests requests;
    private final BodyTransfer transfer;
    private final long size;
    private final Headers first;

    /** Bytes of all ranges; 0 until they are known. */
    private long expected;

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
     * @param first headers of the first response about the file
     */
    RangeTransfer(Requests requests, BodyTransfer transfer, long size, Headers first) {
        this.requests = requests;
        this.transfer = transfer;
        this.size = size;
        this.first = first;
    }

    long size() {
        return size;
    }

    /** Counts ranges from now on as parts of so many bytes. */
    void expect(long bytes) {
        expected = bytes;
    }

    /**
     * Returns the ranges in the order of the file, with those joined that are close to each other.
     *
     * @param gap bytes up to which ranges are close
     */
    static List<FileRange> merged(List<FileRange> ranges, long gap) {
        List<FileRange> merged = new ArrayList<>();
        ranges.stream()
                .filter(range -> range.bytes() > 0)
                .sorted(Comparator.comparingLong(FileRange::offset))
                .forEach(range -> {
                    if (merged.isEmpty() || range.offset() > merged.getLast().end() + gap) {
                        merged.add(range);
                    } else {
                        FileRange last = merged.removeLast();
                        merged.add(new FileRange(last.offset(), Math.max(last.end(), range.end()) - last.offset()));
                    }
                });
        return merged;
    }

    /**
     * Fetches a range.
     *
     * @throws NoRangeException if the upstream does not deliver it
     */
    void fetch(FileRange range, FileChannel file) throws IOException {
        if (range.bytes() == 0) {
            return;
        }
        try (Response response = requests.send(header(range))) {
            receive(range, response, file);
        }
    }

    static String header(FileRange range) {
        return "bytes=" + bytes(range);
    }

    private static String bytes(FileRange range) {
        return range.offset() + "-" + (range.end() - 1);
    }

    /**
     * Receives a range that was requested.
     *
     * @throws NoRangeException if the response does not have it
     */
    void receive(FileRange range, Response response, FileChannel file) throws IOException {
        String bytes = bytes(range);
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
            if (expected > 0) {
                transfer.add(read, expected);
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

    static void write(FileChannel file, ByteBuffer bytes, long at) throws DiskException {
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
