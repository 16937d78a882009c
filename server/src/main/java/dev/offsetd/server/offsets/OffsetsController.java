package dev.offsetd.server.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Form;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The main job over HTTP. */
@RestController
class OffsetsController {

    private static final String COMPLETE = "public, max-age=60, stale-while-revalidate=300";
    private static final String SHORT_LIVED = "public, max-age=10";
    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final String EXPECTED = "a JSON array of strings";

    private final AskedBuilds asked;
    private final TimelyAnswers answers;

    OffsetsController(AskedBuilds asked, TimelyAnswers answers) {
        this.asked = asked;
        this.answers = answers;
    }

    @GetMapping("/v1/offsets/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        Form form = Form.of(request, Question.FORMS);
        BuildId id = BuildIdText.parse(buildId);
        Question question = Question.ofQuery(request.getQueryString(), form);
        return answer(id, question, request, true);
    }

    @PostMapping(path = "/v1/offsets/{buildId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        Form form = Form.of(request, Question.FORMS);
        BuildId id = BuildIdText.parse(buildId);
        JsonNode body = QuestionBody.read(request, MAX_BODY_BYTES, EXPECTED);
        Question question = Question.ofItems(items(body), request.getQueryString(), form);
        return answer(id, question, request, false);
    }

    private ResponseEntity<?> answer(BuildId id, Question question, HttpServletRequest request, boolean cacheable) {
        Wait wait = Wait.of(request);
        Optional<Answer> answer = answers.answer(id, question, wait.time());
        return answer.isPresent() ? ok(answer.get(), wait, cacheable) : asked.underWay(id, wait, question.form());
    }

    private static ResponseEntity<byte[]> ok(Answer answer, Wait wait, boolean cacheable) {
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, answer.form().contentType());
        wait.applyTo(response);
        if (cacheable) {
            response.eTag(answer.etag())
                    .header(HttpHeaders.CACHE_CONTROL, answer.complete() && !answer.stale() ? COMPLETE : SHORT_LIVED)
                    .header(HttpHeaders.VARY, AskedBuilds.VARY);
        } else {
            response.header(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        return response.body(answer.body());
    }

    /** The items of a body. */
    private static List<String> items(JsonNode body) {
        if (!body.isArray()) {
            throw QuestionBody.bad("the body is no array", EXPECTED);
        }
        if (body.size() > ItemParser.MAX_ITEMS) {
            throw QuestionBody.tooLarge("the list has " + body.size() + " items", ItemParser.MAX_ITEMS);
        }
        for (int i = 0; i < body.size(); i++) {
            if (!body.get(i).isString()) {
                throw QuestionBody.bad(
                        "item " + (i + 1) + " is "
                                + HostileText.quote(body.get(i).toString()),
                        EXPECTED);
            }
        }
        return body.valueStream().map(JsonNode::asString).toList();
    }
}
