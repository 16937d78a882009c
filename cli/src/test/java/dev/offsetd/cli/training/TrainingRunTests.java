package dev.offsetd.cli.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.cli.CommandLineRun;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingRunTests {

    @TempDir
    Path folder;

    @Test
    void everyCommandThatReadsFilesIsCalledAndSucceeds() throws Exception {
        Set<String> called = new LinkedHashSet<>();

        int exitCode = new TrainingRun(
                        (_, words) -> {
                            called.add(words[0]);
                            CommandLineRun run = CommandLineRun.of(words);
                            assertThat(run.err()).as(String.join(" ", words)).isEmpty();
                            return run.exitCode();
                        },
                        1)
                .run(folder);

        assertThat(exitCode).isZero();
        assertThat(called).containsExactlyInAnyOrder("build-id", "types", "symbols", "extract", "resolve", "diff");
    }

    @Test
    void failingCallFailsTheTraining() {
        assertThatThrownBy(() -> new TrainingRun((_, _) -> 3, 1).run(folder))
                .hasMessageContaining("build-id ")
                .hasMessageContaining("exit code 3, expected 0");
    }

    @Test
    void folderWithFilesOfThatNameIsRefused() throws Exception {
        new TrainingRun((_, _) -> 0, 0).run(folder);

        assertThatThrownBy(() -> new TrainingRun((_, _) -> 0, 0).run(folder))
                .isInstanceOf(FileAlreadyExistsException.class);
    }
}
