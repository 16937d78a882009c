package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;

/**
 * Calls to one server, that are made again while it cannot answer them: it is busy (429, 503), it is being restarted behind a
 * load balancer (502, 504), or the connection breaks. All calls have to be such that twice is as good as once.
 */
public final class ServerCalls implements AutoCloseable {

    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    /** How often a server is called in vain that was there before. */
    private static final int MAX_FAULTS = 6;

    private final URI server;
    private final Console console;
    private final ServerClient client;
    private final Duration patience;

    /** {@link System#nanoTime()} at which time is over. */
    private long end;

    private boolean answered;

    /**
     * @param server its URL; the API is looked for below its path
     * @param patience how long to go on altogether
     */
    public ServerCalls(URI server, BearerToken token, Console console, Duration patience) {
        this.server = server;
        this.console = console;
        this.patience = patience;
        this.end = System.nanoTime() + patience.toNanos();
        this.client = new ServerClient(token);
    }

    /** The URL of something on the server. */
    public URI uri(String path) {
        String base = server.toString();
        return URI.create((base.endsWith("/") ? base : base + "/") + path);
    }

    /** Has the time begin anew, for the next of several things. */
    public void startAnew() {
        end = System.nanoTime() + patience.toNanos();
    }

    /** How much of the time is left; zero if none is. */
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /**
     * The server's answer.
     *
     * @throws CommandFailure if there is none, or it goes on to say that it cannot answer until time is over
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
                reason = Problem.text(response);
                pause = RetryAfter.of(response).orElse(backoff);
                faults = isBusy(response.statusCode()) ? 0 : faults + 1;
            } catch (IOException e) {
                faults++;
                reason = server + ": no answer: " + describe(e);
                if (!answered) {
                    // Nobody was there in the first place: the URL is wrong, or the server is down.
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

    /** Waits for so long, or for what is left of the time. */
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

    /** ConnectException and its like often have no message. */
    static String describe(IOException e) {
        String name = e.getClass().getSimpleName().replace("Exception", "");
        String message = Objects.requireNonNullElse(e.getMessage(), "");
        return message.isBlank() ? name : name + ": " + message;
    }

    @Override
    public void close() {
        client.close();
    }
}
