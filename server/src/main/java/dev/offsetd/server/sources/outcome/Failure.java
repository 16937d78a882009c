package dev.offsetd.server.sources.outcome;

import dev.offsetd.extractor.input.ExtractionException;
import org.jspecify.annotations.Nullable;

/**
 * Why one source, or all of them, could not provide a build's layouts.
 *
 * @param section section of the debug file, or null if the file is not the cause
 * @param offset bytes from the start of the section, or null if no single place is the cause
 */
public record Failure(
        Cause cause,
        String detail,
        @Nullable String section,
        @Nullable Long offset) {

    public Failure(Cause cause, String detail) {
        this(cause, detail, null, null);
    }

    /** Describes a file that the extractor rejected. */
    public static Failure of(Cause cause, ExtractionException e) {
        return new Failure(
                cause,
                String.valueOf(e.getMessage()),
                e.section(),
                e.offset() == ExtractionException.NO_OFFSET ? null : e.offset());
    }

    public Failure prefixed(String prefix) {
        return new Failure(cause, prefix + detail, section, offset);
    }
}
