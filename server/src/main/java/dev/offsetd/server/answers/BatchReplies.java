package dev.offsetd.server.answers;

import dev.offsetd.server.api.model.Build;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemResponse;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.json.JsonMapper;

/** Replies to the queries of a batch, each with the status that it would have had alone. */
@Component
public class BatchReplies {

    private final ExceptionProblems problems;
    private final JsonMapper entities;
    private final ComputePool threads;

    BatchReplies(ExceptionProblems problems, JsonMapper entities, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.problems = problems;
        this.entities = entities;
        this.threads = threads;
    }

    /**
     * Reply to one query, with the status and headers of the query as a single request.
     *
     * @param buildId in lower case; null if the query names no build
     * @param clientId the client's name for the query; null if it has none
     */
    public record Reply(@Nullable String buildId, @Nullable String clientId, ResponseEntity<?> response) {}

    /**
     * Returns the reply to a query that failed.
     *
     * @param path of the batch
     */
    public ResponseEntity<?> failed(
            RuntimeException failure, @Nullable String buildId, String path, HttpServletRequest request) {
        String instance = buildId == null ? path : path + "/" + buildId;
        Problem problem = problems.of(failure, "POST", instance);
        return ResponseEntity.status(problem.status()).body(ProblemResponse.body(problem, instance, request));
    }

    /**
     * Returns the reply with a JSON answer.
     *
     * @param ifNoneMatch validators of the answers that the client has; null if it sent none
     */
    public static ResponseEntity<?> answered(Answer answer, @Nullable String ifNoneMatch) {
        String etag = answer.body().etag();
        return ifNoneMatch != null && ETag.isAmong(ifNoneMatch, etag)
                ? ResponseEntity.status(HttpStatus.NOT_MODIFIED).eTag(etag).build()
                : ResponseEntity.ok().eTag(etag).body(answer.body());
    }

    /** Returns the response of a batch. */
    public ResponseEntity<SpooledBody> response(
            List<Reply> replies, Representation representation, HttpServletRequest request) {
        SpooledBody body = threads.answer(() -> SpooledBody.of(out -> write(replies, representation, out)));
        return new Answer(representation, body, false).response(request);
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
