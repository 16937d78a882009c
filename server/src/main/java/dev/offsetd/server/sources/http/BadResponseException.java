package dev.offsetd.server.sources.http;

/** A response that cannot be the file, whatever its body contains. */
public final class BadResponseException extends Exception {

    /** @param detail what is wrong with the response, for clients */
    public BadResponseException(String detail) {
        super(detail);
    }
}
