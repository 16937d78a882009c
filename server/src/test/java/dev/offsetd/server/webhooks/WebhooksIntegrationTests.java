package dev.offsetd.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventLog;
import dev.offsetd.server.events.EventWriter;
import dev.offsetd.server.events.NewEvent;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Webhooks get every event at least once, in order and signed, and what they do not get is listed. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class WebhooksIntegrationTests {

    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString(KEY);

    private final TestDatabase database = TestDatabase.create();
    private final ConcurrentLinkedQueue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
    private volatile IntSupplier status = () -> 204;
    private HttpServer receiver;
    private TestServer server;
    private Administrator administrator;

    private record Delivery(String id, String timestamp, String signature, String body) {

        JsonNode event() {
            return JsonMapper.shared().readTree(body);
        }
    }

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        receiver.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            int code = status.getAsInt();
            if (code < 300) {
                deliveries.add(new Delivery(
                        exchange.getRequestHeaders().getFirst("webhook-id"),
                        exchange.getRequestHeaders().getFirst("webhook-timestamp"),
                        exchange.getRequestHeaders().getFirst("webhook-signature"),
                        new String(body, StandardCharsets.UTF_8)));
            }
            if (code == 302) {
                exchange.getResponseHeaders().set("Location", "/elsewhere");
            }
            exchange.sendResponseHeaders(code, -1);
            exchange.close();
        });
        receiver.start();
        server = TestServer.start(
                folder,
                database,
                "offsetd.upstreams.urls=",
                "offsetd.webhooks.poll=1h",
                "offsetd.webhooks.timeout=60s",
                "offsetd.webhooks.max=2",
                "offsetd.webhooks.max-undelivered=3",
                "offsetd.webhooks.allowed-networks=127.0.0.0/8");
        administrator = Administrator.of(server, "ci");
    }

    @AfterAll
    void stop() {
        server.close();
        receiver.stop(0);
    }

    @BeforeEach
    void forget() {
        deliveries.clear();
        status = () -> 204;
    }

    @AfterEach
    void delete() {
        database.jdbc().sql("delete from webhooks").update();
    }

    private String url() {
        return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
    }

    private HttpResponse<String> put(String name, String body) {
        return server.send("PUT", "/v1/webhooks/" + name, BodyPublishers.ofString(body), administrator.authorized());
    }

    private void create(String name, String more) {
        HttpResponse<String> answer = put(name, draft(url(), SECRET, more));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    private static String draft(String url, String secret, String more) {
        return "{\"url\": \"" + url + "\", \"secret\": \"" + secret + "\"" + more + "}";
    }

    private JsonNode webhook(String name) {
        return Json.of(server.get("/v1/webhooks", administrator.authorized()))
                .path("webhooks")
                .valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void append(String title, String... sets) {
        new TransactionTemplate(server.bean(PlatformTransactionManager.class))
                .executeWithoutResult(transaction -> server.bean(EventWriter.class)
                        .append(new NewEvent(EventKind.DRIFT, null, List.of(sets), title, Map.of())));
    }

    private void deliver() {
        server.bean(WebhookDelivery.class).deliverAll().forEach(WebhooksIntegrationTests::join);
    }

    private static void join(Future<?> work) {
        try {
            work.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private void makeDue() {
        database.jdbc().sql("update webhooks set due_at = now()").update();
    }

    private List<String> delivered() {
        return deliveries.stream()
                .map(delivery -> delivery.event().path("title").asString())
                .toList();
    }

    @Test
    void eventsArriveInOrderSignedAsStandardWebhooksPrescribes() throws Exception {
        append("before");
        create("ci", "");
        append("one", "ruby");
        append("two");
        deliver();
        assertThat(delivered()).containsExactly("one", "two");
        Delivery first = deliveries.element();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((first.id() + "." + first.timestamp() + "." + first.body()).getBytes(StandardCharsets.UTF_8));
        assertThat(first.signature()).isEqualTo("v1," + Base64.getEncoder().encodeToString(mac.doFinal()));
        assertThat(first.event().path("id").asString()).isEqualTo(first.id());
        assertThat(first.event().path("sets").path(0).asString()).isEqualTo("ruby");
        deliver();
        assertThat(delivered()).as("nothing twice").hasSize(2);
    }

    /** A server that rehearses a restore has the webhooks of the backup with their secrets. */
    @Test
    void serverThatIsOfflineSendsNothing(@TempDir Path folder) {
        create("ci", "");
        append("one");
        try (TestServer offline =
                TestServer.start(folder, database, "offsetd.offline=true", "offsetd.webhooks.poll=1h")) {
            assertThat(offline.bean(WebhookDelivery.class).deliverAll()).isEmpty();
        }
        assertThat(delivered()).isEmpty();
        deliver();
        assertThat(delivered()).containsExactly("one");
    }

    @Test
    void receiverThatDoesNotAnswerDelaysNoOtherWebhook() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        HttpServer slow = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        slow.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        CountDownLatch asked = new CountDownLatch(1);
        slow.createContext("/", exchange -> {
            asked.countDown();
            try {
                answered.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        slow.start();
        try {
            assertThat(put("slow", draft("http://127.0.0.1:" + slow.getAddress().getPort(), SECRET, ""))
                            .statusCode())
                    .isEqualTo(201);
            append("one");
            List<Future<?>> waiting = server.bean(WebhookDelivery.class).deliverAll();
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            create("ci", "");
            append("two");
            deliver();
            append("three");
            deliver();
            assertThat(delivered()).containsExactly("two", "three");
            assertThat(waiting).noneMatch(Future::isDone);
            answered.countDown();
            waiting.forEach(WebhooksIntegrationTests::join);
            assertThat(webhook("slow").path("failures").asInt()).isZero();
        } finally {
            answered.countDown();
            slow.stop(0);
        }
    }

    @Test
    void onlySelectedEventsAreSent() {
        create("ci", ", \"kinds\": [\"drift\"], \"sets\": [\"php\"]");
        append("ruby", "ruby");
        append("php", "php");
        deliver();
        assertThat(delivered()).containsExactly("php");
    }

    @Test
    @ChecklistRow(14)
    void failedDeliveryIsRepeatedAfterAPauseThatGrowsAndLaterEventsWait() {
        create("ci", "");
        append("one");
        append("two");
        status = () -> 503;
        deliver();
        assertThat(webhook("ci").path("problem").asString()).isEqualTo("status 503; expected 200 to 299");
        Duration first = pause();
        makeDue();
        deliver();
        assertThat(webhook("ci").path("failures").asInt()).isEqualTo(2);
        assertThat(pause()).isGreaterThan(first.multipliedBy(3).dividedBy(2));
        status = () -> 200;
        deliver();
        assertThat(delivered()).as("before the pause is over").isEmpty();
        makeDue();
        deliver();
        assertThat(delivered()).containsExactly("one", "two");
        assertThat(webhook("ci").path("failures").asInt()).isZero();
        assertThat(webhook("ci").has("problem")).isFalse();
    }

    private Duration pause() {
        return Duration.ofMillis(database.jdbc()
                .sql("select cast(extract(epoch from due_at - now()) * 1000 as bigint) from webhooks")
                .query(Long.class)
                .single());
    }

    @Test
    @ChecklistRow(14)
    void serverThatDiesBetweenAnswerAndNoteLeavesTheEventToBeSentAgain() {
        create("ci", "");
        append("one");
        Webhooks webhooks = server.bean(Webhooks.class);
        Webhooks.Work dead = webhooks.claim(Duration.ofMinutes(5)).orElseThrow();
        deliver();
        assertThat(delivered()).as("while the claim holds").isEmpty();
        makeDue();
        deliver();
        assertThat(delivered()).containsExactly("one");
        long position = server.bean(EventLog.class)
                .latest(dead.filter(), null, 1)
                .getFirst()
                .id();
        webhooks.end(dead, 0);
        assertThat(database.jdbc()
                        .sql("select position from webhooks")
                        .query(Long.class)
                        .single())
                .as("the dead server's claim is void")
                .isGreaterThanOrEqualTo(position);
    }

    @Test
    void eventThatIsTooOldIsGivenUpAndListed() {
        create("ci", "");
        append("old <b>");
        append("young");
        database.jdbc()
                .sql("update events set at = now() - interval '25 hours' where title like 'old%'")
                .update();
        status = () -> 500;
        deliver();
        status = () -> 204;
        makeDue();
        deliver();
        assertThat(delivered()).containsExactly("young");
        assertThat(webhook("ci").path("undelivered").asInt()).isEqualTo(1);
        assertThat(AdminClient.signIn(server).get("/admin/webhooks").body())
                .contains("old &lt;b&gt;", "status 500; expected 200 to 299")
                .doesNotContain("young");
    }

    @Test
    void receiverThatFailsGetsOneRequestForAllEventsThatAreTooOld() {
        create("ci", "");
        for (int i = 0; i < 25; i++) {
            append("event " + i);
        }
        database.jdbc().sql("update events set at = now() - interval '2 days'").update();
        AtomicInteger requests = new AtomicInteger();
        status = () -> {
            requests.incrementAndGet();
            return 500;
        };
        for (int run = 1; run <= 2; run++) {
            deliver();
            assertThat(requests).hasValue(run);
            assertThat(webhook("ci").path("failures").asInt()).isEqualTo(run);
            assertThat(pause()).isPositive();
            append("old");
            database.jdbc()
                    .sql("update events set at = now() - interval '2 days'")
                    .update();
            makeDue();
        }
        assertThat(webhook("ci").path("undelivered").asInt()).isEqualTo(3);
    }

    @Test
    void eventsThatWereDeletedBeforeTheyWereDeliveredAreListed() {
        create("ci", "");
        append("one");
        append("two");
        database.jdbc()
                .sql("with gone as (delete from events where title = 'one' returning id)"
                        + " update event_horizon set id = (select max(id) from gone) where exists (select from gone)")
                .update();
        deliver();
        assertThat(delivered()).containsExactly("two");
        assertThat(AdminClient.signIn(server).get("/admin/webhooks").body())
                .contains("deleted from the log before the receiver worked");
    }

    @Test
    void listOfWhatWasGivenUpIsBounded() {
        create("ci", "");
        for (int i = 0; i < 8; i++) {
            append("event " + i);
        }
        database.jdbc().sql("update events set at = now() - interval '2 days'").update();
        status = () -> 500;
        deliver();
        assertThat(webhook("ci").path("undelivered").asInt()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "http://10.0.0.1/, 10.0.0.1",
        "http://[::1]/, 0:0:0:0:0:0:0:1",
        "http://169.254.169.254/, 169.254.169.254"
    })
    void privateAddressIsRefusedAndNotConnectedTo(String url, String address) {
        HttpResponse<String> refused = put("ci", draft(url, SECRET, ""));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(Json.of(refused).path("place").asString()).isEqualTo("url");
        assertThat(Json.of(refused).path("detail").asString())
                .isEqualTo("url \"" + url + "...\" leads to the address " + address
                        + ", which is neither public nor in offsetd.webhooks.allowed-networks; expected one of these");

        create("ci", "");
        // The operator permitted the address when the webhook was created.
        database.jdbc().sql("update webhooks set url = :url").param("url", url).update();
        append("one");
        deliver();
        assertThat(webhook("ci").path("problem").asString()).contains(address, "offsetd.webhooks.allowed-networks");
    }

    @Test
    void redirectIsAFailure() {
        create("ci", "");
        append("one");
        status = () -> 302;
        deliver();
        assertThat(webhook("ci").path("problem").asString()).contains("status 302");
        assertThat(deliveries).isEmpty();
    }

    @Test
    void secretIsInNoAnswerPageProblemOrAudit() {
        create("ci", "");
        assertThat(put("ci", draft(url(), SECRET, ", \"sets\": [\"ruby\"]")).statusCode())
                .isEqualTo(204);
        String hidden = SECRET.substring("whsec_".length());
        assertThat(webhook("ci").toString()).doesNotContain(hidden, "secret");
        assertThat(AdminClient.signIn(server).get("/admin/webhooks").body()).doesNotContain(hidden);
        assertThat(put("ci", draft(url(), SECRET + "!", "")).body())
                .contains("secret", "whsec_")
                .doesNotContain(hidden);
        assertThat(database.jdbc()
                        .sql("select coalesce(before::text, '') || coalesce(after::text, '') from audit"
                                + " where action like 'webhook.%'")
                        .query(String.class)
                        .list())
                .hasSizeGreaterThanOrEqualTo(2)
                .noneMatch(entry -> entry.contains(hidden));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|an object",
                "{\"other\": 1}|kinds, secret, sets, url",
                "{\"url\": true, \"secret\": \"SECRET\"}|url is true; expected an http or https URL",
                "{\"secret\": \"SECRET\"}|url is missing; expected an http or https URL",
                "{\"url\": \"ftp://example.org/\", \"secret\": \"SECRET\"}|an http or https URL",
                "{\"url\": \"https://user:pass@example.org/\", \"secret\": \"SECRET\"}|without user name",
                "{\"url\": \"https://example.org/\", \"secret\": \"whsec_c2hvcnQ=\"}|24 to 64 random bytes",
                "{\"url\": \"https://example.org/\"}|24 to 64 random bytes",
                "{\"url\": \"https://example.org/\", \"secret\": \"SECRET\", \"kinds\": [\"x\"]}|build_stored",
                "{\"url\": \"https://example.org/\", \"secret\": \"SECRET\", \"sets\": \"ruby\"}|sets is \\\"ruby\\\"; expected an array of strings",
                "{\"url\": \"https://example.org/\", \"secret\": \"SECRET\", \"sets\": [\"rubby\"]}|expected one of",
            })
    void malformedDraftIsRefusedWithWhatIsExpected(String body, String expected) {
        HttpResponse<String> answer = put("ci", body.replace("SECRET", SECRET));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(expected);
    }

    @Test
    void numberOfWebhooksIsBounded() {
        create("one", "");
        create("two", "");
        HttpResponse<String> third = put("three", draft(url(), SECRET, ""));
        assertThat(third.statusCode()).isEqualTo(409);
        assertThat(third.body()).contains("too_many_webhooks");
        assertThat(put("two", draft(url(), SECRET, "")).statusCode()).isEqualTo(204);
    }

    @Test
    void webhooksAreForAdministratorsOnly() {
        assertThat(server.get("/v1/webhooks").statusCode()).isEqualTo(401);
        assertThat(server.send(
                                "PUT",
                                "/v1/webhooks/ci",
                                BodyPublishers.ofString(draft(url(), SECRET, "")),
                                "Content-Type",
                                "application/json")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void deletedWebhookIsGoneAndASecondDeletionIsNotFound() {
        create("ci", "");
        String[] headers = administrator.authorized();
        assertThat(server.send("DELETE", "/v1/webhooks/ci", BodyPublishers.noBody(), headers)
                        .statusCode())
                .isEqualTo(204);
        assertThat(server.send("DELETE", "/v1/webhooks/ci", BodyPublishers.noBody(), headers)
                        .statusCode())
                .isEqualTo(404);
    }
}
