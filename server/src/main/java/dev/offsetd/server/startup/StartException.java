package dev.offsetd.server.startup;

/** Thrown when the server, or a command on its database, cannot start. The message states the reason and the remedy. */
class StartException extends RuntimeException {

    private static final int FAILED = 1;

    private final int exitCode;

    StartException(String message) {
        this(message, FAILED);
    }

    StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
