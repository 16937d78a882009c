package dev.offsetd.server.uploads;

import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.operations.Word;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides which of two files answers for a build. A build-id note can be forged, so a file of a source, which serves everyone,
 * outranks an upload, and only the uploader may replace an upload. A file without a note, whose build its uploader claims, is
 * outranked by every other.
 */
final class Precedence {

    /** DWARF over BTF, then more of it, then line tables. */
    private static final Comparator<Upload> BY_DEBUG_INFORMATION = Comparator.comparing(Upload::dwarf)
            .thenComparingLong(Upload::debugInfoBytes)
            .thenComparingInt(Precedence::linesRank);

    private Precedence() {}

    enum Refusal implements Word {
        UPSTREAM_HAS_IT("an upstream has the build and outranks uploads"),
        LOCAL_FOLDER_HAS_IT("a local folder of the server has the build and outranks uploads"),
        OTHER_TOKEN("an upload of another token answers for the build; only that token can replace it"),
        OTHER_ARCHITECTURE("the build is known for another processor"),
        DAMAGED("the file is damaged, and the one that answers for the build is not"),
        ONLY_CLAIMED("the file that answers has the build-id in its note, which outranks a claim"),
        NOT_RICHER(
                "the upload that answers for the build has at least as much debug information, or line tables that the file lacks");

        private final String detail;

        Refusal(String detail) {
            this.detail = detail;
        }

        String detail() {
            return detail;
        }
    }

    /**
     * Returns why an upload does not replace the file that answers for the build; empty if it does.
     *
     * @param stored the file that answers
     * @param file an uploaded one
     */
    static Optional<Refusal> refusal(StoredFile stored, StoredFile file) {
        Upload upload = Objects.requireNonNull(file.upload());
        Upload other = stored.upload();
        if (other == null) {
            return stored.origin().outranksUploads() ? Optional.of(refusalFor(stored)) : Optional.empty();
        }
        if (stored.isClaimed() != file.isClaimed()) {
            return stored.isClaimed() ? Optional.empty() : Optional.of(Refusal.ONLY_CLAIMED);
        }
        if (!upload.sameUploaderAs(other.token(), other.label())) {
            return Optional.of(Refusal.OTHER_TOKEN);
        }
        if (!file.architecture().equals(stored.architecture())) {
            return Optional.of(Refusal.OTHER_ARCHITECTURE);
        }
        // The same file without its line tables, as push sends it, may be larger or smaller than one with them.
        boolean losesLines = linesRank(upload) < 0 && linesRank(other) > 0;
        int order = BY_DEBUG_INFORMATION.compare(upload, other);
        boolean richer = order > 0 || (order == 0 && file.bytes() > stored.bytes());
        return richer && !losesLines ? Optional.empty() : Optional.of(Refusal.NOT_RICHER);
    }

    /** Returns 1 if the file has line tables, -1 if it has none, and 0 if that is not known. */
    private static int linesRank(Upload upload) {
        Boolean lines = upload.lines();
        return lines == null ? 0 : lines ? 1 : -1;
    }

    private static Refusal refusalFor(StoredFile stored) {
        return stored.origin().isRemote() ? Refusal.UPSTREAM_HAS_IT : Refusal.LOCAL_FOLDER_HAS_IT;
    }
}
