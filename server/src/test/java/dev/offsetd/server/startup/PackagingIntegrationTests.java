package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks of the files for containers and services with the tools that read them, without running either. {@code
 * packaging/rehearse} runs the steps of the images.
 */
class PackagingIntegrationTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern INSTRUCTION = Pattern.compile("([A-Z]+) +(.*)");

    @TempDir
    private Path folder;

    private record Outcome(int exitCode, String text) {}

    private Outcome run(Map<String, String> environment, Object... command) throws Exception {
        Path text = Files.createTempFile(folder, "out", ".txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Arrays.stream(command).map(Object::toString).toList())
                .redirectErrorStream(true)
                .redirectOutput(text.toFile());
        builder.environment().remove("OFFSETD_DB_PASSWORD");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        return new Outcome(builder.start().waitFor(), Files.readString(text));
    }

    @Test
    void systemdUnderstandsEveryLineOfTheUnitAndFindsItRestricted() throws Exception {
        Path systemd = RequiredTool.require("systemd-analyze").path();
        String unit = Files.readString(ROOT.resolve("packaging/offsetd.service"));
        assertThat(unit).contains("ExecStart=/opt/offsetd/offsetd-server ");
        // {@code systemd-analyze} requires the executable to exist on this machine.
        Path here = Files.writeString(
                folder.resolve("offsetd.service"), unit.replace("/opt/offsetd/offsetd-server", "/bin/true"));

        assertThat(run(Map.of(), systemd, "verify", "--man=no", here)).isEqualTo(new Outcome(0, ""));
        // In tenths of systemd's exposure level, whose worst value is 10.
        assertThat(run(Map.of(), systemd, "security", "--offline=true", "--no-pager", "--threshold=20", here)
                        .exitCode())
                .isZero();
    }

    @Test
    void composeUnderstandsItsFileAndNoServiceMayMoreThanItNeeds() throws Exception {
        Path compose = RequiredTool.require("docker-compose").path();
        Path file = ROOT.resolve("docker-compose.yml");

        Outcome config = run(Map.of("OFFSETD_DB_PASSWORD", "secret"), compose, "-f", file, "config");

        assertThat(config.exitCode()).as(config.text()).isZero();
        Map<String, Map<String, Map<String, Object>>> project = new Yaml().load(config.text());
        Map<String, Map<String, Object>> services = project.getOrDefault("services", Map.of());
        assertThat(services).containsOnlyKeys("balancer", "server-1", "server-2", "database", "debuginfod");
        services.forEach((name, service) -> {
            assertThat(service).as(name).containsEntry("read_only", true).containsEntry("cap_drop", List.of("ALL"));
            assertThat(service).as(name).containsKeys("mem_limit", "pids_limit");
            // The images that this project builds contain their health check.
            assertThat(service.containsKey("healthcheck") || service.containsKey("build"))
                    .as(name)
                    .isTrue();
        });
    }

    @Test
    void composeStartsNothingWithoutAPasswordForTheDatabase() throws Exception {
        Path compose = RequiredTool.require("docker-compose").path();

        Outcome config = run(Map.of(), compose, "-f", ROOT.resolve("docker-compose.yml"), "config", "-q");

        assertThat(config.exitCode()).isNotZero();
        assertThat(config.text()).contains("set it to a password for the database");
    }

    /** Returns the instructions of a Dockerfile, with continued lines joined. */
    private static List<String[]> instructions(Path file) throws IOException {
        String text = Files.readString(file).replaceAll("(?m)^#.*\n", "").replaceAll(" *\\\\\n *", " ");
        return text.lines()
                .filter(line -> !line.isBlank())
                .map(line -> {
                    Matcher instruction = INSTRUCTION.matcher(line);
                    assertThat(instruction.matches()).as(line).isTrue();
                    return new String[] {instruction.group(1), instruction.group(2)};
                })
                .toList();
    }

    private static String last(List<String[]> instructions, String name) {
        return instructions.stream()
                .filter(instruction -> instruction[0].equals(name))
                .reduce((first, second) -> second)
                .map(instruction -> instruction[1])
                .orElseThrow(() -> new AssertionError("no " + name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Dockerfile", "packaging/debuginfod.Dockerfile"})
    void imageRunsAsADedicatedUserAndReportsItsHealth(String name) throws Exception {
        Path file = ROOT.resolve(name);
        List<String[]> instructions = instructions(file);

        assertThat(instructions)
                .allSatisfy(instruction -> assertThat(instruction[0])
                        .isIn(
                                "FROM",
                                "LABEL",
                                "RUN",
                                "USER",
                                "WORKDIR",
                                "COPY",
                                "VOLUME",
                                "EXPOSE",
                                "HEALTHCHECK",
                                "ENV",
                                "ENTRYPOINT"));
        assertThat(last(instructions, "USER")).isNotIn("root", "0");
        JsonMapper json = JsonMapper.builder().build();
        assertThat(json.readValue(last(instructions, "ENTRYPOINT"), String[].class))
                .isNotEmpty();
        String check = last(instructions, "HEALTHCHECK");
        assertThat(json.readValue(check.substring(check.indexOf("CMD ") + 4), String[].class))
                .startsWith("answers");
        for (String[] instruction : instructions) {
            if (instruction[0].equals("RUN")) {
                Path script = Files.writeString(folder.resolve("step.sh"), instruction[1], StandardCharsets.UTF_8);
                assertThat(run(Map.of(), "sh", "-n", script)).isEqualTo(new Outcome(0, ""));
            }
            if (instruction[0].equals("COPY") && !instruction[1].contains("--from=")) {
                String source =
                        instruction[1].replaceFirst("^--chown=[^ ]+ ", "").split(" ", -1)[0];
                assertThat(file.resolveSibling(source)).exists();
            }
        }
    }

    @Test
    void installedServerEndsWithoutMemoryUnlessTheUserSaysOtherwise() throws Exception {
        Path server = Files.copy(ROOT.resolve("packaging/offsetd-server"), folder.resolve("offsetd-server"));
        Path java = Files.createDirectories(folder.resolve("runtime/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$@\"\numask\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        assertThat(run(Map.of(), server).text()).contains("-XX:+ExitOnOutOfMemoryError ", "-jar", "\n0077\n");
        assertThat(run(Map.of("JDK_JAVA_OPTIONS", "-XX:+CrashOnOutOfMemoryError"), server)
                        .text())
                .doesNotContain("OnOutOfMemoryError");
        assertThat(run(Map.of("OFFSETD_JAVA_OPTS", "-XX:-ExitOnOutOfMemoryError"), server)
                        .text())
                .contains("-XX:-ExitOnOutOfMemoryError")
                .doesNotContain("+ExitOnOutOfMemoryError");
        assertThat(run(Map.of("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC"), server).text())
                .doesNotContain("UseParallelGC");
    }

    @Test
    void artefactsOfTwoArchitecturesAreMergedIfWhatBothHaveIsEqual() throws Exception {
        RequiredTool.require("jq");
        Path amd64 = artefacts("amd64", "jar");
        Path arm64 = artefacts("arm64", "jar");
        Path other = artefacts("other", "another jar");

        assertThat(run(Map.of(), ROOT.resolve("packaging/merge-dist"), amd64, arm64, folder.resolve("merged")))
                .isEqualTo(new Outcome(0, ""));
        assertThat(folder.resolve("merged")).isDirectoryContaining("glob:**/provenance-arm64.json");
        assertThat(run(
                        Map.of(),
                        "sh",
                        "-c",
                        "cd \"$1\" && sha256sum --check --quiet SHA256SUMS",
                        "sh",
                        folder.resolve("merged")))
                .isEqualTo(new Outcome(0, ""));
        assertThat(run(Map.of(), ROOT.resolve("packaging/merge-dist"), amd64, other, folder.resolve("differ")))
                .isEqualTo(new Outcome(1, "merge-dist: library.jar differs between the architectures\n"));
    }

    private Path artefacts(String architecture, String library) throws Exception {
        Path artefacts = Files.createDirectories(folder.resolve(architecture));
        Files.writeString(artefacts.resolve("offsetd-1-linux-" + architecture + ".tar.zst"), architecture);
        Files.writeString(artefacts.resolve("library.jar"), library);
        Files.writeString(artefacts.resolve("provenance.json"), "{\"commit\": \"1\"}");
        assertThat(run(Map.of(), "sh", "-c", "cd \"$1\" && sha256sum -- * >SHA256SUMS", "sh", artefacts))
                .isEqualTo(new Outcome(0, ""));
        return artefacts;
    }

    @Test
    void checkOfAnImageIsTheAnswerOfItsServer() throws Exception {
        RequiredTool.require("bash");
        Path answers = ROOT.resolve("packaging/answers");
        try (AnsweringServer server = new AnsweringServer()) {
            assertThat(run(Map.of(), answers, server.port(), "/200").exitCode()).isZero();
            assertThat(run(Map.of(), answers, server.port(), "/503").exitCode()).isNotZero();
        }
        int closed;
        try (AnsweringServer server = new AnsweringServer()) {
            closed = server.port();
        }
        assertThat(run(Map.of(), answers, closed, "/200").exitCode()).isNotZero();
    }

    /** A server that answers with the status that the path names. */
    private static final class AnsweringServer implements AutoCloseable {

        private final HttpServer server;

        AnsweringServer() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(
                        Integer.parseInt(exchange.getRequestURI().getPath().substring(1)), -1);
                exchange.close();
            });
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
