package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Calls of one server. Repeats a call while the server is busy (429, 503) or restarts behind a load balancer (502, 504), and
 * when the connection breaks. All calls must be idempotent.
 */
public final class ServerCalls implements AutoCloseable {

    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    /** Failed calls in a row before a server that has answered counts as gone. */
    private static final int MAX_FAULTS = 6;

    private final URI server;
    private final Console console;
    private final ServerClient client;
    private final Duration patience;

    /** {@link System#nanoTime()} of the deadline. */
    private long end;

    private boolean answered;

    /**
     * @param server its URL; the API is below its path
     * @param patience time for all calls together
     */
    public ServerCalls(URI server, BearerToken token, Console console, Duration patience) {
        this(server, token, console, patience, ServerClient.MAX_BODY_BYTES);
    }

    /** @param maxBodyBytes limit of a response */
    public ServerCalls(URI server, BearerToken token, Console console, Duration patience, long maxBodyBytes) {
        this.server = server;
        this.console = console;
        this.patience = patience;
        this.end = System.nanoTime() + patience.toNanos();
        this.client = new ServerClient(token, maxBodyBytes);
    }

    public URI uri(String path) {
        String base = server.toString();
        return URI.create((base.endsWith("/") ? base : base + "/") + path);
    }

    /** Restarts the time for the next of several tasks. */
    public void restartTimer() {
        end = System.nanoTime() + patience.toNanos();
    }

    /** The remaining time; zero after the deadline. */
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /**
     * Returns the response.
     *
     * @throws CommandFailure if there is none before the deadline
     */
    public HttpResponse<byte[]> send(HttpRequest request) throws CommandFailure {
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
