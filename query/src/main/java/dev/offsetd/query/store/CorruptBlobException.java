package dev.offsetd.query.store;

/** Thrown for a stored blob that differs from what was written: a fault of the store, not of the debug file. */
public final class CorruptBlobException extends RuntimeException {

    public CorruptBlobException(String problem) {
        super("stored blob: " + problem);
    }

    CorruptBlobException(String problem, Throwable cause) {
        super("stored blob: " + problem, cause);
    }
}
