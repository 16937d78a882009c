package dev.offsetd.server.offsets;

import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.builds.BuildResource;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.extraction.BusyException;
import dev.offsetd.server.extraction.DrainingException;
import dev.offsetd.server.extraction.Extractions;
import dev.offsetd.server.extraction.Standing;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The main job over HTTP. */
@RestController
class OffsetsController {

    private static final Logger log = LoggerFactory.getLogger(OffsetsController.class);

    static final String VARY = "Accept, Accept-Encoding";

    private static final String COMPLETE = "public, max-age=60, stale-while-revalidate=300";
    private static final String SHORT_LIVED = "public, max-age=10";
    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final Duration UNDER_WAY_RETRY_AFTER = Duration.ofSeconds(2);
    private static final String PREFER = "Prefer";
    private static final String PREFERENCE_APPLIED = "Preference-Applied";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Extractions extractions;
    private final Builds builds;
    private final Answers answers;
    private final Demand demand;

    OffsetsController(Extractions extractions, Builds builds, Answers answers, Demand demand) {
        this.extractions = extractions;
        this.builds = builds;
        this.answers = answers;
        this.demand = demand;
    }

    @GetMapping(path = "/v1/offsets/{buildId}", produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = BuildIdText.parse(buildId);
        Question question = Question.ofQuery(request.getQueryString());
        return answer(id, question, request, true);
    }

    @PostMapping(
            path = "/v1/offsets/{buildId}",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        BuildId id = BuildIdText.parse(buildId);
        byte[] body = request.getInputStream().readNBytes(MAX_BODY_BYTES + 1);
        Question question = Question.ofItems(items(body), request.getQueryString());
        return answer(id, question, request, false);
    }

    private ResponseEntity<?> answer(BuildId id, Question question, HttpServletRequest request, boolean cacheable) {
        Wait wait = Wait.of(Collections.list(request.getHeaders(PREFER)));
        Optional<Answer> known = answers.find(id, question);
        if (known.isPresent()) {
            return ok(known.get(), wait, cacheable);
        }
        Answers.Shelf shelf = answers.shelf(id);
        Optional<Build> settled = settled(id, wait.time());
        if (settled.isEmpty()) {
            return underWay(id, wait);
        }
        try {
            return ok(give(shelf, settled.get(), question), wait, cacheable);
        } catch (CorruptBlobException e) {
            if (settled.get().extractorVersion() > OffsetExtractor.VERSION) {
                throw new ProblemException(BuildProblems.storedByLaterVersion(settled.get()));
            }
            log.error("build {}: what is stored cannot be read and is extracted anew", id, e);
            builds.discard(id, settled.get().generation());
        }
        Optional<Build> renewed = settled(id, wait.time());
        return renewed.isEmpty() ? underWay(id, wait) : ok(give(shelf, renewed.get(), question), wait, cacheable);
    }

    private Answer give(Answers.Shelf shelf, Build build, Question question) {
        StoredFile file = build.file().orElseThrow(() -> {
            countMiss(build);
            return new ProblemException(BuildProblems.of(build));
        });
        return answers.give(shelf, build, file, question);
    }

    /** Counts what an upload could help with; a failure says nothing about the build. */
    private void countMiss(Build build) {
        if (build.state() != BuildState.FAILED) {
            build.problem().ifPresent(problem -> demand.missed(build.id(), problem.code()));
        }
    }

    /** The build once it has a result; empty if it takes longer than the caller wants to wait. */
    private Optional<Build> settled(BuildId id, Duration wait) {
        return switch (extractions.ask(id)) {
            case Standing.Settled(Build build) -> Optional.of(build);
            case Standing.Busy(Duration retryAfter) -> throw new ProblemException(BuildProblems.busy(retryAfter));
            case Standing.UnderWay(CompletableFuture<Build> result) -> waitFor(id, result, wait);
        };
    }

    private static Optional<Build> waitFor(BuildId id, CompletableFuture<Build> result, Duration wait) {
        try {
            return Optional.of(result.get(wait.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(BuildProblems.busy(UNDER_WAY_RETRY_AFTER));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DrainingException) {
                return Optional.empty();
            }
            throw switch (e.getCause()) {
                case BusyException busy -> new ProblemException(BuildProblems.busy(busy.retryAfter()));
                case RuntimeException known -> known;
                case null, default -> new IllegalStateException("the extraction of build " + id + " failed", e);
            };
        }
    }

    private static ResponseEntity<byte[]> ok(Answer answer, Wait wait, boolean cacheable) {
        ResponseEntity.BodyBuilder response = ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON);
        wait.applied().ifPresent(applied -> response.header(PREFERENCE_APPLIED, applied));
        if (cacheable) {
            response.eTag(answer.etag())
                    .header(HttpHeaders.CACHE_CONTROL, answer.complete() && !answer.stale() ? COMPLETE : SHORT_LIVED)
                    .header(HttpHeaders.VARY, VARY);
        } else {
            response.header(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        return response.body(answer.json());
    }

    private ResponseEntity<dev.offsetd.server.api.model.Build> underWay(BuildId id, Wait wait) {
        ResponseEntity.BodyBuilder response = ResponseEntity.accepted()
                .contentType(MediaType.APPLICATION_JSON)
                .header(HttpHeaders.LOCATION, BuildResource.PATH + id)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(UNDER_WAY_RETRY_AFTER.toSeconds()))
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
        wait.applied().ifPresent(applied -> response.header(PREFERENCE_APPLIED, applied));
        return response.body(BuildResource.of(builds.find(id).orElseThrow()));
    }

    /** The items of a body. */
    private static List<String> items(byte[] body) {
        if (body.length > MAX_BODY_BYTES) {
            throw tooLarge("the body has more than " + MAX_BODY_BYTES + " bytes", MAX_BODY_BYTES);
        }
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JacksonException e) {
            throw badBody("line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr() + ": not JSON");
        }
        if (!json.isArray()) {
            throw badBody("the body is no array");
        }
        if (json.size() > ItemParser.MAX_ITEMS) {
            throw tooLarge("the list has " + json.size() + " items", ItemParser.MAX_ITEMS);
        }
        for (int i = 0; i < json.size(); i++) {
            if (!json.get(i).isString()) {
                throw badBody("item " + (i + 1) + " is "
                        + HostileText.quote(json.get(i).toString()));
            }
        }
        return json.valueStream().map(JsonNode::asString).toList();
    }

    private static ProblemException badBody(String detail) {
        return new ProblemException(Problem.of(
                HttpStatus.BAD_REQUEST,
                "bad_body",
                "The body cannot be read",
                detail + "; expected a JSON array of strings"));
    }

    private static ProblemException tooLarge(String detail, int limit) {
        return new ProblemException(Problem.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "too_large",
                        "The question is too large",
                        detail + "; the limit is " + limit)
                .with("limit", limit));
    }
}
