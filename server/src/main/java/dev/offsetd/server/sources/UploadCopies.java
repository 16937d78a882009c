package dev.offsetd.server.sources;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of kept uploads in the disk cache. They are verified like the files of upstreams, never answer for an upstream, and are
 * evicted with the other files: the original is kept for all servers.
 */
public final class UploadCopies {

    private static final Logger log = LoggerFactory.getLogger(UploadCopies.class);

    private final DiskCache cache;
    private final FileVerification verification;

    UploadCopies(DiskCache cache, FileVerification verification) {
        this.cache = cache;
        this.verification = verification;
    }

    /** Receives the chunks of a file in order. */
    @FunctionalInterface
    public interface Chunks {
        void accept(byte[] chunk) throws DiskException;
    }

    /** Hands out the chunks of a file. */
    @FunctionalInterface
    public interface Original {
        void copyTo(Chunks sink) throws DiskException;
    }

    /**
     * Returns a copy of the file with this hash; makes one if the cache has none.
     *
     * @param sha256 lower-case hex
     * @return empty if the chunks are not this file
     * @throws DiskException if the server's own disk fails
     */
    public Optional<CachedFile> copy(BuildId id, String sha256, Original original)
            throws DiskException, InterruptedException {
        Optional<CachedFile> present = cache.findToSend(id, FileKind.UPLOAD);
        if (present.isPresent()) {
            if (present.get().sha256().equals(sha256)) {
                return present;
            }
            present.get().close();
            // The upload was replaced. A file that a reader uses stays until later.
            cache.discard(id, FileKind.UPLOAD);
        }
        try (IncomingFile incoming = cache.receive()) {
            original.copyTo(chunk -> incoming.write(chunk, chunk.length));
            String received = incoming.finish();
            if (!received.equals(sha256)) {
                return Optional.empty();
            }
            ElfFacts elf = verification.verify(incoming.path(), id);
            CachedFile published = cache.publish(
                    incoming,
                    new DiskCache.Key(id, FileKind.UPLOAD),
                    new Sidecar(Origin.UPLOAD.word(), sha256, incoming.bytes(), FileHeaders.NONE),
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
