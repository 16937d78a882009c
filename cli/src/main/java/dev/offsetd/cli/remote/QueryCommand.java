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

/** {@code query URL BUILDID ITEMS}: what a server answers. */
public final class QueryCommand {

    /** The longest {@code Prefer: wait} that the API takes. */
    private static final long MAX_WAIT_SECONDS = 30;

    /** The longest pause between two requests, whatever {@code Retry-After} says: the build may be ready sooner. */
    private static final long MAX_PAUSE_SECONDS = 10;

    private final Console console;
    private final BearerToken token;

    public QueryCommand(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /**
     * Asks, and as long as the server is still at work asks again.
     *
     * @param patience how long to go on while the server says 202
     * @param asJson whether to print the server's bytes as they are
     */
    public int run(OffsetsQuestion question, Duration patience, boolean asJson) throws CommandFailure, IOException {
        HttpResponse<byte[]> response = answerTo(question, patience);
        console.clearProgress();
        if (response.statusCode() != 200) {
            throw Problem.of(response);
        }
        String body = new String(response.body(), StandardCharsets.UTF_8);
        JsonNode answer;
        try {
            answer = JsonMapper.shared().readTree(body);
        } catch (JacksonException e) {
            throw Problem.of(response);
        }
        if (!answer.path("offsets").isObject()) {
            throw Problem.of(response);
        }
        if (asJson) {
            console.println(body.stripTrailing());
        } else {
            AnswerTable.print(console, answer);
        }
        return answer.path("complete").asBoolean(false) ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private HttpResponse<byte[]> answerTo(OffsetsQuestion question, Duration patience) throws CommandFailure {
        long end = System.nanoTime() + patience.toNanos();
        try (ServerClient client = new ServerClient(token)) {
            while (true) {
                long wait = Math.clamp(secondsUntil(end), 0, MAX_WAIT_SECONDS);
                console.progress("asking " + question.server());
                HttpResponse<byte[]> response = client.send(question.toHttp(wait));
                if (response.statusCode() != 202) {
                    return response;
                }
                long pause = Math.min(pauseSeconds(response), secondsUntil(end));
                if (pause <= 0) {
                    throw new CommandFailure(
                            ExitCode.SERVER_FAILED,
                            "the server is still reading build " + question.buildId() + " after " + patience.toSeconds()
                                    + " s; ask again later, or with a longer --wait");
                }
                console.progress("the server is getting the build's debug file");
                Thread.sleep(Duration.ofSeconds(pause));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.SERVER_FAILED, "interrupted while waiting for " + question.server());
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, question.server() + ": no answer: " + ServerCalls.describe(e));
        }
    }

    private static long secondsUntil(long nanoTime) {
        return Math.ceilDiv(nanoTime - System.nanoTime(), 1_000_000_000L);
    }

    private static long pauseSeconds(HttpResponse<?> response) {
        return Math.clamp(RetryAfter.of(response).map(Duration::toSeconds).orElse(1L), 1, MAX_PAUSE_SECONDS);
    }
}
