package dev.offsetd.cli.packages;

import java.io.IOException;

/** A path asks for more than {@link ArchiveLimits} allow; nothing more of it is read. */
final class ArchiveLimitException extends IOException {

    /** @param message with the limit, its value and what was found */
    ArchiveLimitException(String message) {
        super(message);
    }
}
