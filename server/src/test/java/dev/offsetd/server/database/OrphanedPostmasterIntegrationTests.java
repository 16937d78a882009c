package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Only the PostgreSQL of this very folder is stopped. */
@Timeout(180)
class OrphanedPostmasterIntegrationTests {

    @TempDir
    private Path data;

    private Path pidFile;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void choosePidFile() {
        pidFile = data.resolve("postmaster.pid");
    }

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    /** A process with these arguments after its name, which ends at SIGINT. */
    private Process process(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "while :; do sleep 0.1; done", "postgres"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        Files.writeString(pidFile, process.pid() + "\n" + data + "\n");
        return process;
    }

    @Test
    void postmasterOfThisFolderIsStopped() throws IOException {
        Process orphan = process("-D", data.toString(), "-p", "5432");
        OrphanedPostmaster.stop(data);
        assertThat(orphan.isAlive()).isFalse();
    }

    @Test
    void processThatHasTheNumberNowIsLeftAloneAndTheFileGoes() throws IOException {
        Process stranger = process("-D", "/somewhere/else");
        OrphanedPostmaster.stop(data);
        assertThat(stranger.isAlive()).isTrue();
        assertThat(pidFile).doesNotExist();
    }

    @Test
    void fileOfADeadPostmasterIsLeftToPostgres() throws Exception {
        Process dead = process("-D", data.toString());
        dead.destroyForcibly().waitFor();
        OrphanedPostmaster.stop(data);
        assertThat(pidFile).exists();
    }

    @Test
    void folderWithoutAPidFileHasNothingToStop() {
        OrphanedPostmaster.stop(data);
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void pidFileWithoutAPidIsNotGuessedAt() throws IOException {
        Files.writeString(pidFile, "not a number\n");
        assertThatThrownBy(() -> OrphanedPostmaster.stop(data))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("the first line is not a process id");
    }
}
