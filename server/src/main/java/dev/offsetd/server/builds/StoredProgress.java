package dev.offsetd.server.builds;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Stored progress of the work on a build, up to a second old.
 *
 * @param bytes bytes of the debug file received so far, decompressed; null unless a file is being received
 * @param totalBytes size of the file; null if the upstream did not announce it
 */
public record StoredProgress(
        Phase phase, @Nullable Long bytes, @Nullable Long totalBytes) {

    public enum Phase {
        /** Sources are queried, or one of them sends the file. */
        FETCHING,
        /** The file was received and is read, or waits to be read. */
        EXTRACTING;

        /** Returns the spelling in the database. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Phase ofWord(@Nullable String word) {
            return word == null ? FETCHING : valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
