package dev.offsetd.server.builds;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How far some server is with a build. It lags behind by half a second or so.
 *
 * @param bytes of the debug file that are here, decompressed; null while none is being fetched, or work has just begun
 * @param totalBytes of the whole file; null if the upstream did not say
 */
public record WorkUnderWay(
        Phase phase, @Nullable Long bytes, @Nullable Long totalBytes) {

    /** What is being done. */
    public enum Phase {
        /** Sources are asked, or one of them sends the file. */
        FETCHING,
        /** The file is here, and waits to be read, or is. */
        EXTRACTING;

        /** As the database spells it. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Phase ofWord(@Nullable String word) {
            return word == null ? FETCHING : valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
