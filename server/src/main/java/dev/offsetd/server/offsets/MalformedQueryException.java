package dev.offsetd.server.offsets;

/** A query string that cannot be read; the message says where. */
final class MalformedQueryException extends RuntimeException {

    MalformedQueryException(String message) {
        super(message);
    }
}
