package dev.offsetd.query.store;

/** A stored blob that is not what was written: a fault of the store, not of the file that the blob's contents came from. */
public final class CorruptBlobException extends RuntimeException {

    public CorruptBlobException(String problem) {
        super("stored blob: " + problem);
    }

    CorruptBlobException(String problem, Throwable cause) {
        super("stored blob: " + problem, cause);
    }
}
