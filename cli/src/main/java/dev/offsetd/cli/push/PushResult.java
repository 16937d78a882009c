package dev.offsetd.cli.push;

import dev.offsetd.extractor.ElfFacts;
import java.util.Locale;

/**
 * Result of one file.
 *
 * @param reason machine-readable reason; may be empty
 * @param detail the reason as text
 */
record PushResult(Candidate candidate, Status status, String reason, String detail, long sentBytes) {

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
