package dev.offsetd.cli.terminal;

/** Exit codes of commands. The launcher adds codes from 10 on; docs/cli.md lists all. */
public final class ExitCode {

    /** The output has everything that was requested. */
    public static final int OK = 0;

    /** Something was not found; the output names it. */
    public static final int INCOMPLETE = 1;

    /** Invalid command line. */
    public static final int USAGE = 2;

    /** The file is unreadable, malformed, unsupported, or without debug information. */
    public static final int BAD_FILE = 3;

    /** Some of several builds or files failed; the output names them. */
    public static final int NOT_ALL = 3;

    /** The server is unreachable, failed, or did not answer in time. */
    public static final int SERVER_FAILED = 4;

    /** The output is not writable. */
    public static final int OUTPUT_FAILED = 5;

    /** No named file or folder contains what the command sends. */
    public static final int NOTHING_TO_SEND = 6;

    /** The server requires a token, or refuses this one: trying again does not help. */
    public static final int DENIED = 7;

    /** The reader of the output closed it ({@code | head}); shells report SIGPIPE with the same code. */
    public static final int OUTPUT_CLOSED = 141;

    /** Internal error of offsetd ({@code EX_SOFTWARE} of BSD's sysexits.h). */
    public static final int INTERNAL = 70;

    private ExitCode() {}
}
