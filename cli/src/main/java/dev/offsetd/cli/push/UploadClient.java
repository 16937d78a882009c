package dev.offsetd.cli.push;

import dev.offsetd.cli.push.PushResult.Status;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import java.net.HttpURLConnection;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import tools.jackson.databind.JsonNode;

/** Client of {@code /v1/builds/{buildId}/debuginfo} and {@code executable}. */
final class UploadClient {

    /** Includes the server's reading of the file; a slow line takes two hours for 4 GB. */
    private static final Duration UPLOAD_TIMEOUT = Duration.ofHours(3);

    private static final Duration IN_PROGRESS_PAUSE = Duration.ofSeconds(2);

    /** Longest time until the next check that one file is worth: the others wait meanwhile. */
    private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(1);

    /** Pauses and their number for a queued build. A file is sent rather than waiting longer for its turn. */
    private static final Duration QUEUED_PAUSE = Duration.ofMillis(500);

    private static final int QUEUED_PAUSES = 20;

    /** Longest path that is sent, in characters: a request line has a limit. */
    private static final int MAX_PLACE = 500;

    /** Reason of the server that knows different programs with this key. */
    static final String NOT_UNIQUE = "build_id_not_unique";

    /** The reason that says no more than {@link Status#ALREADY_THERE}. */
    static final String SAME_FILE = "same_file";

    private final ServerCalls calls;

    UploadClient(ServerCalls calls) {
        this.calls = calls;
    }

    /**
     * The server's answer to a precheck or an upload.
     *
     * @param status {@link Status#TAKEN} of a precheck means that the server would accept the file
     * @param reason machine-readable; may be empty
     * @param detail the reason as text
     */
    record UploadResult(Status status, String reason, String detail) {}

    /**
     * Asks whether to send a file. The server first queries its sources for a build that it does not know. Repeats the call
     * while the server works on the build, unless it asks for a long pause.
     *
     * @param sha256 of the file, in hex
     */
    UploadResult precheck(BuildId buildId, String sha256, long bytes) throws CommandFailure {
        boolean queried = false;
        int pauses = 0;
        while (true) {
            HttpResponse<byte[]> response = calls.get(path(buildId) + "/precheck?sha256=" + sha256 + "&size=" + bytes);
            JsonNode advice = ServerCalls.json(response);
            if (response.statusCode() != 200) {
                return refused(response, advice);
            }
            String reason = advice.path("reason").asString("");
            String detail = advice.path("detail").asString("");
            if (reason.isEmpty() || !advice.path("upload").isBoolean()) {
                throw new CommandFailure(
                        ExitCode.SERVER_FAILED, "the server answered 200 without advice; expected upload and reason");
            }
            Duration retryAfter = Duration.ofSeconds(advice.path("retryAfter").asLong(0));
            if (reason.equals("under_way")
                    && retryAfter.compareTo(MAX_RETRY_AFTER) <= 0
                    && !calls.timeLeft().isZero()) {
                calls.pause(IN_PROGRESS_PAUSE);
                continue;
            }
            if (reason.equals("unknown_build") && !queried) {
                // The next advice says whether a source has the build; a server that cannot query them changes nothing.
                HttpResponse<byte[]> retry = calls.send(calls.request("v1/builds/" + buildId + "/retry")
                        .POST(BodyPublishers.noBody())
                        .build());
                pauses = retry.statusCode() == HttpURLConnection.HTTP_ACCEPTED ? QUEUED_PAUSES : 0;
                queried = true;
                continue;
            }
            if (reason.equals("unknown_build")
                    && pauses-- > 0
                    && !calls.timeLeft().isZero()) {
                calls.pause(QUEUED_PAUSE);
                continue;
            }
            Status status = advice.path("upload").asBoolean() ? Status.TAKEN : withoutUpload(reason);
            return new UploadResult(status, reason, detail);
        }
    }

    /**
     * Sends a file.
     *
     * @param place path of the file, which names the build
     * @param sha256 of the body, in hex
     */
    UploadResult send(BuildId buildId, String place, String sha256, BodyPublisher body) throws CommandFailure {
        HttpResponse<byte[]> response = put(path(buildId) + named(place), sha256, body);
        JsonNode answer = ServerCalls.json(response);
        return switch (response.statusCode()) {
            case 201 -> new UploadResult(Status.TAKEN, "", "");
            case 200 ->
                answer.path("result").asString("").equals("replaced")
                        ? new UploadResult(Status.REPLACED, "", "")
                        : new UploadResult(Status.ALREADY_THERE, SAME_FILE, "the server already has this file");
            case 409 -> {
                String reason = answer.path("reason").asString("");
                yield reason.isEmpty()
                        ? refused(response, answer)
                        : new UploadResult(
                                withoutUpload(reason),
                                reason,
                                answer.path("detail").asString(""));
            }
            default -> refused(response, answer);
        };
    }

    /**
     * Sends an executable.
     *
     * @param place path of the file, which names the build
     * @param sha256 of the body, in hex
     */
    UploadResult sendExecutable(BuildId key, String place, String sha256, BodyPublisher body) throws CommandFailure {
        HttpResponse<byte[]> response = put("v1/builds/" + key + "/executable" + named(place), sha256, body);
        JsonNode answer = ServerCalls.json(response);
        return response.statusCode() == 200
                ? new UploadResult(
                        Status.TAKEN,
                        "executable",
                        answer.path("layouts").asBoolean()
                                ? "an executable; the build has layouts"
                                : "an executable; the build has no layouts, because no debug file is known")
                : refused(response, answer);
    }

    /** Returns where the answers of a build come from: the URL or folder of a source, or an upload; empty if unknown. */
    String source(BuildId key) throws CommandFailure {
        JsonNode provenance = ServerCalls.json(calls.get("v1/builds/" + key)).path("provenance");
        String label = provenance.path("token").path("label").asString("");
        return provenance.path("upstream").asString("") + (label.isEmpty() ? "" : " of " + label);
    }

    /** Returns the result for a problem of one file; the other files are sent. */
    private static UploadResult refused(HttpResponse<byte[]> response, JsonNode answer) throws CommandFailure {
        return switch (response.statusCode()) {
            // A busy server that asks for a long pause: one that ended while it read a file of this build.
            case 409, 413, 415, 422, 503 ->
                new UploadResult(
                        Status.REFUSED,
                        answer.path("code").asString(""),
                        answer.path("detail").asString(""));
            default -> throw ServerProblem.of(response);
        };
    }

    private HttpResponse<byte[]> put(String path, String sha256, BodyPublisher body) throws CommandFailure {
        HttpRequest request = calls.request(path)
                .timeout(UPLOAD_TIMEOUT)
                .header("Content-Type", "application/octet-stream")
                // RFC 9530 §2
                .header(
                        "Content-Digest",
                        "sha-256=:"
                                + Base64.getEncoder()
                                        .encodeToString(HexFormat.of().parseHex(sha256))
                                + ":")
                .PUT(body)
                .build();
        return calls.send(request, MAX_RETRY_AFTER);
    }

    /** Maps a refusal. Another user's upload counts as refused, because this client cannot judge it. */
    private static Status withoutUpload(String reason) {
        return switch (reason) {
            case SAME_FILE, "upstream_has_it", "local_folder_has_it", "not_richer", "only_claimed" ->
                Status.ALREADY_THERE;
            default -> Status.REFUSED;
        };
    }

    private static String named(String place) {
        return place.length() > MAX_PLACE ? "" : "?name=" + ServerCalls.encoded(place);
    }

    private static String path(BuildId buildId) {
        return "v1/builds/" + buildId + "/debuginfo";
    }
}
