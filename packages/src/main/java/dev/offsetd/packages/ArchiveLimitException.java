package dev.offsetd.packages;

import java.io.IOException;

/** A path exceeds the {@link ArchiveLimits}; reading it stops. */
public final class ArchiveLimitException extends IOException {

    /** @param message the limit, its value, and the value found */
    ArchiveLimitException(String message) {
        super(message);
    }
}
