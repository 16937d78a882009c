package dev.offsetd.cli.training;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code train}: runs every command that reads files on two small ones of its own, plain and with compressed sections, so
 * often that a JVM which watches (JEP 483, JEP 515) has seen what a start needs, and which methods run long. The launcher
 * makes its cache by it; nobody else calls it.
 */
public final class TrainCommand {

    /** Until the loops over DIEs are compiled; four or fifteen times as many made no start faster. */
    private static final int ROUNDS = 10;

    private static final String PLAIN = "shapes.so";
    private static final String COMPRESSED = "shapes-zlib.so";

    private final Program program;
    private final int rounds;

    /** @param program the command line, to which each round makes its calls */
    public TrainCommand(Program program) {
        this(program, ROUNDS);
    }

    TrainCommand(Program program, int rounds) {
        this.program = program;
        this.rounds = rounds;
    }

    /** The command line, called with these words; gives the exit code. */
    @FunctionalInterface
    public interface Program {

        int run(Console console, String... words);
    }

    /**
     * Makes the calls; what they print is lost.
     *
     * @param folder for the files that are read
     * @throws IOException if the files cannot be written there
     */
    public int run(Path folder) throws IOException {
        String plain = copy(PLAIN, folder);
        String compressed = copy(COMPRESSED, folder);
        List<List<String>> calls = new ArrayList<>();
        for (String file : List.of(plain, compressed)) {
            calls.add(List.of("build-id", file));
            calls.add(List.of("build-id", file, "--json"));
            calls.add(List.of("types", file));
            calls.add(List.of("symbols", file));
            calls.add(List.of("symbols", file, "fir*", "--json"));
            calls.add(List.of("extract", file, "object"));
            calls.add(List.of("extract", file, "object.links.next,flags,enumerator SLEEPING", "--json"));
            calls.add(List.of("extract", file, "value,symbol first", "--json", "--view", "members"));
            calls.add(List.of("extract", file, "object,value", "--format", "text"));
            calls.add(List.of("extract", file, "object,value", "--format", "c"));
            calls.add(List.of("extract", file, "--all"));
            calls.add(List.of("extract", file, "--definitions"));
            calls.add(List.of("resolve", file, "owner+8"));
            calls.add(List.of("resolve", file, "object+0x34", "--json"));
        }
        calls.add(List.of("diff", plain, compressed));
        calls.add(List.of("diff", plain, compressed, "object", "--json"));
        for (int round = 0; round < rounds; round++) {
            for (List<String> call : calls) {
                int exitCode = program.run(nowhere(), call.toArray(String[]::new));
                if (exitCode != ExitCode.OK) {
                    throw new IllegalStateException(
                            String.join(" ", call) + ": exit code " + exitCode + ", expected " + ExitCode.OK);
                }
            }
        }
        return ExitCode.OK;
    }

    /** Encodes, as the console of a process does. */
    private static Console nowhere() {
        Writer out =
                new BufferedWriter(new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8));
        return new Console(out, new PrintWriter(out), false);
    }

    private static String copy(String name, Path folder) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream in = TrainCommand.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the program comes without " + name);
            }
            Files.copy(in, file);
        }
        return file.toString();
    }
}
