package dev.offsetd.server.builds.lease;

import dev.offsetd.server.operations.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stored progress of the work on a build, up to a second old.
 *
 * @param startedAt when the work began; null if a server of the previous release does it
 * @param bytes bytes of the debug file received so far, decompressed; null unless a file is being received
 * @param totalBytes size of the file; null if the upstream did not announce it
 * @param transferBegan when the first of these bytes arrived; null as bytes
 */
public record StoredProgress(
        @Nullable Instant startedAt,
        Phase phase,
        @Nullable Long bytes,
        @Nullable Long totalBytes,
        @Nullable Instant transferBegan) {

    /** Returns an estimate of the rest of the transfer at its speed so far; empty if no file of known size is received. */
    public Optional<Duration> left() {
        if (bytes == null || totalBytes == null || transferBegan == null || bytes <= 0) {
            return Optional.empty();
        }
        double nanosPerByte =
                (double) Duration.between(transferBegan, Instant.now()).toNanos() / bytes;
        return Optional.of(Duration.ofNanos((long) Math.max(0, nanosPerByte * (totalBytes - bytes))));
    }

    public enum Phase implements Word {
        /** Sources are queried, or one of them sends the file. */
        FETCHING,
        /** The file was received and is read, or waits to be read. */
        EXTRACTING
    }
}
