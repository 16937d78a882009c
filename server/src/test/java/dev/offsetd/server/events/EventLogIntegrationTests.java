package dev.offsetd.server.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.operations.changes.Freshness;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.SetNames;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Readers of the event log miss nothing and see nothing that did not happen. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class EventLogIntegrationTests {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final TestDatabase database = TestDatabase.create();
    private TestServer server;
    private EventWriter events;
    private EventLog log;
    private TransactionTemplate transaction;

    @BeforeAll
    void start(@TempDir Path folder) {
        server = TestServer.start(
                folder,
                database,
                "offsetd.offline=true",
                "offsetd.events.max=10",
                "offsetd.events.sweep=1h",
                "offsetd.events.demand=3",
                "offsetd.demand.flush=1h");
        events = server.bean(EventWriter.class);
        log = server.bean(EventLog.class);
        transaction = new TransactionTemplate(server.bean(PlatformTransactionManager.class));
    }

    @AfterAll
    void stop() {
        threads.shutdownNow();
        server.close();
    }

    @BeforeEach
    void forget() {
        database.jdbc().sql("delete from events").update();
        database.jdbc().sql("update event_horizon set id = 0").update();
    }

    private static NewEvent event(String title, String... sets) {
        return new NewEvent(EventKind.WATCH_FAILED, null, List.of(sets), title, Map.of());
    }

    private void append(String title, String... sets) {
        transaction.executeWithoutResult(status -> events.append(event(title, sets)));
    }

    private JsonNode read(String path, String... headers) {
        HttpResponse<String> answer = server.get(path, headers);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer);
    }

    private static List<String> titles(JsonNode list) {
        return list.path("events")
                .valueStream()
                .map(event -> event.path("title").asString())
                .toList();
    }

    @Test
    @ChecklistRow(14)
    void readerMissesNoEventOfATransactionThatBeganFirstAndCommitsLast() throws Exception {
        CountDownLatch firstHasAppended = new CountDownLatch(1);
        CountDownLatch secondIsCommitted = new CountDownLatch(1);
        Future<?> first = threads.submit(() -> transaction.executeWithoutResult(status -> {
            events.append(event("first"));
            firstHasAppended.countDown();
            await(secondIsCommitted);
        }));
        await(firstHasAppended);
        append("second");
        JsonNode seen = read("/v1/events");
        assertThat(titles(seen)).containsExactly("second");
        secondIsCommitted.countDown();
        first.get(60, TimeUnit.SECONDS);
        assertThat(titles(read(seen.path("next").asString()))).containsExactly("first");
    }

    /** The number is taken and not committed yet: a reader must not pass it. */
    @Test
    @ChecklistRow(14)
    void readerDoesNotPassANumberThatIsTakenAndNotCommitted() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        Future<?> slow = threads.submit(() -> transaction.executeWithoutResult(status -> {
            events.append(event("slow"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    // Same order as that of the events, and registered after it: the number is taken.
                    taken.countDown();
                    await(mayCommit);
                }
            });
        }));
        await(taken);
        Future<?> other = threads.submit(() -> append("other"));
        JsonNode seen = read("/v1/events");
        assertThat(titles(seen)).isEmpty();
        assertThat(other.isDone()).isFalse();
        mayCommit.countDown();
        slow.get(60, TimeUnit.SECONDS);
        other.get(60, TimeUnit.SECONDS);
        assertThat(titles(read(seen.path("next").asString()))).containsExactly("slow", "other");
    }

    @Test
    @ChecklistRow(14)
    void pollingReaderSeesEveryEventOnceWhileManyTransactionsInterleave() throws Exception {
        int writers = 6;
        int each = 40;
        AtomicBoolean written = new AtomicBoolean();
        long start = server.bean(Changes.class).latestNumber();
        Future<List<String>> reader = threads.submit(() -> {
            List<String> seen = new ArrayList<>();
            EventFilter all = new EventFilter(List.of(), List.of());
            long position = start;
            boolean last;
            do {
                last = written.get();
                EventLog.Part part = log.read(all, position, 7);
                part.events().forEach(event -> seen.add(event.title()));
                last &= part.position() == position;
                position = part.position();
            } while (!last);
            return seen;
        });
        List<Future<?>> running = IntStream.range(0, writers)
                .<Future<?>>mapToObj(writer -> threads.submit(() -> {
                    Random random = new Random(writer);
                    for (int i = 0; i < each; i++) {
                        String title = writer + "/" + i;
                        boolean fails = random.nextInt(4) == 0;
                        transaction.executeWithoutResult(status -> {
                            events.append(event(title));
                            if (random.nextBoolean()) {
                                // A statement between the event and the commit lets others commit first.
                                database.jdbc()
                                        .sql("select pg_sleep(0.002)")
                                        .query()
                                        .listOfRows();
                            }
                            if (fails) {
                                status.setRollbackOnly();
                            }
                        });
                    }
                }))
                .toList();
        for (Future<?> writer : running) {
            writer.get(60, TimeUnit.SECONDS);
        }
        written.set(true);
        List<String> seen = reader.get(60, TimeUnit.SECONDS);
        assertThat(seen).doesNotHaveDuplicates().hasSizeLessThan(writers * each);
        assertThat(seen)
                .containsExactlyElementsOf(database.jdbc()
                        .sql("select title from events order by id")
                        .query(String.class)
                        .list());
    }

    /** All servers wait for the row of the numbers, which one that is frozen before its commit must not hold. */
    @Test
    void databaseEndsTransactionsThatDoNothing() {
        for (JdbcClient connections : List.of(
                server.bean(JdbcClient.class),
                server.bean(ReservedConnections.class).jdbc())) {
            assertThat(connections
                            .sql("show idle_in_transaction_session_timeout")
                            .query(String.class)
                            .single())
                    .isEqualTo("30s");
        }
    }

    @Test
    void eventOutsideOfATransactionIsRefused() {
        assertThatThrownBy(() -> events.append(event("alone")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no transaction");
    }

    @Test
    void eventOfATransactionThatIsRolledBackIsNotWritten() {
        transaction.executeWithoutResult(status -> {
            events.append(event("never"));
            status.setRollbackOnly();
        });
        assertThat(titles(read("/v1/events"))).isEmpty();
    }

    @Test
    void textsThatTheDatabaseCannotStoreAreReplaced() {
        transaction.executeWithoutResult(status ->
                events.append(new NewEvent(EventKind.DRIFT, null, List.of(), "a\0b", Map.of("name", "c\0d"))));
        JsonNode event = read("/v1/events").path("events").path(0);
        assertThat(event.path("title").asString()).isEqualTo("a\ufffdb");
        assertThat(event.path("detail").path("name").asString()).isEqualTo("c\ufffdd");
    }

    @Test
    void filtersSelectByKindAndSetAndKeepTheirPlace() {
        append("one", "ruby");
        append("two", "php", "perl");
        append("three");
        assertThat(titles(read("/v1/events?set=perl,python"))).containsExactly("two");
        assertThat(titles(read("/v1/events?kind=drift"))).isEmpty();
        JsonNode page = read("/v1/events?kind=watch_failed,drift&limit=2");
        assertThat(titles(page)).containsExactly("one", "two");
        assertThat(page.path("next").asString()).contains("limit=2", "kind=watch_failed%2Cdrift");
        assertThat(titles(read(page.path("next").asString()))).containsExactly("three");
    }

    @Test
    void readerOfLargeEventsGetsFewerAtATimeAndMissesNone() {
        String large = "x".repeat(EventLog.ENOUGH_BYTES / 2 + 1);
        transaction.executeWithoutResult(status -> {
            for (String title : List.of("a", "b", "c", "d", "e")) {
                events.append(new NewEvent(EventKind.WATCH_FAILED, null, List.of(), title, Map.of("detail", large)));
            }
        });
        append("f");

        JsonNode page = read("/v1/events");
        List<String> seen = new ArrayList<>(titles(page));
        assertThat(seen).containsExactly("a", "b");
        while (!titles(page).isEmpty()) {
            page = read(page.path("next").asString());
            seen.addAll(titles(page));
        }
        assertThat(seen).containsExactly("a", "b", "c", "d", "e", "f");
    }

    @Test
    void unknownKindIsABadRequestThatNamesTheKnownOnes() {
        HttpResponse<String> answer = server.get("/v1/events?kind=drift,other");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("bad_kind", "other", "build_stored", "unmet_demand");
    }

    @Test
    void unknownSetIsABadRequestThatNamesTheKnownOnes() {
        HttpResponse<String> answer = server.get("/v1/events?set=ruby,rubby");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("unknown_set", "\\\"rubby\\\"", "python, ruby");
    }

    @Test
    void requestThatWaitsIsAnsweredByTheFirstEventThatItSelects() throws Exception {
        String next = read("/v1/events?set=ruby").path("next").asString();
        CompletableFuture<JsonNode> waiting =
                CompletableFuture.supplyAsync(() -> read(next, "Prefer", "wait=30"), threads);
        append("other", "php");
        append("wanted", "ruby");
        assertThat(titles(waiting.get(60, TimeUnit.SECONDS))).containsExactly("wanted");
    }

    @Test
    void requestThatDoesNotWaitIsAnsweredAtOnceAndSoIsOneWhoseTimeIsOver() {
        assertThat(titles(read("/v1/events"))).isEmpty();
        HttpResponse<String> answer = server.get("/v1/events", "Prefer", "wait=1");
        assertThat(answer.headers().firstValue("Preference-Applied")).hasValue("wait=1");
        assertThat(titles(Json.of(answer))).isEmpty();
    }

    @Test
    void cursorBeforeDeletedEventsHasExpired() {
        String before = read("/v1/events").path("next").asString();
        for (int i = 0; i < 15; i++) {
            append("event " + i);
        }
        String after = read("/v1/events?limit=12").path("next").asString();
        assertThat(log.sweep()).as("15 events, offsetd.events.max is 10").isEqualTo(5);
        HttpResponse<String> expired = server.get(before);
        assertThat(expired.statusCode()).isEqualTo(410);
        assertThat(Json.of(expired).path("code").asString()).isEqualTo("cursor_expired");
        assertThat(titles(read(after))).containsExactly("event 12", "event 13", "event 14");
        assertThat(titles(read(Json.of(expired).path("first").asString())))
                .startsWith("event 5")
                .hasSize(10);
    }

    @Test
    void readerWithoutACursorBeginsAgainIfEventsAreDeletedMeanwhile() throws Exception {
        AtomicBoolean swept = new AtomicBoolean();
        EventLog between =
                new EventLog(
                        server.bean(JdbcClient.class),
                        server.bean(PlatformTransactionManager.class),
                        server.bean(Changes.class),
                        server.bean(EventProperties.class),
                        server.bean(PeriodicTasks.class)) {
                    @Override
                    public long horizon() {
                        long horizon = super.horizon();
                        if (!swept.getAndSet(true)) {
                            log.sweep();
                        }
                        return horizon;
                    }
                };
        for (int i = 0; i < 15; i++) {
            append("event " + i);
        }
        EventsController controller =
                new EventsController(between, server.bean(SetNames.class), server.bean(Freshness.class));
        ResponseEntity<byte[]> answer = controller.list(new MockHttpServletRequest("GET", "/v1/events"));
        assertThat(titles(JsonMapper.shared().readTree(answer.getBody())))
                .startsWith("event 5")
                .hasSize(10);
    }

    @Test
    void eventsOlderThanTheRetentionAreDeletedWithAllBeforeThem() {
        append("one");
        append("two");
        append("three");
        database.jdbc()
                .sql("update events set at = now() - interval '31 days' where title = 'two'")
                .update();
        assertThat(log.sweep()).isEqualTo(2);
        assertThat(titles(read("/v1/events"))).containsExactly("three");
    }

    @Test
    void cursorOfAnotherDatabaseHasExpired() {
        String far = ListQuery.ofStart("/v1/events")
                .next(
                        'v',
                        ByteBuffer.allocate(Long.BYTES).putLong(Long.MAX_VALUE).array());
        assertThat(server.get(far).statusCode()).isEqualTo(410);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "dg", "YWFhYWFhYWFh"})
    void cursorOfAnotherListIsABadRequest(String cursor) {
        HttpResponse<String> answer = server.get("/v1/events?cursor=" + cursor);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("bad_cursor");
    }

    @Test
    void demandAboveTheThresholdIsReportedOnceForABuild() {
        BuildId id = SmallBuild.UNKNOWN_ID;
        Demand demand = server.bean(Demand.class);
        assertThat(server.offsets(id.toString(), "RBasic").statusCode()).isEqualTo(404);
        demand.claimed(id, "/usr/lib/x86_64-linux-gnu/libruby-3.4.so.3.4.5");
        for (int round = 0; round < 4; round++) {
            demand.missed(id, Cause.NOT_FOUND);
            demand.missed(id, Cause.NOT_FOUND);
            demand.destroy();
        }
        JsonNode list = read("/v1/events?kind=unmet_demand");
        assertThat(list.path("events").size()).isEqualTo(1);
        JsonNode event = list.path("events").path(0);
        assertThat(event.path("buildId").asString()).isEqualTo(id.toString());
        assertThat(event.path("detail").path("count").asLong()).isEqualTo(3);
        assertThat(event.path("detail").path("claimedName").asString())
                .isEqualTo("/usr/lib/x86_64-linux-gnu/libruby-3.4.so.3.4.5");
        assertThat(event.path("detail").path("claimedBy").asString()).isEqualTo("client");
        assertThat(event.path("title").asString()).contains("libruby-3.4.so.3.4.5");
    }

    @Test
    void pageShowsTheNewestEventFirst() {
        append("earlier <b>", "ruby");
        append("later", "php");
        String page = AdminClient.signIn(server).get("/admin/events").body();
        assertThat(page).contains("earlier &lt;b&gt;");
        assertThat(page.indexOf("later")).isLessThan(page.indexOf("earlier"));
        assertThat(AdminClient.signIn(server)
                        .get("/admin/events?set=ruby&kind=watch_failed")
                        .body())
                .contains("earlier")
                .doesNotContain("later");
    }

    @Test
    void counterCountsCommittedEventsByKind() {
        append("one");
        assertThat(server.get("/metrics").body())
                .containsPattern("offsetd_events_total\\{kind=\"watch_failed\"} [1-9]");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
