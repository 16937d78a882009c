package dev.offsetd.server.startup.backup;

/** Thrown when a database cannot be backed up or restored into; the message states the remedy. */
public final class UnusableDatabaseException extends Exception {

    UnusableDatabaseException(String message) {
        super(message);
    }
}
