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
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
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

    /** Largest body in memory: a thousandth of a small heap, because each client may receive another body. */
    static final int MOST_IN_MEMORY = Math.clamp(Runtime.getRuntime().maxMemory() >> 10, 1 << 16, 1 << 20);

    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(SpooledBody.class);

    private final byte @Nullable [] bytes;
    private final @Nullable FileChannel file;
    private final long length;
    private final String etag;

    private SpooledBody(byte @Nullable [] bytes, @Nullable FileChannel file, long length, String etag) {
        this.bytes = bytes;
        this.file = file;
        this.length = length;
        this.etag = etag;
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
        try (ETag.Digest out = new ETag.Digest(spill)) {
            writing.to(out);
            out.flush();
            return spill.body(out.etag());
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
        return etag;
    }

    public long length() {
        return length;
    }

    public boolean isInMemory() {
        return bytes != null;
    }

    /** Returns a stream over the bytes, from the start. */
    public InputStream read() {
        return bytes != null ? new ByteArrayInputStream(bytes) : new FileInput(Objects.requireNonNull(file), 0, length);
    }

    public void writeTo(OutputStream out) throws IOException {
        if (bytes != null) {
            out.write(bytes);
        } else {
            // The file stays until the last client has it.
            read().transferTo(new PacedOutput(out));
        }
    }

    /** Collects bytes in memory, and beyond {@link #MOST_IN_MEMORY} in a file. */
    private static final class Spill extends OutputStream {

        private byte[] buffer = new byte[4096];
        private int buffered;
        private long length;
        private final Path temporary;
        private @Nullable FileChannel file;

        Spill(Path temporary) {
            this.temporary = temporary;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int count) throws IOException {
            length += count;
            if (file == null && length > MOST_IN_MEMORY) {
                file = FileChannel.open(
                        Files.createTempFile(temporary, "offsetd-answer", null),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
            }
            if (file == null) {
                room(count);
            } else if (buffered + count > buffer.length) {
                empty(file);
                if (count > buffer.length) {
                    Channels.newOutputStream(file).write(from, offset, count);
                    return;
                }
            }
            System.arraycopy(from, offset, buffer, buffered, count);
            buffered += count;
        }

        private void room(int more) {
            if (buffer.length - buffered < more) {
                buffer = Arrays.copyOf(buffer, Math.max(buffered + more, Math.min(2 * buffer.length, MOST_IN_MEMORY)));
            }
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

        private void empty(FileChannel into) throws IOException {
            Deadline.checkCurrent();
            Channels.newOutputStream(into).write(buffer, 0, buffered);
            buffered = 0;
        }

        SpooledBody body(String etag) throws IOException {
            FileChannel written = file;
            if (written == null) {
                return new SpooledBody(Arrays.copyOf(buffer, buffered), null, length, etag);
            }
            empty(written);
            return new SpooledBody(null, written, length, etag);
        }
    }
}
