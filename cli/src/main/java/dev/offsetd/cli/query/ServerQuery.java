package dev.offsetd.cli.query;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ConnectionFailure;
import dev.offsetd.cli.remote.RetryAfter;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerClient;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.cli.terminal.TextTable;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi.Style;
import tools.jackson.databind.JsonNode;

/** Prints a server's answer. */
final class ServerQuery {

    /** The longest {@code Prefer: wait} that the API accepts. */
    private static final long MAX_WAIT_SECONDS = 30;

    /** The longest pause between two requests; overrides {@code Retry-After}, because the build may be ready sooner. */
    private static final long MAX_PAUSE_SECONDS = 10;

    private final Console console;
    private final BearerToken token;

    ServerQuery(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /** Prints an answer that is text: C, YAML or expressions for probes. */
    int runForText(OffsetsRequest request, Duration maxWait) throws CommandFailure, IOException {
        HttpResponse<byte[]> response;
        try (ServerClient client = new ServerClient(token)) {
            response = answerTo(client, request, maxWait);
        }
        console.clearProgress();
        if (response.statusCode() != 200) {
            throw ServerProblem.of(response);
        }
        List<String> lines =
                new String(response.body(), StandardCharsets.UTF_8).lines().toList();
        for (String line : lines) {
            console.println(Printable.of(line));
        }
        // The server says so in a comment, by which languages differ.
        return lines.stream().anyMatch(line -> line.startsWith("# incomplete") || line.startsWith("/* incomplete"))
                ? ExitCode.INCOMPLETE
                : ExitCode.OK;
    }

    /**
     * Repeats the request while the server answers 202.
     *
     * @param maxWait how long to repeat it
     * @param asJson whether to print the server's bytes unchanged
     */
    int run(OffsetsRequest request, Duration maxWait, boolean asJson) throws CommandFailure, IOException {
        try (ServerClient client = new ServerClient(token)) {
            return run(client, request, maxWait, asJson);
        }
    }

    private int run(ServerClient client, OffsetsRequest request, Duration maxWait, boolean asJson)
            throws CommandFailure, IOException {
        HttpResponse<byte[]> response = answerTo(client, request, maxWait);
        console.clearProgress();
        if (response.statusCode() != 200) {
            throw ServerProblem.of(response);
        }
        String body = new String(response.body(), StandardCharsets.UTF_8);
        JsonNode answer = ServerCalls.json(response);
        if (!answer.path("offsets").isObject()) {
            throw ServerProblem.of(response);
        }
        if (asJson) {
            console.println(body.stripTrailing());
        } else {
            Optional<String> title = title(client, request);
            if (title.isPresent()) {
                console.println(console.styled(Style.bold, Printable.of(title.get())));
                console.println("");
            }
            AnswerTable.print(console, answer);
        }
        return answer.path("complete").asBoolean(false) ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** Returns name, architecture and short build-id; empty if the server does not know what the build is called. */
    private Optional<String> title(ServerClient client, OffsetsRequest request) {
        try {
            HttpResponse<byte[]> response = client.send(request.toBuild());
            JsonNode build = ServerCalls.json(response);
            String name = build.path("identity").path("title").asString("");
            String machine = build.path("arch").path("machine").asString("");
            return name.isEmpty() || response.statusCode() != 200
                    ? Optional.empty()
                    : Optional.of(name + (machine.isEmpty() ? "" : ", " + machine) + " ("
                            + TextTable.shortId(request.buildId().toString()) + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException e) {
            // The answer is complete without it.
            return Optional.empty();
        }
    }

    private HttpResponse<byte[]> answerTo(ServerClient client, OffsetsRequest request, Duration maxWait)
            throws CommandFailure {
        long end = System.nanoTime() + maxWait.toNanos();
        try {
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
                            "the server is still reading build " + request.buildId() + " after " + maxWait.toSeconds()
                                    + " s; try again later, or with a longer --wait");
                }
                console.progress(progress(response));
                Thread.sleep(Duration.ofSeconds(pause));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.SERVER_FAILED, "interrupted while waiting for " + request.server());
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.SERVER_FAILED, ConnectionFailure.describe(e, request.server()));
        }
    }

    /** Returns what a 202 says of the work. */
    private static String progress(HttpResponse<byte[]> accepted) {
        JsonNode progress = ServerCalls.json(accepted).path("progress");
        if (progress.path("phase").asString("").equals("extracting")) {
            return "the server is reading the build's debug file";
        }
        long bytes = progress.path("bytes").asLong(0);
        long total = progress.path("totalBytes").asLong(0);
        return "the server is fetching the build's debug file"
                + (bytes > 0 && total > 0 ? ": " + ByteProgress.describe(bytes, total) : "")
                + (progress.has("secondsLeft")
                        ? ByteProgress.left(progress.path("secondsLeft").asLong(0))
                        : "");
    }

    private static long secondsUntil(long nanoTime) {
        return Math.ceilDiv(nanoTime - System.nanoTime(), 1_000_000_000L);
    }

    private static long pauseSeconds(HttpResponse<?> response) {
        return Math.clamp(RetryAfter.of(response).map(Duration::toSeconds).orElse(1L), 1, MAX_PAUSE_SECONDS);
    }
}
