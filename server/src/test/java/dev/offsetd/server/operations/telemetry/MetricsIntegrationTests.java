package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The series that a running server exports to Prometheus, and text that must never become one. */
class MetricsIntegrationTests {

    private static final Path DOCUMENT = Path.of("..", "docs", "monitoring.md");
    private static final BuildId FAILING_ID = BuildId.parse("fa11ed00".repeat(5));
    private static final String REQUESTS = "http_server_requests_seconds_count";

    @TempDir
    private static Path folder;

    private static FaultServer upstream;
    private static TestServer server;

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        upstream = FaultServer.serving(SmallBuild.debugFile(), SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.upstreams.urls=" + upstream.url("404"),
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
        upstream.close();
    }

    /** Returns the names and labels of the document's tables with three columns. */
    private static Map<String, Set<String>> documentedMeters() throws IOException {
        Map<String, Set<String>> meters = new HashMap<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            List<String> cells = List.of(line.split(" *\\| *", -1));
            if (cells.size() == 5 && cells.get(1).startsWith("`")) {
                for (String name : codes(cells.get(1))) {
                    meters.put(name, new TreeSet<>(codes(cells.get(2))));
                }
            }
        }
        return meters;
    }

    /** Returns the prefixes of the document's tables with two columns. */
    private static List<String> documentedPrefixes() throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .map(line -> line.split(" *\\| *", -1))
                .filter(cells -> cells.length == 4)
                .flatMap(cells -> codes(cells[1]).stream())
                .map(prefix -> prefix.replace("*", ""))
                .toList();
    }

    private static List<String> codes(String cell) {
        return Stream.of(cell.split(",", -1))
                .map(String::strip)
                .filter(code -> code.startsWith("`"))
                .map(code -> code.replace("`", ""))
                .toList();
    }

    @Test
    void metersAndLabelsAreThoseOfTheDocument() throws IOException {
        server.offsets(SmallBuild.ID, "point");
        server.offsets(SmallBuild.UNKNOWN_ID, "point");
        String export = server.get("/v1/exports/" + SmallBuild.ID + "/btf")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        assertThat(server.file("GET", "/v1/exports/" + SmallBuild.ID + "/" + export)
                        .statusCode())
                .isEqualTo(200);
        Map<String, Set<String>> labels = Scrape.of(server).labels();
        List<String> prefixes = documentedPrefixes();
        assertThat(prefixes)
                .isNotEmpty()
                .allSatisfy(prefix -> assertThat(labels.keySet()).anyMatch(name -> name.startsWith(prefix)));
        labels.keySet().removeIf(name -> prefixes.stream().anyMatch(name::startsWith));
        assertThat(labels).isEqualTo(documentedMeters());
    }

    @Test
    void dashboardAndAlertsAskForWhatThereIs() throws IOException {
        // Causes an internal error of the server: the path of the cache folder is a file.
        Files.createFile(
                folder.resolve("data/cache").resolve(FAILING_ID.toString().substring(0, 2)));
        upstream.has(FAILING_ID, SmallBuild.debugFile(FAILING_ID));
        upstream.script("404", FAILING_ID, "ok");
        assertThat(server.offsets(FAILING_ID, "point").statusCode()).isEqualTo(503);
        assertThat(server.offsets(SmallBuild.UNKNOWN_ID, "point").statusCode()).isEqualTo(404);
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        Scrape scrape = Scrape.of(server);
        Monitoring monitoring = Monitoring.read();
        assertThat(monitoring.queries()).hasSizeGreaterThan(60);
        assertThat(monitoring.notIn(scrape)).isEmpty();

        String renamed = "offsetd_leases";
        Scrape without = new Scrape(scrape.values().entrySet().stream()
                .filter(series -> !series.getKey().startsWith(renamed))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        assertThat(monitoring.notIn(without))
                .anySatisfy(missing -> assertThat(missing).contains(renamed));
    }

    @Test
    void answersAreCountedByWhereTheyComeFrom() {
        Scrape before = Scrape.of(server);
        server.offsets(SmallBuild.ID, "point,line");
        server.offsets(SmallBuild.ID, "point,line");
        server.offsets(SmallBuild.ID, "point,line", "Accept-Encoding", "gzip");
        server.post("/v1/offsets/" + SmallBuild.ID, "[\"point\",\"line\"]", "Content-Type", "application/json");
        Scrape after = Scrape.of(server);
        String given = "offsetd_answers_given_total";
        assertThat(after.sum(given, "from=\"stored\"") - before.sum(given, "from=\"stored\""))
                .isEqualTo(1);
        assertThat(after.sum(given, "from=\"memory\"") - before.sum(given, "from=\"memory\""))
                .isEqualTo(3);
        assertThat(after.sum("offsetd_answers_bytes")).isGreaterThan(before.sum("offsetd_answers_bytes"));
        assertThat(after.sum("offsetd_changes_seen")).isEqualTo(1);
    }

    @Test
    void requestsAreCountedByRouteAndStatus() {
        Scrape before = Scrape.of(server);
        server.offsets(SmallBuild.ID, "point");
        server.get("/v1/offsets/xyz?types=a");
        server.get("/nothing/here");
        server.send("FROBNICATE", "/version", BodyPublishers.noBody());
        raw("nonsense\r\n\r\n");
        Scrape after = Scrape.of(server);
        String offsets = "uri=\"/v1/offsets/{buildId}\"";
        for (String[] labels : new String[][] {
            {"method=\"GET\"", offsets, "status=\"200\"", "outcome=\"SUCCESS\""},
            {"method=\"GET\"", offsets, "status=\"400\"", "outcome=\"CLIENT_ERROR\""},
            {"method=\"GET\"", "uri=\"other\"", "status=\"404\""},
            {"method=\"OTHER\"", "uri=\"other\"", "status=\"405\""},
            {"uri=\"other\"", "status=\"400\""}
        }) {
            assertThat(after.sum(REQUESTS, labels) - before.sum(REQUESTS, labels))
                    .as(String.join(" ", labels))
                    .isEqualTo(1);
        }
        assertThat(after.sum("disk_free_bytes")).isPositive();
    }

    @Test
    void nothingElseOfTheActuatorIsServed() {
        for (String path : List.of("/actuator", "/prometheus", "/health", "/info", "/env", "/beans", "/heapdump")) {
            assertThat(server.get(path).statusCode()).as(path).isEqualTo(404);
        }
        assertThat(server.get("/metrics", "Accept", "application/openmetrics-text")
                        .statusCode())
                .isEqualTo(200);
        assertThat(server.get("/metrics", "Accept", "image/png").statusCode()).isEqualTo(406);
    }

    @Test
    @ChecklistRow(25)
    void tenThousandHostileRequestsMakeNoSeries() {
        // Sends each kind at least once, so that all series of these kinds exist.
        hostile(0, 2 * KINDS);
        Set<String> before = ours(Scrape.of(server));
        double counted = Scrape.of(server).sum(REQUESTS);
        hostile(1_000, 10_000);
        Scrape after = Scrape.of(server);
        assertThat(after.sum(REQUESTS) - counted).isGreaterThanOrEqualTo(10_000);
        assertThat(ours(after)).isEqualTo(before);
    }

    /** Returns all series except the JVM's, which gains one after its first collection. */
    private static Set<String> ours(Scrape scrape) {
        return scrape.series("").stream()
                .filter(name -> !name.startsWith("jvm_"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static final int KINDS = 10;

    /** Sends requests of all kinds in turn, each with unique text and on a new connection. */
    private static void hostile(long seed, int count) {
        IntStream.range(0, count).parallel().forEach(i -> {
            String text = HexFormat.of().toHexDigits(new Random(seed + i).nextLong());
            String response = raw(request(i % KINDS, i / KINDS % 10 == 0, text));
            assertThat(response).startsWith("HTTP/1.1 ");
        });
    }

    /** @param unknown whether to request a build that may exist, so that the server looks for it */
    private static String request(int kind, boolean unknown, String text) {
        String head = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        return switch (kind) {
            case 0 -> "GET /%zz" + text + head + "\r\n";
            case 1 -> "GET /" + text + "/x" + head + "\r\n";
            case 2 -> "GET /v1/offsets/" + text + "zz?types=a" + head + "\r\n";
            case 3 -> "GET /v1/offsets/" + SmallBuild.ID + "?" + text + "=" + text + head + "\r\n";
            case 4 -> "X" + text.toUpperCase(Locale.ROOT) + " /version" + head + "\r\n";
            case 5 -> "GET /version" + head + "User-Agent: " + text + "\r\nX-" + text + ": " + text + "\r\n\r\n";
            case 6 -> "GET /livez" + head + "X-Request-ID: " + text + "\u00e9\r\n\r\n";
            case 7 -> "GET /v1/offsets/" + SmallBuild.ID + "?types=" + text + head + "Accept: x/" + text + "\r\n\r\n";
            case 8 -> "GET /v1/offsets/" + SmallBuild.ID + "?types=" + text + "," + text + "[0]" + head + "\r\n";
            default ->
                unknown
                        ? "GET /v1/offsets/" + text + text + "?types=" + text + head + "\r\n"
                        : "GET /v1/builds/" + text + text + head + "\r\n";
        };
    }

    /** Sends bytes verbatim and reads until the server closes the connection. */
    private static String raw(String request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
