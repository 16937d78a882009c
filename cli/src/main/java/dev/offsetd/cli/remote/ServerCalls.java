package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * Calls of one server. Repeats a call while the server is busy (429, 503) or restarts behind a load balancer (502, 504), and
 * when the connection breaks. All calls must be idempotent.
 */
public final class ServerCalls implements AutoCloseable {

    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    private static final long MAX_WAIT_SECONDS = 30;

    /** Time for one call, unless its request has another; more than the server waits for a build. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);

    /** Failed calls in a row before a server that has answered counts as gone. */
    private static final int MAX_FAULTS = 6;

    private final URI server;
    private final Console console;
    private final ServerClient client;
    private final Duration maxWait;

    /** {@link System#nanoTime()} of the deadline. */
    private long end;

    private boolean answered;

    /**
     * @param server its URL; the API is below its path
     * @param maxWait time for all calls together
     */
    public ServerCalls(URI server, BearerToken token, Console console, Duration maxWait) {
        this(server, token, console, maxWait, ServerClient.MAX_BODY_BYTES);
    }

    /** @param maxBodyBytes limit of a response */
    public ServerCalls(URI server, BearerToken token, Console console, Duration maxWait, long maxBodyBytes) {
        this.server = server;
        this.console = console;
        this.maxWait = maxWait;
        this.end = System.nanoTime() + maxWait.toNanos();
        this.client = new ServerClient(token, maxBodyBytes);
    }

    /** Returns the text as a query has it. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    public URI uri(String path) {
        String base = server.toString();
        return URI.create((base.endsWith("/") ? base : base + "/") + path);
    }

    /** Restarts the time for the next of several tasks. */
    public void restartTimer() {
        end = System.nanoTime() + maxWait.toNanos();
    }

    /** The remaining time; zero after the deadline. */
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Starts a request for JSON. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(CALL_TIMEOUT).header("Accept", "application/json");
    }

    /** Starts a request that posts JSON. */
    public HttpRequest.Builder request(String path, String json) {
        return request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json, StandardCharsets.UTF_8));
    }

    /**
     * Returns the response to a request for JSON.
     *
     * @throws CommandFailure if there is none before the deadline
     */
    public HttpResponse<byte[]> get(String path) throws CommandFailure {
        return send(request(path).build());
    }

    /** Returns the JSON of a response; a missing node if it has none. */
    public static JsonNode json(HttpResponse<byte[]> response) {
        try {
            // From bytes, the parser would guess the encoding.
            return JsonMapper.shared().readTree(new String(response.body(), StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }

    /**
     * Returns the response.
     *
     * @throws CommandFailure if there is none before the deadline
     */
    public HttpResponse<byte[]> send(HttpRequest request) throws CommandFailure {
        return send(request, ChronoUnit.FOREVER.getDuration());
    }

    /**
     * Returns the response, also a 503 that asks for a longer pause than this.
     *
     * @throws CommandFailure if there is none before the deadline
     */
    public HttpResponse<byte[]> send(HttpRequest request, Duration maxPause) throws CommandFailure {
        Duration backoff = Duration.ofSeconds(1);
        int faults = 0;
        while (true) {
            String reason;
            Duration pause = backoff;
            try {
                HttpResponse<byte[]> response = client.send(request);
                answered = true;
                if (!isPassing(response.statusCode())) {
                    return response;
                }
                reason = ServerProblem.text(response);
                pause = RetryAfter.of(response).orElse(backoff);
                if (response.statusCode() == 503 && pause.compareTo(maxPause) > 0) {
                    return response;
                }
                faults = isBusy(response.statusCode()) ? 0 : faults + 1;
            } catch (IOException e) {
                faults++;
                reason = ConnectionFailure.describe(e, server);
                if (!answered) {
                    // It never answered: the URL is wrong, or the server is down.
                    throw new CommandFailure(ExitCode.SERVER_FAILED, reason);
                }
            } catch (InterruptedException e) {
                throw interrupted();
            }
            if (faults >= MAX_FAULTS || pause.compareTo(timeLeft()) >= 0) {
                throw new CommandFailure(ExitCode.SERVER_FAILED, reason);
            }
            console.progress("trying again in " + Math.max(1, pause.toSeconds()) + " s: " + reason);
            pause(pause);
            backoff = backoff.multipliedBy(2).compareTo(MAX_PAUSE) < 0 ? backoff.multipliedBy(2) : MAX_PAUSE;
        }
    }

    /** Returns the preference that the server waits for a build (RFC 7240): for the remaining time, up to 30 seconds. */
    public String waitPreference() {
        return "wait=" + Math.min(MAX_WAIT_SECONDS, timeLeft().toSeconds());
    }

    /** Sleeps for this time, or for the remaining time if that is shorter. */
    public void pause(Duration pause) throws CommandFailure {
        Duration left = timeLeft();
        try {
            Thread.sleep(pause.compareTo(left) < 0 ? pause : left);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static boolean isPassing(int status) {
        return isBusy(status) || status == 502 || status == 504;
    }

    private static boolean isBusy(int status) {
        return status == 429 || status == 503;
    }

    private CommandFailure interrupted() {
        Thread.currentThread().interrupt();
        return new CommandFailure(ExitCode.SERVER_FAILED, "interrupted while waiting for " + server);
    }

    @Override
    public void close() {
        client.close();
    }
}
