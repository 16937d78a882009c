package dev.offsetd.cli.terminal;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Where a command writes: its result to standard output, everything else to standard error. Not safe for use by
 * several threads.
 */
public final class Console {

    /** ANSI: to the first column, and clear the line from there (ECMA-48, EL). */
    private static final String CLEAR_LINE = "\r\033[K";

    private final Writer out;
    private final PrintWriter err;
    private final boolean showProgress;
    private boolean progressShown;

    /**
     * A console on these writers.
     *
     * @param showProgress whether standard error is a terminal
     */
    public Console(Writer out, PrintWriter err, boolean showProgress) {
        this.out = out;
        this.err = err;
        this.showProgress = showProgress;
    }

    /**
     * The console of this process, in UTF-8 whatever the locale: JSON has to be, and names are.
     *
     * @param showProgress whether standard error is a terminal, which Java cannot tell
     */
    public static Console ofProcess(boolean showProgress) {
        return new Console(
                new BufferedWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8),
                        1 << 16),
                new PrintWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8), true),
                showProgress);
    }

    /** The result. A failure to write is an {@link IOException}, so that nobody takes half a result for a whole one. */
    public Writer out() {
        return out;
    }

    /** Writes a line of the result. */
    public void println(String line) throws IOException {
        out.write(line);
        out.write('\n');
    }

    /** Tells the user something that is no result; one line, beginning with the program's name. */
    public void say(String message) {
        clearProgress();
        err.println("offsetd: " + Printable.of(message));
        err.flush();
    }

    /** Shows what is going on, in place of what was shown before; only on a terminal. */
    public void progress(String message) {
        if (showProgress) {
            err.print(CLEAR_LINE + Printable.of(message));
            err.flush();
            progressShown = true;
        }
    }

    /** Takes the last progress message off the screen. */
    public void clearProgress() {
        if (progressShown) {
            err.print(CLEAR_LINE);
            err.flush();
            progressShown = false;
        }
    }

    /** Sends what was written to where it belongs. */
    public void flush() throws IOException {
        clearProgress();
        out.flush();
    }
}
