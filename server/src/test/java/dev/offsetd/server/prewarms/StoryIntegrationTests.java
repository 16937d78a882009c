package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.CountingUpstream.Request;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The main use case, without a network: a pipeline prewarms a new release, and the requests of hosts then cause no
 * download. Afterwards two servers on one database share a batch of a hundred builds, and one of them, a separate
 * process, is killed halfway.
 */
@Timeout(180)
class StoryIntegrationTests {

    private static final int BUILDS = 100;
    private static final int AT_A_TIME = 4;

    /**
     * Upstream requests of the server to be killed that are answered. Its later requests are pending when it is killed.
     */
    private static final int ANSWERED = 20;

    /** Upstream requests after which the survivor waits for the kill, so that it does not finish the batch before. */
    private static final int ALONE = 40;

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final CountingUpstream upstream = new CountingUpstream();
    private final TestDatabase database = TestDatabase.create();
    private final Set<BuildId> inHand = ConcurrentHashMap.newKeySet();
    private final CountDownLatch inTheMiddle = new CountDownLatch(AT_A_TIME);
    private RealDebuginfod debuginfod;
    private TestServer survivor;
    private ServerProcess killed;

    @BeforeEach
    void start() throws Exception {
        AtomicInteger ofKilled = new AtomicInteger();
        AtomicInteger ofSurvivor = new AtomicInteger();
        upstream.seenBy(request -> {
            if (request.upstream().equals("killed")) {
                if (ofKilled.incrementAndGet() > ANSWERED) {
                    inHand.add(request.build());
                    inTheMiddle.countDown();
                    upstream.hang();
                }
            } else if (ofSurvivor.incrementAndGet() > ALONE) {
                inTheMiddle.await();
            }
        });
        Path packages = Files.createDirectories(folder.resolve("packages"));
        Files.write(packages.resolve("another.debug"), SmallBuild.debugFile());
        debuginfod = RealDebuginfod.over(packages, 1, folder);
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.put("DEBUGINFOD_URLS", debuginfod.url() + " " + upstream.url("killed"));
        environment.put("OFFSETD_UPSTREAMS_HEADERSTIMEOUT", "2m");
        environment.put("OFFSETD_LEASE_DURATION", "6s");
        environment.put("OFFSETD_LEASE_HEARTBEAT", "500ms");
        environment.put("OFFSETD_UPSTREAMS_MAXCONCURRENTPERHOST", "8");
        environment.put("OFFSETD_PREWARMS_MAXCONCURRENT", Integer.toString(AT_A_TIME));
        environment.put("OFFSETD_PREWARMS_PERMINUTE", "100000");
        environment.put("OFFSETD_WORK_POLL", "50ms");
        environment.put("OFFSETD_WORK_HEARTBEAT", "1500ms");
        killed = ServerProcess.start(folder.resolve("killed"), folder.resolve("killed.log"), environment);
        survivor = TestServer.start(
                folder.resolve("survivor"),
                database,
                "offsetd.upstreams.urls=" + debuginfod.url() + "," + upstream.url("survivor"),
                "offsetd.upstreams.headers-timeout=2m",
                "offsetd.lease.duration=6s",
                "offsetd.lease.heartbeat=500ms",
                "offsetd.upstreams.max-concurrent-per-host=8",
                "offsetd.prewarms.max-concurrent=" + AT_A_TIME,
                "offsetd.prewarms.per-minute=100000",
                "offsetd.work.poll=50ms",
                "offsetd.prewarms.backoff=50ms",
                "offsetd.work.heartbeat=1500ms");
    }

    @AfterEach
    void stop() {
        killed.close();
        survivor.close();
        upstream.close();
        debuginfod.close();
        http.close();
    }

    @Test
    @ChecklistRow({14, 19})
    void newReleaseIsReadyBeforeHostsAskAndAKilledServersShareIsDoneByTheOther() throws Exception {
        String token = survivor.bean(Tokens.class)
                .create("ci", Set.of(Scope.PUBLISH), Duration.ofHours(1), Actor.operator("test"))
                .text();
        newReleaseIsReadyBeforeHostsAsk(token);
        killedServersShareIsDoneByTheOtherAndNothingTwice(token);
    }

    private void newReleaseIsReadyBeforeHostsAsk(String token) throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), "88".repeat(20));
        assertThat(survivor.offsets(ruby.buildId(), "@ruby").statusCode())
                .as("a host that was ahead of everybody")
                .isEqualTo(404);
        Files.copy(ruby.debugFile(), folder.resolve("packages/libruby.debug"));
        debuginfod.scanFor(ruby.buildId());
        long downloads = debuginfod.downloads();

        CommandLine.Run step = CommandLine.run(
                folder,
                Map.of("OFFSETD_TOKEN", token),
                CommandLine.launcher(folder.resolve("offsetd")).toString(),
                "prewarm",
                killed.url(),
                ruby.debianPackage(folder.resolve("libruby3.4_3.4.1-1_amd64.deb"))
                        .toString(),
                "--types",
                "@ruby",
                "--fail-under",
                "@ruby=100%");
        assertThat(step.exitCode()).as(step.out() + step.err()).isZero();
        assertThat(debuginfod.downloads()).isEqualTo(downloads + 1);

        long requests = debuginfod.requests();
        HttpResponse<String> answer = survivor.offsets(ruby.buildId(), "@ruby");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.of(answer).path("complete").asBoolean()).isTrue();
        HttpResponse<String> ofTheOther = http.send(
                HttpRequest.newBuilder(URI.create(killed.url() + "/v1/offsets/" + ruby.buildId()
                                + "?types=rb_execution_context_struct.cfp"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(Json.item(ofTheOther, "rb_execution_context_struct.cfp")
                        .path("offset")
                        .asInt())
                .isEqualTo(16);
        assertThat(debuginfod.requests()).as("what hosts ask costs no request").isEqualTo(requests);
    }

    /**
     * Asserts that the survivor finishes the batch without storing a second result or fetching an extracted build
     * again. Only the builds that the killed server was working on start over, as attempt 2 of their lease.
     */
    private void killedServersShareIsDoneByTheOtherAndNothingTwice(String token) throws Exception {
        List<BuildId> builds = IntStream.range(0, BUILDS)
                .mapToObj(number -> BuildId.parse("%040x".formatted(0xfeed_0000L + number)))
                .toList();
        builds.forEach(id -> upstream.put(id, SmallBuild.debugFile(id)));
        long storedBefore = stored();
        String location = create(builds, token);

        assertThat(inTheMiddle.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(count("prewarm_items where state = 'waiting'"))
                .as("not done yet")
                .isPositive();
        Set<BuildId> inHandThen = Set.copyOf(inHand);
        assertThat(inHandThen).hasSize(AT_A_TIME);
        for (String rows : List.of("catalogues", "symbol_tables", "source_outcomes")) {
            assertThat(buildsIn(rows)).as("half-written rows in %s", rows).doesNotContainAnyElementsOf(inHandThen);
        }
        killed.process().destroyForcibly().onExit().join();

        JsonNode end = awaitEnd(location, token);
        assertThat(end.path("state").asString()).isEqualTo("done");
        assertThat(end.path("complete").asBoolean()).isTrue();
        assertThat(end.path("counts").path("done").asInt()).isEqualTo(BUILDS);

        assertThat(count("catalogues")).as("these and the new release").isEqualTo(BUILDS + 1);
        assertThat(stored() - storedBefore).as("results that were stored").isEqualTo(BUILDS);
        assertThat(leases(builds, "attempt = 2")).as("begun again").isEqualTo(inHandThen);
        assertThat(leases(builds, "attempt <> 2")).hasSize(BUILDS - AT_A_TIME);
        assertThat(count("extraction_lease where attempt > 2 or owner is not null"))
                .isZero();
        for (BuildId id : builds) {
            assertThat(upstream.hits(id)).as("requests for %s", id).isEqualTo(inHandThen.contains(id) ? 2 : 1);
        }
        Map<String, Long> shares = upstream.requests().stream()
                .filter(request -> builds.contains(request.build()))
                .collect(Collectors.groupingBy(Request::upstream, Collectors.counting()));
        assertThat(shares)
                .containsEntry("killed", (long) ANSWERED + AT_A_TIME)
                .containsEntry("survivor", (long) BUILDS - ANSWERED);
        for (JsonNode item : end.path("items")) {
            boolean again =
                    inHandThen.contains(BuildId.parse(item.path("buildId").asString()));
            assertThat(item.path("attempts").asInt()).as(item.toString()).isEqualTo(again ? 2 : 1);
        }
        assertThat(count("scheduled_tasks where task_name = 'prewarm-item'")).isZero();
    }

    /** Creates the batch on the server to be killed. */
    private String create(List<BuildId> builds, String token) throws Exception {
        String list = builds.stream().map(id -> "\"" + id + "\"").collect(Collectors.joining(","));
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create(killed.url() + "/v1/prewarms"))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"builds\": [" + list + "], \"types\": [\"point\"]}"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private JsonNode awaitEnd(String location, String token) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            JsonNode prewarm = Json.of(survivor.get(location, "Authorization", "Bearer " + token));
            if (!prewarm.path("state").asString().equals("active")) {
                return prewarm;
            }
            assertThat(System.nanoTime()).as(prewarm.toString()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Returns the change counter, which increases by one with each stored result. */
    private long stored() {
        return database.jdbc()
                .sql("select count(*) from events where kind = 'build_stored'")
                .query(Long.class)
                .single();
    }

    private int count(String rows) {
        return database.jdbc()
                .sql("select count(*) from " + rows)
                .query(Integer.class)
                .single();
    }

    private Set<BuildId> buildsIn(String rows) {
        return Set.copyOf(database.jdbc()
                .sql("select build_id from " + rows)
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list());
    }

    private Set<BuildId> leases(List<BuildId> builds, String condition) {
        Set<String> ids = new TreeSet<>(database.jdbc()
                .sql("select encode(build_id, 'hex') from extraction_lease where " + condition)
                .query(String.class)
                .list());
        return ids.stream().map(BuildId::parse).filter(builds::contains).collect(Collectors.toSet());
    }
}
