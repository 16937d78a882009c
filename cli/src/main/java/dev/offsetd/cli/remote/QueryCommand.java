package dev.offsetd.cli.remote;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code query URL BUILDID ITEMS}: prints a server's answer. */
public final class QueryCommand {

    /** The longest {@code Prefer: wait} that the API accepts. */
    private static final long MAX_WAIT_SECONDS = 30;

    /** The longest pause between two requests; overrides {@code Retry-After}, because the build may be ready sooner. */
    private static final long MAX_PAUSE_SECONDS = 10;

    private final Console console;
    private final BearerToken token;

    public QueryCommand(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /**
     * Repeats the request while the server answers 202.
     *
     * @param patience how long to repeat it
     * @param asJson whether to print the server's bytes unchanged
     */
    public int run(OffsetsRequest request, Duration patience, boolean asJson) throws CommandFailure, IOException {
        HttpResponse<byte[]> response = answerTo(request, patience);
        console.clearProgress();
        if (response.statusCode() != 200) {
            throw ServerProblem.of(response);
        }
        String body = new String(response.body(), StandardCharsets.UTF_8);
        JsonNode answer;
        try {
            answer = JsonMapper.shared().readTree(body);
        } catch (JacksonException e) {
            throw ServerProblem.of(response);
        }
        if (!answer.path("offsets").isObject()) {
            throw ServerProblem.of(response);
        }
        if (asJson) {
            console.println(body.stripTrailing());
        } else {
            AnswerTable.print(console, answer);
        }
        return answer.path("complete").asBoolean(false) ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private HttpResponse<byte[]> answerTo(OffsetsRequest request, Duration patience) throws CommandFailure {
        long end = System.nanoTime() + patience.toNanos();
        try (ServerClient client = new ServerClient(token)) {
            while (true) {
                long wait = Math.clamp(secondsUntil(end), 0, MAX_WAIT_SECONDS);
                console.progress("querying " + request.server());
                HttpResponse<byte[]> response = client.send(request.toHttp(wait));
                if (response.statusCode() != 202) {
                    return response;
                }
                long pause = Math.min(pauseSeconds(response), secondsUntil(end));
                if (pause <= 0) {
                    throw new CommandFailure(
                            ExitCode.SERVER_FAILED,
                            "the server is still reading build " + request.buildId() + " after " + patience.toSeconds()
                                    + " s; try again later, or with a longer --wait");
                }
                console.progress("the server is fetching the build's debug file");
                Thread.sleep(Duration.ofSeconds(pause));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.SERVER_FAILED, "interrupted while waiting for " + request.server());
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.SERVER_FAILED, ConnectionFailure.describe(e, request.server()));
        }
    }

    private static long secondsUntil(long nanoTime) {
        return Math.ceilDiv(nanoTime - System.nanoTime(), 1_000_000_000L);
    }

    private static long pauseSeconds(HttpResponse<?> response) {
        return Math.clamp(RetryAfter.of(response).map(Duration::toSeconds).orElse(1L), 1, MAX_PAUSE_SECONDS);
    }
}
