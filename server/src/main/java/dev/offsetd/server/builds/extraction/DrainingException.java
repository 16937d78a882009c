package dev.offsetd.server.builds.extraction;

/** The server is shutting down. The next request, here or at another server, continues the work. */
public final class DrainingException extends RuntimeException {

    DrainingException() {
        super("shutting down", null, false, false);
    }
}
