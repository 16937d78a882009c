package dev.offsetd.cli.terminal;

import com.google.re2j.Pattern;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Output of a command: results to standard output, everything else to standard error. Several threads may write to standard
 * error, for example the shutdown hook; only one may write results.
 */
public final class Console {

    /** ANSI: to the first column, and clear the line from there (ECMA-48, EL). */
    private static final String CLEAR_LINE = "\r\033[K";

    /** Clear from here to the end of the screen (ECMA-48, ED). */
    private static final String CLEAR_BELOW = "\033[J";

    /** Cuts long lines instead of wrapping them (DECAWM), because the cursor moves up by unwrapped lines. */
    private static final String NO_WRAP = "\033[?7l";

    private static final String WRAP = "\033[?7h";

    /** Terminals of Linux and macOS: {@code /dev/pts/3}, {@code /dev/tty}, {@code /dev/ttys003}, {@code /dev/console}. */
    private static final Pattern TERMINAL_DEVICE = Pattern.compile("/dev/(pts/|tty|console$)");

    private final Writer out;

    /** Takes bytes as they are; null if the results are characters. */
    private final @Nullable OutputStream bytes;

    private final PrintWriter err;
    private final @Nullable TerminalSize terminal;
    private final Output output;

    /** Destination of the results. */
    public enum Output {
        /** A file or a pipe. */
        FILE,
        /** A terminal without colours, or one whose user wants none (no-color.org). */
        TERMINAL,
        COLOURED_TERMINAL;

        /** Returns the output that the launcher names; a file if it names none. */
        public static Output named(String name) {
            return switch (name) {
                case "terminal" -> TERMINAL;
                case "coloured" -> COLOURED_TERMINAL;
                default -> FILE;
            };
        }
    }

    /** Progress lines on the screen. */
    private int progressLines;

    private boolean silent;

    /**
     * A console on these writers.
     *
     * @param showProgress whether standard error is a terminal; its size is {@link TerminalSize#USUAL}
     */
    public Console(Writer out, PrintWriter err, boolean showProgress) {
        this(out, err, showProgress ? TerminalSize.USUAL : null, Output.FILE);
    }

    /**
     * A console on these writers.
     *
     * @param terminal null if standard error is not a terminal
     * @param output kind of standard output
     */
    public Console(Writer out, PrintWriter err, @Nullable TerminalSize terminal, Output output) {
        this(out, null, err, terminal, output);
    }

    /** A console whose results are bytes; text is UTF-8. */
    public Console(OutputStream out, PrintWriter err, @Nullable TerminalSize terminal, Output output) {
        this(
                new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16),
                out,
                err,
                terminal,
                output);
    }

    private Console(
            Writer out, @Nullable OutputStream bytes, PrintWriter err, @Nullable TerminalSize terminal, Output output) {
        this.out = out;
        this.bytes = bytes;
        this.err = err;
        this.terminal = terminal;
        this.output = output;
    }

    /**
     * Returns the console of this process. It is UTF-8 in any locale, as JSON and names are.
     *
     * @param terminal null if standard error is not a terminal
     * @param output kind of standard output
     */
    public static Console ofProcess(@Nullable TerminalSize terminal, Output output) {
        return new Console(
                new FileOutputStream(FileDescriptor.out),
                new PrintWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8), true),
                terminal,
                output);
    }

    /** Standard output. A failed write is an {@link IOException}, so a partial result never ends with exit code 0. */
    public Writer out() {
        return out;
    }

    public void println(String line) throws IOException {
        out.write(line);
        out.write('\n');
    }

    /** Prints text that has its own line end. */
    public void print(String text) throws IOException {
        out.write(text);
    }

    /** Prints bytes as they are, whether they are text or not. */
    public void print(byte[] contents) throws IOException {
        if (bytes == null) {
            out.write(new String(contents, StandardCharsets.UTF_8));
        } else {
            out.flush();
            bytes.write(contents);
        }
    }

    /** Returns whether to colour standard output. */
    public boolean colour() {
        return output == Output.COLOURED_TERMINAL;
    }

    /** Returns whether standard output is a terminal, which would take bytes for commands. */
    public boolean isOutputTerminal() {
        return output != Output.FILE;
    }

    /** Returns whether a path leads to a terminal, as {@code /dev/stdout} may do. */
    public static boolean isTerminal(Path path) {
        try {
            return TERMINAL_DEVICE.matcher(path.toRealPath().toString()).lookingAt();
        } catch (IOException notThere) {
            return false;
        }
    }

    /** Returns the text in this style if standard output is coloured. */
    public String styled(Style style, String text) {
        return colour() ? style.on() + text + Style.reset.on() : text;
    }

    /** The terminal for progress; empty if standard error is not a terminal. */
    public Optional<TerminalSize> terminal() {
        return Optional.ofNullable(terminal);
    }

    /** Prints one line to standard error, prefixed with the program's name. */
    public synchronized void say(String message) {
        clearProgress();
        err.println("offsetd: " + Printable.of(message));
        err.flush();
    }

    /** Prints one line to standard error if it is a terminal: for people, not for logs. */
    public void tell(String message) {
        if (terminal != null) {
            say(message);
        }
    }

    /** Prints the last line: later messages are discarded. */
    public synchronized void sayLast(String message) {
        say(message);
        silent = true;
    }

    /** Replaces the progress message; no-op without a terminal. */
    public void progress(String message) {
        progress(List.of(message));
    }

    /** Like {@link #progress(String)} for several lines, which must be fewer than the terminal's rows. */
    public synchronized void progress(List<String> lines) {
        if (terminal != null && !silent) {
            String text = lines.stream().map(Printable::of).collect(Collectors.joining("\n"));
            err.print(toStart() + (lines.size() > 1 ? NO_WRAP + text + WRAP : text));
            err.flush();
            progressLines = lines.size();
        }
    }

    public synchronized void clearProgress() {
        if (progressLines > 0) {
            err.print(toStart());
            err.flush();
            progressLines = 0;
        }
    }

    /** Moves to the start of the progress lines and clears them. */
    private String toStart() {
        return progressLines <= 1 ? CLEAR_LINE : "\r\033[" + (progressLines - 1) + "A" + CLEAR_BELOW;
    }

    public void flush() throws IOException {
        clearProgress();
        out.flush();
    }
}
