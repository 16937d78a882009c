package dev.offsetd.cli.push;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.layout.BuildId;
import java.util.Locale;
import java.util.Optional;

/**
 * Result of one file.
 *
 * @param key that the file was sent under; its build-id if it was not sent
 * @param reason machine-readable reason; may be empty
 * @param detail the reason as text
 */
record PushResult(
        Candidate candidate, Optional<BuildId> key, Status status, String reason, String detail, long sentBytes) {

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

    ElfFacts elf() {
        return candidate.elf();
    }

    boolean isRefused() {
        return status == Status.REFUSED;
    }
}
