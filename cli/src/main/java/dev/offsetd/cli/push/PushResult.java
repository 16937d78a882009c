package dev.offsetd.cli.push;

import dev.offsetd.cli.push.UploadClient.UploadResult;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Result of one file.
 *
 * @param key that the file was sent under; its build-id if it was not sent; null if it has none
 * @param source where the answers of the build come from in the end; empty if unknown
 */
record PushResult(Candidate candidate, @Nullable BuildId key, UploadResult end, long sentBytes, String source) {

    enum Status {
        /** The server accepted the file and had none before. */
        TAKEN,
        /** The file replaced one with less debug information. */
        REPLACED,
        /** The server already has this file or an equivalent one. */
        ALREADY_THERE,
        /** The file is stripped, and another pushed file has its debug information. */
        NOT_NEEDED,
        REFUSED;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    static PushResult refused(Candidate candidate, String reason, String detail) {
        return unsent(candidate, new UploadResult(Status.REFUSED, reason, detail));
    }

    static PushResult unsent(Candidate candidate, UploadResult end) {
        return new PushResult(candidate, candidate.elf().buildId(), end, 0, "");
    }

    Status status() {
        return end.status();
    }

    ElfFacts elf() {
        return candidate.elf();
    }

    boolean isRefused() {
        return status() == Status.REFUSED;
    }
}
