package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.api.model.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemResponse;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Queries about many builds in one request; each has its own status. */
@RestController
class BatchController {

    private static final String PATH = "/v1/offsets";
    private static final int MAX_QUERIES = 50;
    private static final int MAX_BODY_BYTES = 1024 * 1024;
    private static final String EXPECTED = "a JSON array of queries, or {\"queries\": [...]}";

    private final OffsetsAnswers answers;
    private final BuildQueries builds;
    private final BuildKeys keys;
    private final ClaimedNames names;
    private final ExceptionProblems problems;
    private final RateLimits limits;
    private final JsonMapper entities;
    private final ComputePool threads;

    BatchController(
            OffsetsAnswers answers,
            BuildQueries builds,
            BuildKeys keys,
            ClaimedNames names,
            ExceptionProblems problems,
            RateLimits limits,
            JsonMapper entities,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.answers = answers;
        this.builds = builds;
        this.keys = keys;
        this.names = names;
        this.problems = problems;
        this.limits = limits;
        this.entities = entities;
        this.threads = threads;
    }

    /**
     * Result of one query.
     *
     * @param buildId in lower case, if the query names a build
     * @param clientId the client's name for the query; null if it has none
     */
    private record Reply(Optional<String> buildId, @Nullable String clientId, EntryResult outcome) {}

    private sealed interface EntryResult {}

    private record Answered(Answer answer) implements EntryResult {}

    private record NotModified(String etag) implements EntryResult {}

    private record InProgress(ResponseEntity<Build> response) implements EntryResult {}

    private record Failed(Problem problem) implements EntryResult {}

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    void post(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Wait wait = Wait.of(request);
        List<JsonNode> queries = queries(request);
        // The request itself is counted already. A batch must cost a caller without a token as much as single requests.
        limits.charge(Caller.of(request), queries.size() - 1);
        List<Reply> replies = ParallelTasks.all(queries.stream()
                .<Supplier<Reply>>map(query -> () -> reply(query, wait))
                .toList());
        SpooledBody body = threads.answer(() -> SpooledBody.of(out -> write(replies, representation, request, out)));
        response.setContentType(representation.contentType());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        wait.applied().ifPresent(value -> response.setHeader("Preference-Applied", value));
        response.setContentLengthLong(body.length());
        body.writeTo(response.getOutputStream());
    }

    /** Returns the queries in the body of a request, unparsed. */
    static List<JsonNode> queries(HttpServletRequest request) throws IOException {
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        JsonNode list = body.isObject() && body.size() == 1 ? body.path("queries") : body;
        if (!list.isArray()) {
            throw JsonBody.bad("the body has no array of queries", EXPECTED);
        }
        if (list.isEmpty()) {
            throw JsonBody.bad("the array is empty", EXPECTED);
        }
        if (list.size() > MAX_QUERIES) {
            throw JsonBody.tooLarge("the array has " + list.size() + " queries", MAX_QUERIES);
        }
        return list.valueStream().toList();
    }

    private Reply reply(JsonNode query, Wait wait) {
        Optional<String> id = BatchEntry.buildId(query);
        try {
            BatchEntry entry = BatchEntry.of(query);
            return new Reply(id, BatchEntry.clientId(query).orElse(null), outcome(entry, wait));
        } catch (RuntimeException e) {
            return new Reply(
                    id, BatchEntry.clientId(query).orElse(null), new Failed(problems.of(e, "POST", instance(id))));
        }
    }

    private EntryResult outcome(BatchEntry entry, Wait wait) {
        BuildId id = keys.resolve(entry.id());
        return names.recordedUnlessAnswered(
                        id,
                        entry.claimedName(),
                        () -> answers.answer(id, entry.query(), ContentCoding.IDENTITY, wait.time()))
                .<EntryResult>map(answer ->
                        entry.ifNoneMatch() != null && AnswerResponse.matches(entry.ifNoneMatch(), answer.etag())
                                ? new NotModified(answer.etag())
                                : new Answered(answer))
                .orElseGet(() -> new InProgress(builds.inProgress(id, wait, Representation.JSON)));
    }

    /** Returns the path of the query as a single request. */
    private static String instance(Optional<String> buildId) {
        return Stream.concat(Stream.of(PATH), buildId.stream())
                .reduce((path, id) -> path + "/" + id)
                .orElseThrow();
    }

    private void write(
            List<Reply> replies, Representation representation, HttpServletRequest request, OutputStream bytes)
            throws IOException {
        try (JsonGenerator out = representation.generator(bytes)) {
            out.writeStartObject();
            out.writeArrayPropertyStart("answers");
            for (Reply reply : replies) {
                out.writeStartObject();
                out.writeStringProperty("buildId", reply.buildId().orElse(null));
                if (reply.clientId() != null) {
                    out.writeStringProperty("id", reply.clientId());
                }
                write(out, representation, reply, request);
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
    }

    private void write(JsonGenerator out, Representation representation, Reply reply, HttpServletRequest request)
            throws IOException {
        switch (reply.outcome()) {
            case Answered(Answer answer) -> {
                out.writeNumberProperty("status", HttpStatus.OK.value());
                out.writeStringProperty("etag", answer.etag());
                out.writeName("answer");
                copy(out, representation, answer.body());
            }
            case NotModified(String etag) -> {
                out.writeNumberProperty("status", HttpStatus.NOT_MODIFIED.value());
                out.writeStringProperty("etag", etag);
            }
            case InProgress(ResponseEntity<Build> response) -> {
                HttpHeaders headers = response.getHeaders();
                out.writeNumberProperty("status", HttpStatus.ACCEPTED.value());
                out.writeName("build");
                copy(out, representation, entities.writeValueAsBytes(response.getBody()));
                out.writeStringProperty("location", headers.getFirst(HttpHeaders.LOCATION));
                out.writeNumberProperty(
                        "retryAfter", Long.parseLong(String.valueOf(headers.getFirst(HttpHeaders.RETRY_AFTER))));
            }
            case Failed(Problem problem) -> {
                out.writeNumberProperty("status", problem.status().value());
                out.writeName("problem");
                copy(out, representation, ProblemResponse.body(problem, instance(reply.buildId()), request));
            }
        }
    }

    /** Copies a JSON answer: verbatim if it is in memory and the response is JSON, else value by value. */
    private static void copy(JsonGenerator out, Representation representation, SpooledBody json) throws IOException {
        try (InputStream in = json.read()) {
            if (json.isInMemory()) {
                copy(out, representation, in.readAllBytes());
                return;
            }
            try (JsonParser parser = JsonMapper.shared().createParser(in)) {
                parser.nextToken();
                out.copyCurrentStructure(parser);
            }
        }
    }

    /** Copies a JSON value. */
    private static void copy(JsonGenerator out, Representation representation, byte[] json) {
        if (representation == Representation.JSON) {
            out.writeRawValue(new String(json, StandardCharsets.UTF_8));
            return;
        }
        try (JsonParser parser = JsonMapper.shared().createParser(json)) {
            parser.nextToken();
            out.copyCurrentStructure(parser);
        }
    }
}
