package dev.offsetd.server.startup.backup;

import java.io.IOException;

/** Thrown when the backup file cannot be written. */
public final class OutputException extends Exception {

    OutputException(String message, IOException cause) {
        super(message, cause);
    }
}
