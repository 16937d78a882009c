package dev.offsetd.server.backup;

import java.io.IOException;

/** Why the file of a backup cannot be written. */
public final class OutputException extends Exception {

    OutputException(String message, IOException cause) {
        super(message, cause);
    }
}
