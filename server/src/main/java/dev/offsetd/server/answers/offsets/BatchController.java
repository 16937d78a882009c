package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.api.model.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemResponse;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
    private final ExceptionProblems problems;
    private final RateLimits limits;
    private final JsonMapper entities;
    private final ComputePool threads;

    BatchController(
            OffsetsAnswers answers,
            BuildQueries builds,
            BuildKeys keys,
            ExceptionProblems problems,
            RateLimits limits,
            JsonMapper entities,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.answers = answers;
        this.builds = builds;
        this.keys = keys;
        this.problems = problems;
        this.limits = limits;
        this.entities = entities;
        this.threads = threads;
    }

    /**
     * Reply to one query, with the status and headers of the query as a single request.
     *
     * @param buildId in lower case; null if the query names no build
     * @param clientId the client's name for the query; null if it has none
     */
    private record Reply(@Nullable String buildId, @Nullable String clientId, ResponseEntity<?> response) {}

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> post(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Wait wait = Wait.of(request);
        List<JsonNode> queries = queries(request);
        // The request itself is counted already. A batch must cost a caller without a token as much as single requests.
        limits.charge(Caller.of(request), queries.size() - 1);
        List<Reply> replies = ParallelTasks.all(queries.stream()
                .<Supplier<Reply>>map(query -> () -> reply(query, wait, request))
                .toList());
        SpooledBody body = threads.answer(() -> SpooledBody.of(out -> write(replies, representation, out)));
        return new Answer(representation, body, false).response(request);
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

    private Reply reply(JsonNode query, Wait wait, HttpServletRequest request) {
        String id = BatchEntry.buildId(query).orElse(null);
        ResponseEntity<?> response;
        try {
            response = response(BatchEntry.of(query), wait);
        } catch (RuntimeException e) {
            String instance = id == null ? PATH : PATH + "/" + id;
            Problem problem = problems.of(e, "POST", instance);
            response = ResponseEntity.status(problem.status()).body(ProblemResponse.body(problem, instance, request));
        }
        return new Reply(id, BatchEntry.clientId(query).orElse(null), response);
    }

    private ResponseEntity<?> response(BatchEntry entry, Wait wait) {
        BuildRequest build = new BuildRequest(keys.resolve(entry.id()), Part.TYPES, wait, entry.claimedName());
        Optional<Answer> answer = answers.answer(build, entry.query(), ContentCoding.IDENTITY);
        if (answer.isEmpty()) {
            return builds.inProgress(build, Representation.JSON);
        }
        SpooledBody body = answer.get().body();
        return entry.ifNoneMatch() != null && ETag.isAmong(entry.ifNoneMatch(), body.etag())
                ? ResponseEntity.status(HttpStatus.NOT_MODIFIED)
                        .eTag(body.etag())
                        .build()
                : ResponseEntity.ok().eTag(body.etag()).body(body);
    }

    private void write(List<Reply> replies, Representation representation, OutputStream bytes) throws IOException {
        try (JsonGenerator out = representation.generator(bytes)) {
            out.writeStartObject();
            out.writeArrayPropertyStart("answers");
            for (Reply reply : replies) {
                out.writeStartObject();
                out.writeStringProperty("buildId", reply.buildId());
                if (reply.clientId() != null) {
                    out.writeStringProperty("id", reply.clientId());
                }
                write(out, representation, reply.response());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
    }

    private void write(JsonGenerator out, Representation representation, ResponseEntity<?> response)
            throws IOException {
        HttpHeaders headers = response.getHeaders();
        out.writeNumberProperty("status", response.getStatusCode().value());
        if (headers.getETag() != null) {
            out.writeStringProperty("etag", headers.getETag());
        }
        switch (response.getBody()) {
            case SpooledBody answer -> {
                out.writeName("answer");
                copy(out, representation, answer);
            }
            case Build build -> {
                out.writeName("build");
                copy(out, representation, entities.writeValueAsBytes(build));
                out.writeStringProperty("location", headers.getFirst(HttpHeaders.LOCATION));
                out.writeNumberProperty(
                        "retryAfter", Long.parseLong(String.valueOf(headers.getFirst(HttpHeaders.RETRY_AFTER))));
            }
            case byte[] problem -> {
                out.writeName("problem");
                copy(out, representation, problem);
            }
            case null -> {
                // The client has the answer.
            }
            default -> throw new IllegalStateException("no body of an answer: " + response);
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
