package dev.offsetd.cli.push;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.layout.BuildId;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * What became of one file.
 *
 * @param elf what it says of itself
 * @param outcome what became of it
 * @param reason the server's word for why, or ours; empty if there is nothing to explain
 * @param detail the same for people
 * @param sentBytes how much of it went to the server
 */
record PushResult(Path file, ElfFacts elf, Outcome outcome, String reason, String detail, long sentBytes) {

    /** What can become of a file. */
    enum Outcome {
        /** The build answers from it, and did not answer before. */
        TAKEN,
        /** The build answers from it, and no longer from a poorer one. */
        REPLACED,
        /** The build answers already, from this file or one that is as good. */
        ALREADY_THERE,
        /** It is stripped, and the file with its debug information is among the others. */
        NOT_NEEDED,
        /** It cannot be taken. */
        REFUSED;

        /** As it is printed. */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    boolean isRefused() {
        return outcome == Outcome.REFUSED;
    }

    /** The build-id in hex; empty if the file has none. */
    String buildId() {
        return elf.buildId().map(BuildId::toString).orElse("");
    }

    /** Outcome and reason in words. */
    String text() {
        return outcome.word()
                + Optional.of(detail)
                        .filter(text -> !text.isEmpty())
                        .map(text -> ", " + text)
                        .orElse("");
    }
}
