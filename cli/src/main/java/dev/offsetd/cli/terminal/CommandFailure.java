package dev.offsetd.cli.terminal;

/** A command cannot do what it was asked; the message is the one line that the user sees. */
public final class CommandFailure extends Exception {

    private final int exitCode;
    private final String message;

    /**
     * @param exitCode one of {@link ExitCode}
     * @param message place, value, and what was expected; a single line without a full stop
     */
    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }

    /** One of {@link ExitCode}. */
    public int exitCode() {
        return exitCode;
    }
}
