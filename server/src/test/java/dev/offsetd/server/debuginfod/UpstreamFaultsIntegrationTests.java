package dev.offsetd.server.debuginfod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.Fault;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.sources.RangeFault;
import dev.offsetd.server.sources.RangeUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Sizes, misses and ranges of faulty upstreams, behind debuginfod's web API. {@link DebuginfodIntegrationTests} has the others. */
class UpstreamFaultsIntegrationTests {

    private static final String CLIENT_LIMIT = "X-DEBUGINFOD-MAXSIZE";

    @TempDir
    private Path folder;

    private static BuildId id(int number) {
        return BuildId.parse(String.format(Locale.ROOT, "%040x", 0xabcdef000000L + number));
    }

    private static String debugInfo(BuildId id) {
        return "/buildid/" + id + "/debuginfo";
    }

    private static String code(HttpResponse<byte[]> problem) {
        return JsonMapper.shared().readTree(problem.body()).path("code").asString();
    }

    private TestServer server(String url, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.upstreams.urls=" + url,
                "offsetd.upstreams.breaker.failures=1000",
                "offsetd.extraction.retry.failed=1ms"));
        all.addAll(List.of(properties));
        return TestServer.start(folder.resolve("data"), TestDatabase.create(), all.toArray(String[]::new));
    }

    @ChecklistRow({3, 6})
    @Test
    void fileOverTheLimitIsTooLargeAndNeverAMiss() {
        List<String> faults = new ArrayList<>(List.of("406"));
        Stream.of(Fault.values())
                .filter(fault -> fault.taken() == Fault.Taken.TOO_LARGE)
                .map(Fault::mode)
                .forEach(faults::add);
        byte[] file = SmallBuild.debugFile();
        try (FaultServer upstream = FaultServer.serving(file, file);
                TestServer server = server(upstream.url("large"), "offsetd.upstreams.max-file-size=1MB")) {
            for (int i = 0; i < faults.size(); i++) {
                upstream.script("large", id(i), faults.get(i));
                HttpResponse<byte[]> unlimited = server.file("GET", debugInfo(id(i)));
                assertThat(unlimited.statusCode()).as(faults.get(i)).isEqualTo(422);
                assertThat(code(unlimited)).isEqualTo("too_large");
                HttpResponse<byte[]> limited = server.file("GET", debugInfo(id(i)), CLIENT_LIMIT, "500000");
                assertThat(limited.statusCode()).as(faults.get(i)).isEqualTo(406);
                assertThat(code(limited)).isEqualTo("larger_than_requested");
            }
        }
    }

    @ChecklistRow(3)
    @Test
    void missWithAnEndlessBodyIsAMiss() {
        byte[] file = SmallBuild.debugFile();
        try (FaultServer upstream = FaultServer.serving(file, file);
                TestServer server = server(upstream.url(Fault.MISS_BODY_ENDLESS))) {
            HttpResponse<byte[]> response = server.file("GET", debugInfo(SmallBuild.ID));
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(code(response)).isEqualTo("file_not_found");
        }
    }

    @ChecklistRow({6, 7, 8, 9, 33})
    @Test
    void faultAmongTheRangesIsAFailureAndTheDebugFileIsWhole() {
        try (RangeUpstream upstream = new RangeUpstream();
                TestServer server = server(
                        upstream.url(),
                        "offsetd.upstreams.sections-above=100KB",
                        "offsetd.upstreams.headers-timeout=4s",
                        "offsetd.upstreams.stall-timeout=4s",
                        "offsetd.upstreams.total-timeout=20s")) {
            int number = 0;
            for (RangeFault fault : RangeFault.values()) {
                BuildId id = id(number++);
                byte[] whole = SmallBuild.largeDebugFile(id);
                upstream.has(id, whole);
                // The first two are for the section headers.
                upstream.script(id, 3, fault);
                HttpResponse<String> failed = server.offsets(id, "point.y", "Prefer", "wait=30");
                assertThat(failed.statusCode())
                        .as("%s: %s", fault, failed.body())
                        .isIn(422, 502, 504);
                assertThat(Json.of(failed).path("offsets").isMissingNode()).isTrue();

                for (String section : List.of(".debug_info", ".debug_line")) {
                    byte[] sent = server.file("GET", "/buildid/" + id + "/section/" + section)
                            .body();
                    assertThat(contains(whole, sent))
                            .as("%s: %s", fault, section)
                            .isTrue();
                }
                assertThat(server.file("GET", debugInfo(id)).body())
                        .as("%s", fault)
                        .isEqualTo(whole);
            }
        }
    }

    /** The sections are in the cache, and the debug file is asked for: it is fetched, and fails. */
    @ChecklistRow(33)
    @Test
    void sectionsAreNoDebugFileWhenTheUpstreamFails() {
        byte[] whole = SmallBuild.largeDebugFile(SmallBuild.ID);
        try (RangeUpstream upstream = new RangeUpstream();
                TestServer server = server(upstream.url(), "offsetd.upstreams.sections-above=100KB")) {
            upstream.has(SmallBuild.ID, whole);
            assertThat(server.offsets(SmallBuild.ID, "point.y").statusCode()).isEqualTo(200);
            upstream.has(SmallBuild.ID, SmallBuild.largeDebugFile(SmallBuild.UNKNOWN_ID));
            assertThat(server.file("GET", debugInfo(SmallBuild.ID)).statusCode())
                    .isEqualTo(502);
            upstream.has(SmallBuild.ID, whole);
            assertThat(server.file("GET", debugInfo(SmallBuild.ID)).body()).isEqualTo(whole);
        }
    }

    private static boolean contains(byte[] file, byte[] part) {
        return new String(file, StandardCharsets.ISO_8859_1).contains(new String(part, StandardCharsets.ISO_8859_1));
    }
}
