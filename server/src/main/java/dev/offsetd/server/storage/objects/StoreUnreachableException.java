package dev.offsetd.server.storage.objects;

/** The object store does not answer, refuses, or is not configured. Whether it has an object is unknown. */
public final class StoreUnreachableException extends RuntimeException {

    public StoreUnreachableException(String problem) {
        super(problem);
    }

    public StoreUnreachableException(String problem, Throwable cause) {
        super(problem, cause);
    }
}
