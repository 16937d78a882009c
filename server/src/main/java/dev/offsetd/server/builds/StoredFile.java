package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The debug file that a build's stored types were read from.
 *
 * @param upstream the upstream's URL, the local folder, or {@link Upload#SOURCE}
 * @param sha256 of the file, lower-case hex
 * @param bytes size of the file
 * @param verified how the file was checked to be this build's
 * @param extractorVersion what read it
 * @param upload who uploaded it; null if a source delivered it
 */
public record StoredFile(
        Architecture architecture,
        Origin origin,
        String upstream,
        String sha256,
        long bytes,
        String verified,
        int extractorVersion,
        Instant extractedAt,
        @Nullable Upload upload) {

    public StoredFile {
        if ((upload != null) != (origin == Origin.UPLOAD)) {
            throw new IllegalArgumentException("a file of origin " + origin + " with the upload " + upload);
        }
    }

    /** A file that a source delivered. */
    public StoredFile(
            Architecture architecture,
            Origin origin,
            String upstream,
            String sha256,
            long bytes,
            String verified,
            int extractorVersion,
            Instant extractedAt) {
        this(architecture, origin, upstream, sha256, bytes, verified, extractorVersion, extractedAt, null);
    }
}
