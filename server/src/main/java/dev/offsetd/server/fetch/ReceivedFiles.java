package dev.offsetd.server.fetch;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Debug files that callers send. They are written to the disk cache's temporary folder, which is cleared at every start, and
 * are never found in the cache itself: what is there came from an upstream.
 */
public final class ReceivedFiles {

    private static final int CHUNK_BYTES = 64 << 10;

    private final DiskCache cache;
    private final FileVerification verification;

    ReceivedFiles(DiskCache cache, FileVerification verification) {
        this.cache = cache;
        this.verification = verification;
    }

    /** What a caller sent is not all of a file that is taken. */
    public static final class NotTakenException extends IOException {

        private final OptionalLong limitBytes;

        private NotTakenException(String message, OptionalLong limitBytes) {
            super(message);
            this.limitBytes = limitBytes;
        }

        /** The most bytes that are taken; empty if it was time that ran out. */
        public OptionalLong limitBytes() {
            return limitBytes;
        }
    }

    /** A file on the disk, until it is closed. */
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

        /** Size of the file. */
        public long bytes() {
            return file.bytes();
        }

        /** Lower-case hex. */
        public String sha256() {
            return sha256;
        }

        /**
         * What the file says of itself, once it is sure that it belongs to this build.
         *
         * @throws IOException if the file cannot be read
         * @throws ExtractionException if it is no ELF file, is cut off, or has another build-id or none
         */
        public ElfFacts verify(BuildId id) throws IOException, ExtractionException {
            return verification.verify(file.path(), id);
        }

        /** Removes the file. */
        @Override
        public void close() throws DiskException {
            file.close();
        }
    }

    /**
     * Takes all of a stream to the disk. Whatever goes wrong, nothing stays there.
     *
     * @param time for all of it; looked at whenever something has come
     * @throws DiskException if our own disk fails
     * @throws NotTakenException if there is more, or it takes longer
     * @throws IOException if the stream ends before it should
     */
    public ReceivedFile receive(InputStream in, long maxBytes, Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        IncomingFile file = cache.receive();
        boolean whole = false;
        try {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                if (n > maxBytes - file.bytes()) {
                    throw new NotTakenException("more than " + maxBytes + " bytes", OptionalLong.of(maxBytes));
                }
                if (System.nanoTime() - end > 0) {
                    throw new NotTakenException(
                            file.bytes() + " bytes came within " + time.toMillis() + " ms", OptionalLong.empty());
                }
                file.write(chunk, n);
            }
            // Nobody else may have it, unlike what an upstream sends.
            file.bringToDisk();
            ReceivedFile received = new ReceivedFile(file, file.finish());
            whole = true;
            return received;
        } finally {
            if (!whole) {
                file.close();
            }
        }
    }
}
