package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A file seen for a build other than the one that answers.
 *
 * @param sha256 lower-case hex
 * @param source the upstream's URL, the local folder, or {@link Upload#SOURCE}
 * @param token id of the uploader's token; null if there was none
 * @param label label of that token or another name of the uploader; null if the file was not uploaded
 * @param layoutsDiffer whether its layouts differed from those of the file that answered then; null if not compared
 * @param seenAt by the database's clock once it is stored, when it is given another time
 */
public record ConflictingFile(
        String sha256,
        Origin origin,
        String source,
        @Nullable UUID token,
        @Nullable String label,
        long bytes,
        Architecture architecture,
        @Nullable Boolean layoutsDiffer,
        Instant seenAt) {

    /** Describes a file that does not answer, or no longer. */
    public static ConflictingFile of(StoredFile file, @Nullable Boolean layoutsDiffer) {
        Upload upload = file.upload();
        return new ConflictingFile(
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
