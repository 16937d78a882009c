package dev.offsetd.server.startup;

/** Why the server, or a command on its database, cannot start, and what to do about it; for whoever typed the command. */
class StartException extends Exception {

    private static final int FAILED = 1;

    private final int exitCode;

    StartException(String message) {
        this(message, FAILED);
    }

    StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What the process ends with. */
    int exitCode() {
        return exitCode;
    }
}
