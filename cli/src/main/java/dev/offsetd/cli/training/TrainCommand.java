package dev.offsetd.cli.training;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.training.TrainingFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Training run for the AOT cache (JEP 514): calls every command that reads files on two small files, one with compressed
 * sections, often enough that the JVM has loaded the classes of a start and profiled its hot methods.
 */
public final class TrainCommand extends Command {

    /** Enough to compile the loops over DIEs; 40 and 150 rounds made no start faster. */
    private static final int ROUNDS = 10;

    private final Supplier<Path> folder = parameter("DIR", Path.class, "an empty folder");
    private final CommandRunner runner;

    /** @param runner the command line that each round calls */
    public TrainCommand(Console console, CommandRunner runner) {
        super(console, "Run every command on small files to train an AOT cache; ./offsetd calls this.");
        this.runner = runner;
        hide();
    }

    @Override
    public Integer call() throws IOException {
        return run(folder.get(), ROUNDS);
    }

    /** The command line: returns the exit code of a call. */
    @FunctionalInterface
    public interface CommandRunner {

        int run(Console console, String... arguments);
    }

    /**
     * Makes the calls and discards their output.
     *
     * @param folder where to write the files that the commands read
     * @throws IOException if the files cannot be written
     */
    int run(Path folder, int rounds) throws IOException {
        String plain = copy(TrainingFile.PLAIN, folder);
        String compressed = copy(TrainingFile.COMPRESSED, folder);
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
                int exitCode = runner.run(discarding(), call.toArray(String[]::new));
                if (exitCode != ExitCode.OK) {
                    throw new IllegalStateException(
                            String.join(" ", call) + ": exit code " + exitCode + ", expected " + ExitCode.OK);
                }
            }
        }
        return ExitCode.OK;
    }

    /** Encodes its output as the console of a process does. */
    private static Console discarding() {
        Writer out =
                new BufferedWriter(new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8));
        return new Console(out, new PrintWriter(out), false);
    }

    private static String copy(TrainingFile training, Path folder) throws IOException {
        return Files.write(folder.resolve(training.fileName()), training.bytes(), StandardOpenOption.CREATE_NEW)
                .toString();
    }
}
