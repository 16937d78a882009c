package dev.offsetd.server.answers;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.FileInput;
import dev.offsetd.server.web.PacedOutput;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JsonGenerator;

/**
 * Body of a response: in memory if it is small, else in an unlinked temporary file. Any number of slow clients can receive it,
 * unless they are {@linkplain PacedOutput too slow}. The bodies that are {@linkplain #hold held} in memory share an eighth of the
 * heap; others are moved to files. The garbage collector closes the file. The bytes never change. Safe for concurrent use.
 */
public final class SpooledBody {

    /** Bytes of each array but the last: the garbage collector treats much larger ones one by one. */
    private static final int CHUNK_BYTES = 1 << 16;

    /** Largest body in memory: a thousandth of a small heap, because each client may receive another body. */
    static final int MOST_IN_MEMORY =
            Math.clamp(Runtime.getRuntime().maxMemory() >> 10, CHUNK_BYTES, 1 << 21) & -CHUNK_BYTES;

    /** Bytes of the bodies that are held in memory. */
    static final long MOST_HELD = Runtime.getRuntime().maxMemory() / 8;

    private static final AtomicLong HELD = new AtomicLong();

    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private static final Duration HELD_RETRY_AFTER = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(SpooledBody.class);

    private volatile Content content;
    private final long length;

    /** Guarded by {@code this}. */
    private int holders;

    /** Whether {@link #HELD} has the bytes. Guarded by {@code this}. */
    private boolean counted;

    /** Null until it is needed, which it is not in batches. */
    private volatile @Nullable String etag;

    private SpooledBody(Content content, long length, @Nullable String etag) {
        this.etag = etag;
        this.content = content;
        this.length = length;
    }

    /** @param chunks none if the bytes are in a file */
    private record Content(List<byte[]> chunks, @Nullable FileChannel file) {}

    @FunctionalInterface
    public interface Writing {
        void to(OutputStream out) throws IOException;
    }

    /** Renders an object with these members in a structured representation. */
    public static SpooledBody of(Representation representation, Consumer<JsonGenerator> members) {
        return of(bytes -> {
            try (JsonGenerator out = representation.generator(bytes)) {
                out.writeStartObject();
                members.accept(out);
                out.writeEndObject();
            }
        });
    }

    /** Captures the bytes that are written; 503 if the disk fails. */
    public static SpooledBody of(Writing writing) {
        return of(temporary(), writing);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** @param temporary folder for a large body */
    static SpooledBody of(Path temporary, Writing writing) {
        return of(new Spill(temporary, MOST_IN_MEMORY), writing);
    }

    private static SpooledBody of(Spill spill, Writing writing) {
        try {
            writing.to(spill);
            return spill.body();
        } catch (IOException e) {
            spill.discard();
            throw failed(spill, e);
        } catch (RuntimeException e) {
            spill.discard();
            // Generators wrap what the stream throws.
            throw e.getCause() instanceof IOException failure ? failed(spill, failure) : e;
        }
    }

    private static RuntimeException failed(Spill spill, IOException e) {
        if (e instanceof ClosedByInterruptException) {
            return new CancellationException("the answer is not needed any more");
        }
        log.error("an answer of {} bytes and more cannot be written", spill.length, e);
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "disk_failed",
                        "The server's disk failed",
                        "the answer is larger than fits into memory and cannot be written to the disk")
                .retryAfter(DISK_RETRY_AFTER));
    }

    /** Returns a strong validator of exactly these bytes, in quotes. */
    public String etag() {
        String known = etag;
        if (known == null) {
            // A body that is moved to a file has one before.
            known = ETag.of(content.chunks());
            etag = known;
        }
        return known;
    }

    public long length() {
        return length;
    }

    public boolean isInMemory() {
        return content.file() == null;
    }

    /**
     * Counts the body as one that waits for others or for its client, until {@link #release}. Moves it to a file if those in memory
     * have their share of the heap.
     *
     * @throws ProblemException if the body is too small for a file, or the disk fails: 503
     */
    synchronized void hold() {
        if (holders == 0 && isInMemory()) {
            counted = HELD.addAndGet(length) <= MOST_HELD;
            if (!counted) {
                HELD.addAndGet(-length);
                moveToFile();
            }
        }
        holders++;
    }

    /** Ends one {@link #hold}. */
    synchronized void release() {
        holders--;
        if (holders == 0 && counted) {
            counted = false;
            HELD.addAndGet(-length);
        }
    }

    /** Returns the bytes of the bodies that are held in memory. */
    static long heldBytes() {
        return HELD.get();
    }

    private void moveToFile() {
        if (length <= CHUNK_BYTES) {
            throw new ProblemException(Problem.busy(
                    "answers that are sent or wait for others take " + MOST_HELD + " bytes, the limit",
                    HELD_RETRY_AFTER));
        }
        // Made of the chunks, and kept.
        var _ = etag();
        content = of(new Spill(temporary(), 0), this::write).content;
    }

    /** Returns a stream over the bytes, from the start. */
    public InputStream read() {
        Content from = content;
        return from.file() == null
                ? new SequenceInputStream(Collections.enumeration(
                        from.chunks().stream().map(ByteArrayInputStream::new).toList()))
                : new FileInput(from.file(), 0, length);
    }

    public void writeTo(OutputStream out) throws IOException {
        // Memory and file stay until the last client has the bytes.
        OutputStream paced = new PacedOutput(out);
        if (length <= CHUNK_BYTES) {
            // The connection takes more memory.
            write(paced);
            return;
        }
        hold();
        try {
            write(paced);
        } finally {
            release();
        }
    }

    private void write(OutputStream out) throws IOException {
        Content from = content;
        for (byte[] chunk : from.chunks()) {
            out.write(chunk);
        }
        if (from.file() != null) {
            read().transferTo(out);
        }
    }

    /** Collects bytes in memory, and beyond a limit in a file. */
    private static final class Spill extends OutputStream {

        private final List<byte[]> full = new ArrayList<>();
        private byte[] buffer = new byte[4096];
        private int buffered;
        private long length;
        private final Path temporary;
        private final int mostInMemory;
        private @Nullable FileChannel file;
        private ETag.@Nullable Digest spilled;

        Spill(Path temporary, int mostInMemory) {
            this.temporary = temporary;
            this.mostInMemory = mostInMemory;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int count) throws IOException {
            for (int step, done = 0; done < count; done += step) {
                makeRoom(count - done);
                step = Math.min(count - done, buffer.length - buffered);
                System.arraycopy(from, offset + done, buffer, buffered, step);
                buffered += step;
                length += step;
            }
        }

        private void makeRoom(int more) throws IOException {
            if (buffered < buffer.length) {
                return;
            }
            if (buffered < CHUNK_BYTES) {
                buffer = Arrays.copyOf(buffer, (int) Math.min(buffered + Math.max((long) more, buffered), CHUNK_BYTES));
                return;
            }
            if (spilled == null && length >= mostInMemory) {
                spilled = spill();
            }
            if (spilled == null) {
                full.add(buffer);
                buffer = new byte[CHUNK_BYTES];
                buffered = 0;
            } else {
                empty(spilled);
            }
        }

        private ETag.Digest spill() throws IOException {
            file = FileChannel.open(
                    Files.createTempFile(temporary, "offsetd-answer", null),
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            ETag.Digest out = new ETag.Digest(Channels.newOutputStream(file));
            for (byte[] chunk : full) {
                out.write(chunk);
            }
            full.clear();
            return out;
        }

        /** Gives the file back at once; the garbage collector may come after the next answer. */
        void discard() {
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException alreadyUnlinked) {
                // Nothing of it is left on the disk.
            }
        }

        private void empty(OutputStream into) throws IOException {
            Deadline.checkCurrent();
            into.write(buffer, 0, buffered);
            buffered = 0;
        }

        SpooledBody body() throws IOException {
            if (spilled != null) {
                empty(spilled);
                return new SpooledBody(new Content(full, file), length, spilled.etag());
            }
            full.add(Arrays.copyOf(buffer, buffered));
            return new SpooledBody(new Content(full, null), length, null);
        }
    }
}
