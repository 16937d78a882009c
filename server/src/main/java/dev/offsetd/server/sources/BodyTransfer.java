package dev.offsetd.server.sources;

import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.Framing;
import dev.offsetd.server.web.Pace;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.GzipSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/** Copies the body of a response to a file, decompresses it, and counts its bytes. For one thread and one body. */
final class BodyTransfer {

    private static final int CHUNK_BYTES = 256 << 10;

    /** An upstream that is silent has the stall timeout, which may be as long as the pace allows and has the clearer error. */
    private static final long AFTER_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long maxBytes;
    private final FetchProgress progress;
    private final Pace pace;

    /** Bytes since the last decompressed byte. Gzip allows headers of any length, which decompress to nothing. */
    private final Framing coding = new Framing();

    private @Nullable Long total;
    private long received;
    private long wireBytes;

    /**
     * @param maxBytes most bytes of the file, decompressed
     * @param pace lowest rate of the upstream
     */
    BodyTransfer(long maxBytes, FetchProgress progress, Pace pace) {
        this.maxBytes = maxBytes;
        this.progress = progress;
        this.pace = pace;
    }

    /** Returns the number of decompressed bytes received so far. */
    long received() {
        return received;
    }

    /** Returns the number of bytes received so far, before decompression. */
    long wireBytes() {
        return wireBytes;
    }

    /**
     * Copies until the end of the body, or until one byte more than allowed was read: the extra byte tells a file that is too
     * large from one of exactly the allowed size. One chunk is hashed and written while the next one is received.
     *
     * @param size decompressed size of the file, for the progress; null if unknown
     */
    void copy(Source body, boolean gzip, @Nullable Long size, IncomingFile incoming)
            throws IOException, InterruptedException {
        total = size;
        Source wire = new CountingSource(body);
        BufferedSource file = Okio.buffer(gzip ? new GzipSource(wire) : wire);
        try (ExecutorService writer = Executors.newVirtualThreadPerTaskExecutor()) {
            byte[] chunk = new byte[CHUNK_BYTES];
            byte[] other = new byte[CHUNK_BYTES];
            Future<?> written = CompletableFuture.completedFuture(null);
            int filled = fill(chunk, file);
            while (filled > 0) {
                await(written);
                byte[] full = chunk;
                int length = filled;
                written = writer.submit(() -> {
                    incoming.write(full, length);
                    return null;
                });
                chunk = other;
                other = full;
                filled = fill(chunk, file);
            }
            await(written);
        }
    }

    /** The upstream sends too slowly. Otherwise a few bytes now and then would hold a request until the total timeout. */
    static final class TooSlowException extends IOException {

        private TooSlowException(Pace pace) {
            super("less than " + pace);
        }
    }

    /** Returns a body that fails with {@link TooSlowException} if the upstream is too slow. */
    Source paced(Source body) {
        return new ForwardingSource(body) {
            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                long start = System.nanoTime();
                // Bytes of the framing keep the socket busy, but do not let this read return.
                long deadline = start + pace.allowanceNanos() + AFTER_SILENCE_NANOS;
                timeout().deadlineNanoTime(deadline);
                long read;
                try {
                    read = super.read(sink, byteCount);
                } catch (InterruptedIOException e) {
                    if (System.nanoTime() - deadline < 0) {
                        throw e;
                    }
                    throw new TooSlowException(pace);
                } finally {
                    timeout().clearDeadline();
                }
                if (!pace.keeps(Math.max(read, 0), System.nanoTime() - start)) {
                    throw new TooSlowException(pace);
                }
                return read;
            }
        };
    }

    /** Counts bytes of a part that was received in another response. */
    void add(long bytes, long size) {
        received += bytes;
        wireBytes += bytes;
        progress.received(received, size);
    }

    private static void await(Future<?> written) throws DiskException, InterruptedException {
        try {
            written.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DiskException failure) {
                throw failure;
            }
            throw new IllegalStateException("a chunk cannot be written", e);
        }
    }

    /** Fills the chunk. A single read returns a few kilobytes, too little for a system call each. */
    private int fill(byte[] chunk, BufferedSource file) throws IOException {
        int length = (int) Math.min(chunk.length, maxBytes + 1 - received);
        int filled = 0;
        while (filled < length) {
            int read = file.read(chunk, filled, length - filled);
            if (read < 0) {
                break;
            }
            received += read;
            filled += read;
            coding.reset();
            progress.received(received, total);
        }
        return filled;
    }

    private final class CountingSource extends ForwardingSource {

        CountingSource(Source body) {
            super(body);
        }

        @Override
        public long read(Buffer sink, long byteCount) throws IOException {
            long read = super.read(sink, byteCount);
            if (read > 0) {
                wireBytes += read;
                coding.received(read);
            }
            return read;
        }
    }
}
