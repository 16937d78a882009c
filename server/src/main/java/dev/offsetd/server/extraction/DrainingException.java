package dev.offsetd.server.extraction;

/** The server is about to stop; whoever asks again, here later or another server, goes on where it left off. */
public final class DrainingException extends RuntimeException {

    DrainingException() {
        super("shutting down", null, false, false);
    }
}
