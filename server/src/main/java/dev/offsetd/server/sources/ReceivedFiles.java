package dev.offsetd.server.sources;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives uploaded debug files. They are written to the temporary folder of the disk cache, which is cleared at every start, and
 * do not enter the cache itself. The cache has copies of uploads that are kept: they never answer for an upstream, and are evicted
 * with the other files.
 */
public final class ReceivedFiles {

    private static final Logger log = LoggerFactory.getLogger(ReceivedFiles.class);

    private static final int CHUNK_BYTES = 64 << 10;

    private final DiskCache cache;
    private final FileVerification verification;

    ReceivedFiles(DiskCache cache, FileVerification verification) {
        this.cache = cache;
        this.verification = verification;
    }

    /** The upload is too large or too slow. */
    public static final class UploadLimitException extends IOException {

        private final @Nullable Long limitBytes;

        private UploadLimitException(String message, @Nullable Long limitBytes) {
            super(message);
            this.limitBytes = limitBytes;
        }

        /** Returns the size limit; null if the upload was too slow. */
        public @Nullable Long limitBytes() {
            return limitBytes;
        }
    }

    /** A received file. Closing it removes it from the disk. */
    public final class ReceivedFile implements AutoCloseable {

        private final IncomingFile file;
        private final String sha256;

        private ReceivedFile(IncomingFile file, String sha256) {
            this.file = file;
            this.sha256 = sha256;
        }

        public Path path() {
            return file.path();
        }

        public long bytes() {
            return file.bytes();
        }

        /** Returns the SHA-256 in lower-case hex. */
        public String sha256() {
            return sha256;
        }

        /**
         * Verifies that the file is the build's, and returns its facts. BTF without ELF around it may be that of any build.
         *
         * @param id the build-id that the file must have; the file may have any if this is an alias key
         * @throws IOException if the file cannot be read
         * @throws ExtractionException if it is not an ELF file, is truncated, or has no or another build-id
         */
        public ElfFacts verify(BuildId id) throws IOException, ExtractionException, InterruptedException {
            return verification.verifyUpload(file.path(), id);
        }

        /**
         * Returns every key that identifies the file's build.
         *
         * @throws IOException if the file cannot be read
         * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
         */
        public FileKeys keys() throws IOException, ExtractionException, InterruptedException {
            return verification.keys(file.path(), sha256);
        }

        @Override
        public void close() throws DiskException {
            file.close();
        }
    }

    /**
     * Writes a stream to the disk. After a failure, nothing of it stays there.
     *
     * @param time limit for the whole stream, checked after each read
     * @throws DiskException if the server's own disk fails
     * @throws UploadLimitException if the stream is too long or too slow
     * @throws IOException if the stream ends early
     */
    public ReceivedFile receive(InputStream in, long maxBytes, Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        try (IncomingFile file = cache.newFile()) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                if (n > maxBytes - file.bytes()) {
                    throw new UploadLimitException("more than " + maxBytes + " bytes", maxBytes);
                }
                if (System.nanoTime() - end > 0) {
                    throw new UploadLimitException(
                            file.bytes() + " bytes came within " + time.toMillis() + " ms", null);
                }
                file.write(chunk, n);
            }
            // An upload may exist nowhere else, unlike the file of an upstream.
            file.sync();
            String sha256 = file.finish();
            return new ReceivedFile(file.handOver(), sha256);
        }
    }

    /**
     * Returns the copy of a kept upload in the disk cache; makes one if the cache has none.
     *
     * @param sha256 lower-case hex
     * @param chunks returns the chunks of the file by their numbers, and empty after the last one
     * @return empty if the chunks are not this file
     * @throws DiskException if the server's own disk fails
     */
    public Optional<CachedFile> copy(BuildId id, String sha256, IntFunction<Optional<byte[]>> chunks)
            throws DiskException, InterruptedException {
        Optional<CachedFile> present = cache.findLatelyVerified(id, FileKind.UPLOAD);
        if (present.isPresent()) {
            if (present.get().sha256().equals(sha256)) {
                return present;
            }
            present.get().close();
            // The upload was replaced. A file that a reader uses stays until later.
            cache.discard(id, FileKind.UPLOAD);
        }
        try (IncomingFile incoming = cache.newFile()) {
            int number = 0;
            for (Optional<byte[]> chunk = chunks.apply(0); chunk.isPresent(); chunk = chunks.apply(++number)) {
                incoming.write(chunk.get(), chunk.get().length);
            }
            String received = incoming.finish();
            if (!received.equals(sha256)) {
                return Optional.empty();
            }
            ElfFacts elf = verification.verify(incoming.path(), id);
            CachedFile published = cache.publish(
                    incoming,
                    new DiskCache.Key(id, FileKind.UPLOAD),
                    new Sidecar(Origin.UPLOAD.word(), Origin.UPLOAD.word(), sha256, incoming.bytes(), FileHeaders.NONE),
                    0,
                    elf);
            if (published.sha256().equals(sha256)) {
                return Optional.of(published);
            }
            published.close();
            return Optional.empty();
        } catch (DiskException e) {
            throw e;
        } catch (ExtractionException | IOException e) {
            log.warn("build {}: its kept upload is ignored: {}", id, e.getMessage());
            return Optional.empty();
        }
    }
}
