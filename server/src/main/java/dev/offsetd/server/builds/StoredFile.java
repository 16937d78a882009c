package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The debug file that a build's stored types were read from.
 *
 * @param upstream the upstream's URL, the local folder, or {@link Upload#SOURCE}
 * @param sha256 lower-case hex
 * @param verified how the file was verified to be this build's
 * @param fetchedBytes bytes transferred for the file and its supplementary file, as compressed by the upstream; 0 if both were
 *     on the server already
 * @param supplementary the file that it shares types with; null if it is self-contained
 * @param upload null if a source provided the file
 * @param imaSignature signature of an RPM distribution over the file, in hex, as the upstream sent it; null for none
 */
public record StoredFile(
        Architecture architecture,
        Origin origin,
        String upstream,
        String sha256,
        long bytes,
        String verified,
        PartVersions versions,
        Instant extractedAt,
        long fetchedBytes,
        @Nullable Supplementary supplementary,
        @Nullable Upload upload,
        @Nullable String imaSignature) {

    /** {@link #verified()} of a file that does not say of which build it is: its uploader does. */
    public static final String CLAIMED = "claimed";

    public StoredFile {
        if ((upload != null) != origin.isUpload()) {
            throw new IllegalArgumentException("a file of origin " + origin + " with the upload " + upload);
        }
    }

    /** A self-contained file that was on the server already. */
    public StoredFile(
            Architecture architecture,
            Origin origin,
            String upstream,
            String sha256,
            long bytes,
            String verified,
            PartVersions versions,
            Instant extractedAt) {
        this(architecture, origin, upstream, sha256, bytes, verified, versions, extractedAt, 0, null, null, null);
    }

    /** Returns this file after its symbols were read again. */
    public StoredFile withCurrentSymbols() {
        return new StoredFile(
                architecture,
                origin,
                upstream,
                sha256,
                bytes,
                verified,
                new PartVersions(versions.types(), PartVersions.CURRENT.symbols()),
                extractedAt,
                fetchedBytes,
                supplementary,
                upload,
                imaSignature);
    }

    /** Returns whether nothing but the uploader says that the file is this build's. Every file with a note outranks it. */
    public boolean isClaimed() {
        // An import adds where it is from.
        return verified.startsWith(CLAIMED);
    }

    /**
     * The file that a debug file shares types with (DWARF 5 §7.3.6).
     *
     * @param upstream as for the debug file
     * @param sha256 of the file, lower-case hex
     */
    public record Supplementary(BuildId buildId, String upstream, String sha256, long bytes) {}
}
