package dev.offsetd.cli.terminal;

/** What a command tells the shell. The launcher adds codes of its own, from 10 on; docs/cli.md lists them all. */
public final class ExitCode {

    /** Done, and everything that was asked for is in the output. */
    public static final int OK = 0;

    /** Answered, but not everything that was asked for was found; the output says what was not. */
    public static final int INCOMPLETE = 1;

    /** The command line cannot be understood. */
    public static final int USAGE = 2;

    /** The file cannot be read, is malformed or not supported, or has no debug information. */
    public static final int BAD_FILE = 3;

    /** Of several builds or files, not all are as wanted; the output says which are not. */
    public static final int NOT_ALL = 3;

    /** The server cannot be reached, failed, or did not answer in time. */
    public static final int SERVER_FAILED = 4;

    /** The output cannot be written. */
    public static final int OUTPUT_FAILED = 5;

    /** A file or folder that was named cannot be read, or there is nothing in any of them that was looked for. */
    public static final int NOTHING_TO_SEND = 6;

    /** The reader of the output has gone ({@code | head}): what a shell shows for a death by SIGPIPE. */
    public static final int OUTPUT_CLOSED = 141;

    /** A fault of offsetd itself ({@code EX_SOFTWARE} of BSD's sysexits.h). */
    public static final int INTERNAL = 70;

    private ExitCode() {}
}
