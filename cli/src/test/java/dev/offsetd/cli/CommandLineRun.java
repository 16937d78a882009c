package dev.offsetd.cli;

import dev.offsetd.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.StringWriter;

/** One command that ran in this process, as a shell would have seen it; not on a terminal. */
public record CommandLineRun(int exitCode, String out, String err) {

    public static CommandLineRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new Offsetd(new Console(out, new PrintWriter(err), false)).run(arguments);
        return new CommandLineRun(exitCode, out.toString(), err.toString());
    }
}
