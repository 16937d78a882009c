package dev.offsetd.cli.prewarm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code core} with the core file of a real process. */
class CoreCommandIntegrationTests {

    private static final String BATCH = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

    @TempDir
    private Path folder;

    private Path core;

    @BeforeEach
    void writeCore() throws IOException {
        writeCore("0x33");
    }

    /** @param filter which memory the core file has, see core(5) */
    private void writeCore(String filter) throws IOException {
        RequiredTool gcore = RequiredTool.require("gcore");
        Process process =
                new ProcessBuilder(RequiredTool.require("sleep").path().toString(), "600").start();
        try {
            Files.writeString(Path.of("/proc/" + process.pid() + "/coredump_filter"), filter);
            gcore.output("-o", folder.resolve("core"), process.pid());
            core = folder.resolve("core." + process.pid());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Without their first pages, files are not known to be modules, except for the vDSO. */
    @ParameterizedTest
    @CsvSource({"0x33, 3", "0x23, 1"})
    void modulesAreThoseOfElfutils(String filter, int modules) throws IOException {
        writeCore(filter);
        Map<Long, String> expected = new TreeMap<>();
        List<String> withoutFile = new ArrayList<>();
        for (String line : RequiredTool.require("eu-unstrip")
                .output("-n", "--core=" + core)
                .lines()
                .toList()) {
            // START+SIZE BUILDID@ADDRESS FILE DEBUGFILE NAME
            String[] words = line.split(" ", -1);
            String[] range = words[0].split("\\+", -1);
            long start = Long.decode(range[0]);
            long end = start + Long.decode(range[1]) + 4095 & -4096;
            expected.put(start, Long.toHexString(end) + " " + words[1].substring(0, words[1].indexOf('@')));
            if (words[4].contains("vdso")) {
                withoutFile.add(words[4]);
            }
        }

        CommandLineRun run = CommandLineRun.of("core", core.toString(), "--json");

        Map<Long, String> found = new TreeMap<>();
        List<String> paths = new ArrayList<>();
        for (JsonNode module : JsonMapper.shared().readTree(run.out()).path("modules")) {
            found.put(
                    Long.decode(module.path("start").asString()),
                    module.path("end").asString().substring(2) + " "
                            + module.path("buildId").asString());
            paths.add(module.path("path").asString());
        }
        assertThat(run.exitCode()).isZero();
        assertThat(found).isEqualTo(expected).hasSizeGreaterThanOrEqualTo(modules);
        assertThat(withoutFile).hasSize(1);
        assertThat(paths).containsAll(withoutFile);
    }

    @Test
    void compressedCoreIsListedWithPaths() throws IOException {
        RequiredTool.require("zstd").output("-q", core);

        CommandLineRun run = CommandLineRun.of("core", core + ".zst");

        assertThat(run.out()).startsWith("START ").contains("/sleep", "libc.so.6");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void nothingButBuildIdsIsSentInOneBatch() throws IOException {
        Queue<String> bodies = new ConcurrentLinkedQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] answer = "{\"id\":\"%s\",\"state\":\"done\",\"items\":[]}"
                    .formatted(BATCH)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(202, answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer);
            }
        });
        server.start();
        try {
            CommandLineRun.of(
                    "core",
                    core.toString(),
                    "--prewarm",
                    "http://127.0.0.1:" + server.getAddress().getPort());
        } finally {
            server.stop(0);
        }

        assertThat(bodies).hasSize(1);
        JsonNode body = JsonMapper.shared().readTree(bodies.element());
        List<String> builds = StreamSupport.stream(body.path("builds").spliterator(), false)
                .map(JsonNode::asString)
                .toList();
        assertThat(builds).hasSizeGreaterThan(2).allMatch(build -> build.matches("[0-9a-f]{16,128}"));
        assertThat(body.has("names")).isFalse();
        assertThat(bodies.element()).doesNotContain("sleep", "libc", core.toString());
    }

    @Test
    void otherFileIsRefusedWithItsType() throws IOException {
        Path other = Files.copy(RequiredTool.require("sleep").path(), folder.resolve("program"));

        CommandLineRun run = CommandLineRun.of("core", other.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("expected 4 (a core file)");
    }
}
