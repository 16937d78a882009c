package dev.offsetd.server.backup;

/** Why a database cannot be backed up, or restored into, and what to do about it. */
public final class RefusedException extends Exception {

    RefusedException(String message) {
        super(message);
    }
}
