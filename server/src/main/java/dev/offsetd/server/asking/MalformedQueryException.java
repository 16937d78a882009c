package dev.offsetd.server.asking;

/** A query string that cannot be read; the message says where. */
final class MalformedQueryException extends RuntimeException {

    MalformedQueryException(String message) {
        super(message);
    }
}
