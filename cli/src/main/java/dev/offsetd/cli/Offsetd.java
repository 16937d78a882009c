package dev.offsetd.cli;

import dev.offsetd.cli.help.UsageErrors;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TerminalSize;
import dev.offsetd.extractor.input.IoReason;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import tools.jackson.core.exc.JacksonIOException;

/** Main class: runs one command, and reports a failure as one line and an exit code. */
public final class Offsetd {

    /** Set by the launcher if standard error is a terminal, which Java cannot tell. */
    private static final String PROGRESS_PROPERTY = "offsetd.progress";

    /** Set by the launcher to the output of {@code stty size}. */
    private static final String TERMINAL_PROPERTY = "offsetd.terminal";

    /** Set by the launcher to a name of {@link Console.Output}, because Java cannot tell. */
    private static final String OUTPUT_PROPERTY = "offsetd.output";

    /** Set by the launcher of an installation, which has neither sources nor tests. */
    private static final String INSTALLED_PROPERTY = "offsetd.installed";

    /** For debugging: {@code OFFSETD_JAVA_OPTS=-Doffsetd.stacktrace=true}. */
    private static final String STACK_TRACE_PROPERTY = "offsetd.stacktrace";

    private final Console console;

    Offsetd(Console console) {
        this.console = console;
    }

    public static void main(String[] arguments) {
        loadMemoryClasses();
        Console console = Console.ofProcess(
                Boolean.getBoolean(PROGRESS_PROPERTY)
                        ? TerminalSize.parse(System.getProperty(TERMINAL_PROPERTY, ""))
                        : null,
                Console.Output.named(System.getProperty(OUTPUT_PROPERTY, "")));
        int exitCode = new Offsetd(console).run(arguments);
        // Otherwise main returns, because exit() looks for a logger in every jar.
        if (exitCode != ExitCode.OK) {
            System.exit(exitCode);
        }
    }

    /**
     * Loads the classes behind a buffer of mapped or allocated memory. Without an AOT cache, C1 would compile {@code
     * ByteBuffer.get} before they are loaded. The JVM then resolves a call in it anew whenever the kind of memory changes
     * (JDK 25), and takes ten times as long to read a file with compressed sections.
     */
    private static void loadMemoryClasses() {
        Arena.global().allocate(1).asByteBuffer().get(0);
    }

    /** Runs a command and returns its {@linkplain ExitCode exit code}. */
    int run(String... words) {
        String[] arguments = words.length == 0 ? new String[] {"--help"} : words;
        CommandLine commandLine = new Commands(console, Boolean.getBoolean(INSTALLED_PROPERTY))
                .forArguments(arguments)
                .setOut(new PrintWriter(console.out()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                // A type set such as @ruby is not the file of that name.
                .setExpandAtFiles(false)
                // picocli would call it by reflection.
                .registerConverter(Path.class, Path::of)
                .setUsageHelpAutoWidth(true)
                .setColorScheme(Help.defaultColorScheme(console.colour() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setParameterExceptionHandler((e, _) -> {
                    console.say(UsageErrors.describe(e));
                    return ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, _, _) -> exitCodeOf(e));
        try {
            int exitCode = commandLine.execute(arguments);
            if (exitCode != ExitCode.OUTPUT_FAILED && exitCode != ExitCode.OUTPUT_CLOSED) {
                console.flush();
            }
            return exitCode;
        } catch (IOException e) {
            return outputFailed(e);
        } catch (OutOfMemoryError e) {
            console.say("out of memory with " + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB of heap; to raise the limit, set OFFSETD_JAVA_OPTS=-Xmx4g");
            return ExitCode.INTERNAL;
        }
    }

    private int exitCodeOf(Exception e) {
        return switch (e) {
            case CommandFailure failure -> {
                console.say(failure.getMessage());
                yield failure.exitCode();
            }
            case IOException failure -> outputFailed(failure);
            case UncheckedIOException failure -> outputFailed(failure);
            case JacksonIOException failure -> outputFailed(failure);
            default -> {
                console.say("internal error: " + e);
                if (Boolean.getBoolean(STACK_TRACE_PROPERTY)) {
                    e.printStackTrace();
                }
                yield ExitCode.INTERNAL;
            }
        };
    }

    /** Commands turn failures to read input into a {@link CommandFailure}, so other I/O failures concern the output. */
    private int outputFailed(Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if ("Broken pipe".equals(cause.getMessage())) {
            return ExitCode.OUTPUT_CLOSED;
        }
        console.say("cannot write the output: "
                + (cause instanceof IOException failure ? IoReason.withPath(failure) : cause.getMessage()));
        return ExitCode.OUTPUT_FAILED;
    }
}
