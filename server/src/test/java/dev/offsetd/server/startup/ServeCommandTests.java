package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

/** A failure to start is reported in one line that says what to do, and leaves nothing behind. */
@ExtendWith(OutputCaptureExtension.class)
class ServeCommandTests {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private int serve(String... arguments) {
        return CommandLines.of(new ServeCommand(ServeCommandTests::mustNotStart))
                .setErr(new PrintWriter(out))
                .setOut(new PrintWriter(out))
                .execute(arguments);
    }

    /** Ends before its first bean, after the settings have been checked. */
    private static SpringApplication mustNotStart() {
        SpringApplication application = new SpringApplication(Empty.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(context -> {
            if (context instanceof GenericApplicationContext generic) {
                generic.addBeanFactoryPostProcessor(_ -> {
                    throw new StartException("it would start");
                });
            }
        });
        return application;
    }

    @ParameterizedTest
    @CsvSource({
        "--prt, unknown option \"--prt\"; did you mean --port? See",
        "--ofline, unknown option \"--ofline\"; did you mean --offline? See",
        "--nonsense, unknown option \"--nonsense\"; see"
    })
    void mistypedOptionIsCorrected(String option, String message) {
        assertThat(serve(option)).isEqualTo(2);
        assertThat(out.toString()).isEqualTo("offsetd: " + message + " offsetd serve --help\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "extra | unexpected argument \"extra\"",
                "--port abc | --port is \"abc\"; expected a number",
                "--port 99999 | --port is 99999; expected 0 to 65535",
                "--port | Missing required parameter for option '--port' (PORT)",
                "--listen 300.1.1.1 | --listen is \"300.1.1.1\"; expected an IP address or a host name of this machine"
            })
    void invalidOptionIsOneLineAndExitCodeTwo(String arguments, String message) {
        assertThat(serve(arguments.split(" ", -1))).isEqualTo(2);
        assertThat(out.toString()).isEqualTo("offsetd: " + message + "; see offsetd serve --help\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crate | unknown command \"crate\"; did you mean create? See offsetd token --help",
                "create --label x --scope read --lable y | unknown option \"--lable\"; did you mean --label? See offsetd token create --help",
                "create --label x --scope bogus | --scope \"bogus\": expected read, publish, admin;"
                        + " see offsetd token create --help"
            })
    void mistakeInATokenCommandIsOneLineOfTheSubcommand(String arguments, String message) {
        int exitCode =
                CommandLines.of(new TokenCommand()).setErr(new PrintWriter(out)).execute(arguments.split(" ", -1));

        assertThat(exitCode).isEqualTo(2);
        assertThat(out.toString()).isEqualTo("offsetd: " + message + "\n");
    }

    @Test
    void backupIsNotWrittenToATerminal() {
        int exitCode = CommandLines.of(new BackupCommand(OutputStream.nullOutputStream(), true))
                .setErr(new PrintWriter(out))
                .execute("-", "--data", folder.toString());

        assertThat(exitCode).isEqualTo(2);
        assertThat(out.toString())
                .startsWith("offsetd: a backup is binary, and standard output is a terminal; expected FILE or a pipe")
                .hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
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
        try (DataFolderLock held = DataFolderLock.acquire(folder)) {
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
        DataFolderLock.acquire(folder).close();
        try (DataFolderLock again = DataFolderLock.acquire(folder)) {
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
            assertThatExceptionOfType(StartException.class).isThrownBy(() -> DataFolderLock.acquire(folder));
        }
    }

    static class Empty {}

    @Test
    void folderThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(serve("--port", "0", "--data", file.resolve("data").toString()))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("data folder " + file.resolve("data"), ": Not a directory; expected a folder that ")
                .contains("--data")
                .doesNotContain("Exception")
                .hasLineCount(1);
        assertThat(serve("--port", "0", "--data", "/proc/nowhere")).isEqualTo(1);
        assertThat(out.toString())
                .contains("cannot be used: /proc/nowhere cannot be created; expected a folder that ")
                .doesNotContain("Exception");
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
    void settingsMayBeOptions() {
        String data = folder.resolve("data").toString();
        assertThat(serve("--port", "0", "--data", data, "--offsetd.uploads.keep=true"))
                .isEqualTo(1);
        assertThat(out.toString()).isEqualTo("offsetd: it would start\n");
        assertThat(serve("--port", "0", "--data", data, "--offsetd.uploads.keap=true"))
                .isEqualTo(1);
        assertThat(out.toString())
                .endsWith(
                        "offsetd: offsetd.uploads.keap is not a setting; did you mean offsetd.uploads.keep? (command line)\n");
        assertThat(serve("--offsetd.uploads.keep")).isEqualTo(2);
        assertThat(serve("offsetd.uploads.keep=true")).isEqualTo(2);
    }

    @Test
    void optionsPrecedeSettings() throws IOException {
        String data = folder.resolve("data").toString();
        assertThat(serve("--server.port=99999", "--offsetd.data-dir=/dev/null", "--port", "0", "--data", data))
                .isEqualTo(1);
        assertThat(out.toString()).isEqualTo("offsetd: it would start\n");
        assertThat(serve("--server.port=tcp://10.0.0.1:80")).isEqualTo(1);
        assertThat(out.toString())
                .endsWith("offsetd: server.port is \"tcp://10.0.0.1:80\"; expected a whole number (command line)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:mysql://127.0.0.1/offsetd", "postgresql://127.0.0.1/offsetd"})
    void databaseOfAnotherKindIsRefused(String url) {
        assertThat(serve("--port", "0", "--data", folder.toString(), "--spring.datasource.url=" + url))
                .isEqualTo(1);
        assertThat(out.toString())
                .isEqualTo("offsetd: spring.datasource.url is \"" + url
                        + "\"; expected jdbc:postgresql://HOST:PORT/DATABASE\n");
    }

    @Test
    void everyLineIsJsonWithStructuredLogging(CapturedOutput console) {
        try {
            serve(
                    "--port",
                    "0",
                    "--data",
                    folder.toString(),
                    "--logging.structured.format.console=ecs",
                    "--offsetd.uploads.keap=true");
            List<String> lines = console.getAll().lines().toList();
            assertThat(out.toString()).isEmpty();
            assertThat(lines).isNotEmpty();
            for (String line : lines) {
                assertThat(JsonMapper.shared().readTree(line).isObject()).isTrue();
            }
            assertThat(lines.getLast()).contains("offsetd.uploads.keap is not a setting; did you mean");
        } finally {
            // Spring Boot leaves it behind for the next application of this virtual machine.
            System.clearProperty(LoggingSystemProperty.CONSOLE_STRUCTURED_FORMAT.getEnvironmentVariableName());
        }
    }

    @Test
    void traceIsShownOnRequestOnly() {
        String data = folder.resolve("data").toString();
        serve("--port", "0", "--data", data, "--offsetd.uploads.keap=true");
        assertThat(out.toString()).hasLineCount(1);
        System.setProperty("offsetd.stacktrace", "true");
        try {
            serve("--port", "0", "--data", data, "--offsetd.uploads.keap=true");
        } finally {
            System.clearProperty("offsetd.stacktrace");
        }
        assertThat(out.toString()).contains("\tat dev.offsetd.server.startup.Settings.check(");
    }

    @Test
    void invalidOptionHasADistinctExitCode() {
        assertThat(serve("--port", "http")).isEqualTo(2);
        assertThat(serve("--prot", "80")).isEqualTo(2);
        assertThat(serve("--port", "70000")).isEqualTo(2);
        assertThat(serve("--server.port=70000", "--data", folder.toString())).isEqualTo(1);
    }

    @Test
    void helpTellsTheOptions() {
        assertThat(serve("--help")).isZero();
        assertThat(out.toString()).contains("--listen", "--port", "--data", "--offline");
    }
}
