package dev.offsetd.cli.terminal;

/** Failure of a command; the user sees the message as one line. */
public final class CommandFailure extends Exception {

    private final int exitCode;
    private final String message;

    /**
     * @param exitCode one of {@link ExitCode}
     * @param message what is wrong, the value, and what was expected; one line without a full stop
     */
    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
        this.message = message;
    }

    /** Returns the failure of an invalid command line. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
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
