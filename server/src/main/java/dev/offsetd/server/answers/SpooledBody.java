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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JsonGenerator;

/**
 * Body of a response: in memory if it is small, else in an unlinked temporary file. Any number of slow clients can receive it,
 * unless they are {@linkplain PacedOutput too slow}. The garbage collector closes the file. Immutable and safe for concurrent use.
 */
public final class SpooledBody {

    /** Bytes of each array but the last: the garbage collector treats much larger ones one by one. */
    private static final int CHUNK_BYTES = 1 << 16;

    /** Largest body in memory: a thousandth of a small heap, because each client may receive another body. */
    static final int MOST_IN_MEMORY =
            Math.clamp(Runtime.getRuntime().maxMemory() >> 10, CHUNK_BYTES, 1 << 21) & -CHUNK_BYTES;

    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(SpooledBody.class);

    /** None if the body is in a file. */
    private final List<byte[]> chunks;

    private final @Nullable FileChannel file;
    private final long length;

    /** Null until it is needed, which it is not in batches. */
    private volatile @Nullable String etag;

    private SpooledBody(List<byte[]> chunks, @Nullable FileChannel file, long length, @Nullable String etag) {
        this.etag = etag;
        this.chunks = chunks;
        this.file = file;
        this.length = length;
    }

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
        return of(Path.of(System.getProperty("java.io.tmpdir")), writing);
    }

    /** @param temporary folder for a large body */
    static SpooledBody of(Path temporary, Writing writing) {
        Spill spill = new Spill(temporary);
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
            known = ETag.of(chunks);
            etag = known;
        }
        return known;
    }

    public long length() {
        return length;
    }

    public boolean isInMemory() {
        return file == null;
    }

    /** Returns a stream over the bytes, from the start. */
    public InputStream read() {
        return file == null
                ? new SequenceInputStream(Collections.enumeration(
                        chunks.stream().map(ByteArrayInputStream::new).toList()))
                : new FileInput(file, 0, length);
    }

    public void writeTo(OutputStream out) throws IOException {
        // Memory and file stay until the last client has the bytes.
        OutputStream paced = new PacedOutput(out);
        for (byte[] chunk : chunks) {
            paced.write(chunk);
        }
        if (file != null) {
            read().transferTo(paced);
        }
    }

    /** Collects bytes in memory, and beyond {@link #MOST_IN_MEMORY} in a file. */
    private static final class Spill extends OutputStream {

        private final List<byte[]> full = new ArrayList<>();
        private byte[] buffer = new byte[4096];
        private int buffered;
        private long length;
        private final Path temporary;
        private @Nullable FileChannel file;
        private ETag.@Nullable Digest spilled;

        Spill(Path temporary) {
            this.temporary = temporary;
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
            if (spilled == null && length >= MOST_IN_MEMORY) {
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
                return new SpooledBody(full, file, length, spilled.etag());
            }
            full.add(Arrays.copyOf(buffer, buffered));
            return new SpooledBody(full, null, length, null);
        }
    }
}
