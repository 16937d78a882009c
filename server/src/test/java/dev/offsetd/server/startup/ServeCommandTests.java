package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;

/** A failure to start is reported in one line that says what to do, and leaves nothing behind. */
class ServeCommandTests {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private int serve(String... arguments) {
        return new CommandLine(new ServeCommand(ServeCommandTests::mustNotStart))
                .setErr(new PrintWriter(out))
                .setOut(new PrintWriter(out))
                .execute(arguments);
    }

    private static SpringApplication mustNotStart() {
        throw new AssertionError("the server must not start");
    }

    @Test
    void takenPortNamesItsHolderAndTheWayOut() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            int exit = serve(
                    "--port",
                    Integer.toString(taken.getLocalPort()),
                    "--data",
                    folder.resolve("data").toString());
            assertThat(exit).isEqualTo(1);
            assertThat(out.toString())
                    .startsWith("offsetd: port " + taken.getLocalPort() + " on 127.0.0.1 is taken by ")
                    .contains("--port")
                    .hasLineCount(1);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void takenFolderNamesItsHolderAndTheWayOut() throws StartException {
        try (DataFolderLock held = DataFolderLock.take(folder)) {
            assertThat(serve("--port", "0", "--data", folder.toString())).isEqualTo(1);
            assertThat(out.toString())
                    .startsWith("offsetd: data folder " + folder + " is in use by process "
                            + ProcessHandle.current().pid())
                    .contains("--data")
                    .hasLineCount(1);
            assertThat(held).isNotNull();
        }
    }

    @Test
    void folderIsFreeAgainOnceItsHolderIsGone() throws StartException {
        DataFolderLock.take(folder).close();
        try (DataFolderLock again = DataFolderLock.take(folder)) {
            assertThat(again).isNotNull();
        }
    }

    @Test
    void folderStaysTakenWhileTheServerRunsHoweverOftenItsMemoryIsCleared() throws InterruptedException {
        AtomicReference<ConfigurableApplicationContext> running = new AtomicReference<>();
        SpringApplication empty = new SpringApplication(Empty.class);
        empty.setWebApplicationType(WebApplicationType.NONE);
        empty.addInitializers(running::set);
        new CommandLine(new ServeCommand(() -> empty)).execute("--port", "0", "--data", folder.toString());
        try (ConfigurableApplicationContext _ = running.get()) {
            for (int i = 0; i < 10; i++) {
                System.gc();
                // Another thread closes the collected objects.
                Thread.sleep(10);
            }
            assertThatExceptionOfType(StartException.class).isThrownBy(() -> DataFolderLock.take(folder));
        }
    }

    static class Empty {}

    @Test
    void folderThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(serve("--port", "0", "--data", file.resolve("data").toString()))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("data folder " + file.resolve("data"))
                .contains("--data")
                .hasLineCount(1);
    }

    @Test
    void addressOfAnotherMachineIsNamed() {
        // 192.0.2.0/24 is reserved for documentation (RFC 5737), so no machine has this address.
        assertThat(serve(
                        "--listen",
                        "192.0.2.1",
                        "--port",
                        "0",
                        "--data",
                        folder.resolve("data").toString()))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("cannot listen on 192.0.2.1")
                .contains("--listen")
                .hasLineCount(1);
    }

    @Test
    void invalidOptionHasADistinctExitCode() {
        assertThat(serve("--port", "http")).isEqualTo(2);
        assertThat(serve("--prot", "80")).isEqualTo(2);
        assertThat(serve("--port", "70000", "--data", folder.toString())).isEqualTo(1);
    }

    @Test
    void helpTellsTheOptions() {
        assertThat(serve("--help")).isZero();
        assertThat(out.toString()).contains("--listen", "--port", "--data", "--offline");
    }
}
