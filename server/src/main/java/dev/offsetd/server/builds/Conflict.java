package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.outcome.Origin;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Another file for a build than the one that it is answered from.
 *
 * @param sha256 lower-case hex
 * @param source the upstream's URL, the local folder, or {@link Upload#SOURCE}
 * @param token id of the token that the file was uploaded with; null if it was not, or without one
 * @param label of that token, or what else the uploader is called; null if it was not uploaded
 * @param bytes size of the file
 * @param layoutsDiffer whether it has other layouts than the file that answered when it was seen; null if they could not be
 *     compared
 * @param seenAt when, by the database's clock
 */
public record Conflict(
        String sha256,
        Origin origin,
        String source,
        @Nullable UUID token,
        @Nullable String label,
        long bytes,
        Architecture architecture,
        @Nullable Boolean layoutsDiffer,
        Instant seenAt) {

    /** That this file is not, or no longer, the one that answers. */
    public static Conflict of(StoredFile file, @Nullable Boolean layoutsDiffer) {
        Upload upload = file.upload();
        return new Conflict(
                file.sha256(),
                file.origin(),
                file.upstream(),
                upload == null ? null : upload.token(),
                upload == null ? null : upload.label(),
                file.bytes(),
                file.architecture(),
                layoutsDiffer,
                Instant.now());
    }
}
