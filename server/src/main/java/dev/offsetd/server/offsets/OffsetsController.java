package dev.offsetd.server.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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

    private static final String COMPLETE = "public, max-age=60, stale-while-revalidate=300";
    private static final String SHORT_LIVED = "public, max-age=10";
    private static final int MAX_BODY_BYTES = 256 * 1024;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final AskedBuilds asked;
    private final Answers answers;

    OffsetsController(AskedBuilds asked, Answers answers) {
        this.asked = asked;
        this.answers = answers;
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
        Wait wait = Wait.of(request);
        Optional<Answer> known = answers.find(id, question);
        if (known.isPresent()) {
            return ok(known.get(), wait, cacheable);
        }
        answers.requireSets(question);
        Answers.Shelf shelf = answers.shelf(id);
        Optional<Answer> given =
                asked.answer(id, wait.time(), (build, file) -> answers.give(shelf, build, file, question));
        return given.isPresent() ? ok(given.get(), wait, cacheable) : asked.underWay(id, wait);
    }

    private static ResponseEntity<byte[]> ok(Answer answer, Wait wait, boolean cacheable) {
        ResponseEntity.BodyBuilder response = ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON);
        wait.applyTo(response);
        if (cacheable) {
            response.eTag(answer.etag())
                    .header(HttpHeaders.CACHE_CONTROL, answer.complete() && !answer.stale() ? COMPLETE : SHORT_LIVED)
                    .header(HttpHeaders.VARY, AskedBuilds.VARY);
        } else {
            response.header(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        return response.body(answer.json());
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
