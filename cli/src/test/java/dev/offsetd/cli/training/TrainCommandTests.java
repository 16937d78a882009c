package dev.offsetd.cli.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.cli.terminal.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainCommandTests {

    @TempDir
    Path folder;

    @Test
    void everyCommandThatReadsFilesIsCalledAndSucceeds() throws Exception {
        Set<String> called = new LinkedHashSet<>();

        int exitCode = train(
                (_, words) -> {
                    called.add(words[0]);
                    CommandLineRun run = CommandLineRun.of(words);
                    assertThat(run.err()).as(String.join(" ", words)).isIn("", "offsetd: no differences\n");
                    return run.exitCode();
                },
                1);

        assertThat(exitCode).isZero();
        assertThat(called).containsExactlyInAnyOrder("build-id", "types", "symbols", "extract", "resolve", "diff");
    }

    @Test
    void failingCallFailsTheTraining() {
        assertThatThrownBy(() -> train((_, _) -> 3, 1))
                .hasMessageContaining("build-id ")
                .hasMessageContaining("exit code 3, expected 0");
    }

    @Test
    void folderWithFilesOfThatNameIsRefused() throws Exception {
        train((_, _) -> 0, 0);

        assertThatThrownBy(() -> train((_, _) -> 0, 0)).isInstanceOf(FileAlreadyExistsException.class);
    }

    private int train(TrainCommand.CommandRunner runner, int rounds) throws IOException {
        Console console = new Console(Writer.nullWriter(), new PrintWriter(Writer.nullWriter()), false);
        return new TrainCommand(console, runner).run(folder, rounds);
    }
}
