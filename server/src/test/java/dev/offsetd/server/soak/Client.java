package dev.offsetd.server.soak;

import dev.offsetd.server.testkit.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAccumulator;
import tools.jackson.core.JacksonException;

/** A client of all servers that knows which failures are expected while processes are killed. */
final class Client {

    /** Longer than any wait that a request specifies, and than the server's own time limits. */
    private static final Duration TIMEOUT = Duration.ofSeconds(40);

    /** Operation that requests a build no upstream has. */
    static final String MISS = "miss";

    /** Start of the operations of {@link Attack}, which servers may refuse or delay. */
    static final String HOSTILE = "hostile ";

    /** Operations on builds that are stored. */
    private static final Set<String> STORED = Set.of("cached", "batch", "symbols", "resolve", "diff", "types");

    /** Longest time that they may take, unless a process was killed shortly before or during the request. */
    private static final Duration STORED_LIMIT = Duration.ofSeconds(1);

    private static final Duration AFTER_KILL = Duration.ofSeconds(15);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Cluster cluster;
    private final Tally tally;
    private final Failures failures;
    private final LongAccumulator slowest = new LongAccumulator(Math::max, 0);
    private volatile String token = "";

    Client(Cluster cluster, Tally tally, Failures failures) {
        this.cluster = cluster;
        this.tally = tally;
        this.failures = failures;
    }

    /** Sets the token of all further requests. */
    void useToken(String text) {
        token = text;
    }

    Optional<HttpResponse<String>> get(String operation, Server server, String path) throws InterruptedException {
        return send(operation, server, "GET", path, BodyPublishers.noBody());
    }

    /**
     * Sends a request.
     *
     * @return the response, or empty if the request failed and the failure was expected or has been reported
     */
    Optional<HttpResponse<String>> send(
            String operation, Server server, String method, String path, HttpRequest.BodyPublisher body)
            throws InterruptedException {
        return send(operation, server, method, path, body, token);
    }

    /** Sends a request with another token. */
    Optional<HttpResponse<String>> send(
            String operation,
            Server server,
            String method,
            String path,
            HttpRequest.BodyPublisher body,
            String authorization)
            throws InterruptedException {
        long began = System.nanoTime();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + authorization)
                .header("Content-Type", path.endsWith("/debuginfo") ? "application/octet-stream" : "application/json")
                .header("Prefer", "wait=5")
                .method(method, body)
                .build();
        HttpResponse<String> response;
        try {
            response = http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            tally.add(operation, "connection lost", System.nanoTime() - began);
            checkTime(operation, server, path, began);
            if (!server.part().excuses(began)) {
                failures.add(operation + ": " + method + " " + path + " of "
                        + server.part().name() + ": " + e);
            }
            return Optional.empty();
        }
        String code = code(response);
        tally.add(operation, (response.statusCode() + " " + code).strip(), System.nanoTime() - began);
        checkTime(operation, server, path, began);
        if (response.statusCode() < 500 && response.statusCode() != 429) {
            return Optional.of(response);
        }
        boolean sourceFailed = response.statusCode() == 502 || response.statusCode() == 504;
        // A build is known to be missing only if every source answers, and any source may be failing.
        boolean unknown = (operation.equals(MISS) || operation.startsWith(HOSTILE)) && sourceFailed;
        boolean refused = operation.startsWith(HOSTILE) && response.statusCode() == 503;
        if (!unknown && !refused && !isExpected(response.statusCode(), code, server, began)) {
            failures.add("%s: %s %s of %s is %d: %s"
                    .formatted(operation, method, path, server.part().name(), response.statusCode(), response.body()));
        }
        if (response.statusCode() == 503
                && response.headers().firstValue("Retry-After").isEmpty()) {
            failures.add("%s: %s %s is 503 without Retry-After".formatted(operation, method, path));
        }
        return Optional.empty();
    }

    private void checkTime(String operation, Server server, String path, long began) {
        long nanos = System.nanoTime() - began;
        if (!STORED.contains(operation)
                || cluster.wasKilledSince(began - AFTER_KILL.toNanos())
                || server.part().excuses(began)) {
            return;
        }
        slowest.accumulate(nanos);
        if (nanos > STORED_LIMIT.toNanos()) {
            failures.add("%s: %s of %s took %.1f s"
                    .formatted(operation, path, server.part().name(), nanos / 1e9));
        }
    }

    /** Returns the longest time of a request of a stored build of which no kill is the reason. */
    Duration slowestStored() {
        return Duration.ofNanos(slowest.get());
    }

    private static String code(HttpResponse<String> response) {
        if (response.statusCode() < 400) {
            return "";
        }
        try {
            return Json.of(response).path("code").asString("");
        } catch (JacksonException e) {
            return "without a problem";
        }
    }

    /** Returns whether a failure inside a response, such as that of one query of a batch, is expected. */
    boolean isExpected(int status, String code, Server server, long began) {
        return switch (status) {
            case 429 -> true;
            case 502, 504 -> cluster.upstream().excuses(began);
            case 503 ->
                switch (code) {
                    case "busy" -> true;
                    case "database_unavailable" -> cluster.database().excuses(began);
                    case "store_unreachable" ->
                        cluster.objects().filter(store -> store.excuses(began)).isPresent();
                    default -> server.part().excuses(began);
                };
            default -> false;
        };
    }
}
