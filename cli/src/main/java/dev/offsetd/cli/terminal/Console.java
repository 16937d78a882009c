package dev.offsetd.cli.terminal;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where a command writes: its result to standard output, everything else to standard error. What goes to standard error
 * may come from several threads, such as the one that says goodbye when the user interrupts; the result may not.
 */
public final class Console {

    /** ANSI: to the first column, and clear the line from there (ECMA-48, EL). */
    private static final String CLEAR_LINE = "\r\033[K";

    /** Clear from here to the end of the screen (ECMA-48, ED). */
    private static final String CLEAR_BELOW = "\033[J";

    /** Lines that are too long are cut, not wrapped (DECAWM), or going up by lines would miss the first. */
    private static final String NO_WRAP = "\033[?7l";

    private static final String WRAP = "\033[?7h";

    private final Writer out;
    private final PrintWriter err;
    private final Optional<TerminalSize> terminal;

    /** Lines of progress that are on the screen. */
    private int progressLines;

    private boolean silent;

    /**
     * A console on these writers.
     *
     * @param showProgress whether standard error is a terminal; its size is then taken to be the usual
     */
    public Console(Writer out, PrintWriter err, boolean showProgress) {
        this(out, err, showProgress ? Optional.of(TerminalSize.USUAL) : Optional.empty());
    }

    /**
     * A console on these writers.
     *
     * @param terminal empty if standard error is no terminal
     */
    public Console(Writer out, PrintWriter err, Optional<TerminalSize> terminal) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    /**
     * The console of this process, in UTF-8 whatever the locale: JSON has to be, and names are.
     *
     * @param terminal empty if standard error is no terminal, which Java cannot tell
     */
    public static Console ofProcess(Optional<TerminalSize> terminal) {
        return new Console(
                new BufferedWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8),
                        1 << 16),
                new PrintWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8), true),
                terminal);
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

    /** The terminal that progress is shown on; empty if standard error is none. */
    public Optional<TerminalSize> terminal() {
        return terminal;
    }

    /** Tells the user something that is no result; one line, beginning with the program's name. */
    public synchronized void say(String message) {
        clearProgress();
        err.println("offsetd: " + Printable.of(message));
        err.flush();
    }

    /** Tells the user the last thing: nothing is shown after it. */
    public synchronized void sayLast(String message) {
        say(message);
        silent = true;
    }

    /** Shows what is going on, in place of what was shown before; only on a terminal. */
    public void progress(String message) {
        progress(List.of(message));
    }

    /** As {@link #progress(String)}, of several lines, which must be fewer than the terminal has. */
    public synchronized void progress(List<String> lines) {
        if (terminal.isPresent() && !silent) {
            String text = lines.stream().map(Printable::of).collect(Collectors.joining("\n"));
            err.print(toStart() + (lines.size() > 1 ? NO_WRAP + text + WRAP : text));
            err.flush();
            progressLines = lines.size();
        }
    }

    /** Takes the last progress message off the screen. */
    public synchronized void clearProgress() {
        if (progressLines > 0) {
            err.print(toStart());
            err.flush();
            progressLines = 0;
        }
    }

    /** To the first character of the progress that is shown, and clear it. */
    private String toStart() {
        return progressLines <= 1 ? CLEAR_LINE : "\r\033[" + (progressLines - 1) + "A" + CLEAR_BELOW;
    }

    /** Sends what was written to where it belongs. */
    public void flush() throws IOException {
        clearProgress();
        out.flush();
    }
}
