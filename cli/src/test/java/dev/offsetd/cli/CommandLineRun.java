package dev.offsetd.cli;

import dev.offsetd.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.StringWriter;

/** One command that ran in this process, as a shell would have seen it. */
public record CommandLineRun(int exitCode, String out, String err) {

    public static CommandLineRun of(String... arguments) {
        return of(false, arguments);
    }

    public static CommandLineRun onTerminal(String... arguments) {
        return of(true, arguments);
    }

    /** Runs a command on a console of the test, and returns its exit code. */
    public static int on(Console console, String... arguments) {
        return new Offsetd(console).run(arguments);
    }

    private static CommandLineRun of(boolean terminal, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = on(new Console(out, new PrintWriter(err), terminal), arguments);
        return new CommandLineRun(exitCode, out.toString(), err.toString());
    }
}
