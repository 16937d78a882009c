package dev.offsetd.server.answers;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.api.model.Build;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Replies to the queries of a batch; each has the status and headers that it would have as a single request. */
@Component
public class BatchReplies {

    private static final int MAX_BODY_BYTES = 1024 * 1024;
    private static final String EXPECTED = "a JSON array of queries, or {\"queries\": [...]}";
    private static final String BUILD_ID = "buildId";
    private static final String ID = "id";
    private static final int MAX_ID_LENGTH = 128;

    private final ExceptionProblems problems;
    private final RateLimits limits;
    private final JsonMapper entities;
    private final ComputePool threads;

    BatchReplies(
            ExceptionProblems problems,
            RateLimits limits,
            JsonMapper entities,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.problems = problems;
        this.limits = limits;
        this.entities = entities;
        this.threads = threads;
    }

    /**
     * Returns the queries in the body of a request, unparsed.
     *
     * @param most limit of their number
     * @throws ProblemException if the client accepts no representation of the replies: 406; if the body is malformed: 400 or 413
     */
    public static List<JsonNode> queries(HttpServletRequest request, int most) throws IOException {
        var _ = Representation.of(request, Representation.STRUCTURED);
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        boolean wrapped = body.isObject() && body.size() == 1;
        JsonNode list = wrapped ? body.path("queries") : body;
        if (!list.isArray() || list.isEmpty()) {
            throw JsonBody.bad(wrapped ? "queries" : "body", list, EXPECTED);
        }
        if (list.size() > most) {
            throw JsonBody.tooLarge("the array has " + list.size() + " queries", most);
        }
        return list.valueStream().toList();
    }

    /** Returns the valid key of a build that an entry names, in lower case. */
    public static Optional<String> buildId(JsonNode query) {
        try {
            return query.path(BUILD_ID)
                    .stringValueOpt()
                    .map(text -> BuildId.parseKey(text).toString());
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /** Returns a query; 400 if it is not an object, or the name that the client gave it is invalid. */
    public static JsonObject query(JsonNode query) {
        if (!query.isObject()) {
            throw JsonBody.bad("query", query, "an object");
        }
        JsonNode id = query.path(ID);
        if (!id.isMissingNode() && clientIdOf(query).isEmpty()) {
            throw JsonBody.bad(ID, id, "a string of at most " + MAX_ID_LENGTH + " characters");
        }
        return JsonBody.object(query);
    }

    /** Returns the name that the client gave the query, if it is valid. */
    private static Optional<String> clientIdOf(JsonNode query) {
        return query.path(ID).stringValueOpt().filter(name -> name.length() <= MAX_ID_LENGTH);
    }

    /**
     * Answers the queries of an admitted request in parallel.
     *
     * @param path of the request, for problems
     * @throws ProblemException if the client accepts no representation of the replies: 406
     */
    public <Q> ResponseEntity<SpooledBody> answer(
            Collection<Q> queries, String path, HttpServletRequest request, Function<Q, Reply> reply) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        // The request itself is counted already; a batch must cost a caller without a token as much as single requests.
        limits.charge(Caller.of(request), queries.size() - 1L);
        List<SpooledBody> held = Collections.synchronizedList(new ArrayList<>());
        try {
            List<Reply> replies = ParallelTasks.all(queries, query -> holding(reply.apply(query), held, path, request));
            SpooledBody body = threads.answer(() -> SpooledBody.of(out -> write(replies, representation, out)));
            return new Answer(representation, body, false).response(request);
        } finally {
            held.forEach(SpooledBody::release);
        }
    }

    /** Returns a reply that waits for the slowest one with its bodies held, or 503 in its place. */
    private Reply holding(Reply reply, List<SpooledBody> held, String path, HttpServletRequest request) {
        try {
            for (SpooledBody body : reply.bodies()) {
                body.hold();
                held.add(body);
            }
            return reply;
        } catch (ProblemException e) {
            return new Reply(reply.buildId(), reply.clientId(), problem(reply.buildId(), e, path, request), null);
        }
    }

    /**
     * Reply to one query.
     *
     * @param buildId in lower case; null if the query names no build
     * @param clientId the client's name for the query; null if it has none
     * @param response its status and headers, with an answer, a build in progress, or a problem
     * @param interim answer beside the build or the problem; null for none
     */
    public record Reply(
            @Nullable String buildId,
            @Nullable String clientId,
            ResponseEntity<?> response,
            @Nullable SpooledBody interim) {

        public Reply(JsonNode query, ResponseEntity<?> response, @Nullable SpooledBody interim) {
            this(BatchReplies.buildId(query).orElse(null), clientIdOf(query).orElse(null), response, interim);
        }

        public Reply(JsonNode query, ResponseEntity<?> response) {
            this(query, response, null);
        }

        private List<SpooledBody> bodies() {
            return Stream.of(Optional.ofNullable(response.getBody()), Optional.ofNullable(interim))
                    .flatMap(Optional::stream)
                    .filter(SpooledBody.class::isInstance)
                    .map(SpooledBody.class::cast)
                    .toList();
        }
    }

    /** Returns the response to a query that cannot be answered. */
    public ResponseEntity<byte[]> problem(
            @Nullable String buildId, RuntimeException e, String path, HttpServletRequest request) {
        String instance = buildId == null ? path : path + "/" + buildId;
        Problem problem = problems.of(e, "POST", instance);
        return ResponseEntity.status(problem.status()).body(ProblemBody.of(problem, instance, request));
    }

    /**
     * Returns the response with a JSON answer.
     *
     * @param ifNoneMatch validators of the answers that the client has; null if it sent none
     */
    public static ResponseEntity<?> answered(Answer answer, @Nullable String ifNoneMatch) {
        String etag = answer.body().etag();
        return ifNoneMatch != null && ETag.isAmong(ifNoneMatch, etag)
                ? ResponseEntity.status(HttpStatus.NOT_MODIFIED).eTag(etag).build()
                : ResponseEntity.ok().eTag(etag).body(answer.body());
    }

    private void write(List<Reply> replies, Representation representation, OutputStream bytes) throws IOException {
        try (Copies out = new Copies(representation, bytes)) {
            JsonGenerator json = out.generator;
            json.writeStartObject();
            json.writeArrayPropertyStart("answers");
            for (Reply reply : replies) {
                json.writeStartObject();
                json.writeStringProperty(BUILD_ID, reply.buildId());
                if (reply.clientId() != null) {
                    json.writeStringProperty(ID, reply.clientId());
                }
                write(out, reply.response());
                if (reply.interim() != null) {
                    out.property("answer", reply.interim().read());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private void write(Copies out, ResponseEntity<?> response) throws IOException {
        JsonGenerator json = out.generator;
        HttpHeaders headers = response.getHeaders();
        json.writeNumberProperty("status", response.getStatusCode().value());
        if (headers.getETag() != null) {
            json.writeStringProperty("etag", headers.getETag());
        }
        switch (response.getBody()) {
            case SpooledBody answer -> out.property("answer", answer.read());
            case Build build -> {
                out.property("build", new ByteArrayInputStream(entities.writeValueAsBytes(build)));
                json.writeStringProperty("location", headers.getFirst(HttpHeaders.LOCATION));
                json.writeNumberProperty(
                        "retryAfter", Long.parseLong(String.valueOf(headers.getFirst(HttpHeaders.RETRY_AFTER))));
            }
            case byte[] problem -> out.property("problem", new ByteArrayInputStream(problem));
            case null -> {
                // The client has the answer.
            }
            default -> throw new IllegalStateException("no body of an answer: " + response);
        }
    }

    /** Writer of a document that contains other documents. */
    private static final class Copies implements AutoCloseable {

        private final OutputStream bytes;
        private final boolean verbatim;
        final JsonGenerator generator;

        Copies(Representation representation, OutputStream bytes) {
            this.bytes = bytes;
            this.verbatim = representation == Representation.JSON;
            this.generator = representation.generator(bytes);
        }

        /** Writes a property whose value is a JSON document: its bytes if the response is JSON, else value by value. */
        void property(String name, InputStream json) throws IOException {
            generator.writeName(name);
            if (verbatim) {
                // Begins the value.
                generator.writeRawValue("");
                generator.flush();
                json.transferTo(bytes);
                return;
            }
            try (JsonParser parser = JsonMapper.shared().createParser(json)) {
                parser.nextToken();
                generator.copyCurrentStructure(parser);
            }
        }

        @Override
        public void close() {
            generator.close();
        }
    }
}
