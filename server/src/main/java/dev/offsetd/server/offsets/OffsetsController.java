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
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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

    /** Path of the questions about a build. */
    static final String PATH = "/v1/offsets/{buildId}";

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

    @GetMapping(path = PATH, produces = MediaType.APPLICATION_JSON_VALUE)
    @Nullable
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        BuildId id = BuildIdText.parse(buildId);
        Question question = Question.ofQuery(request.getQueryString());
        return answer(id, question, request, response, true);
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE, produces = MediaType.APPLICATION_JSON_VALUE)
    @Nullable
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        BuildId id = BuildIdText.parse(buildId);
        byte[] body = request.getInputStream().readNBytes(MAX_BODY_BYTES + 1);
        Question question = Question.ofItems(items(body), request.getQueryString());
        return answer(id, question, request, response, false);
    }

    /** Null if the answer is written. */
    private @Nullable ResponseEntity<?> answer(
            BuildId id, Question question, HttpServletRequest request, HttpServletResponse response, boolean named)
            throws IOException {
        Wait wait = Wait.of(request);
        ContentCoding coding = ContentCoding.of(request);
        Optional<Answer> answer = answers.find(id, question.text(), coding);
        if (answer.isEmpty()) {
            Answers.Shelf shelf = answers.shelf(id);
            answer = asked.answer(id, wait.time(), (build, file) -> answers.give(shelf, build, file, question, coding));
        }
        if (answer.isEmpty()) {
            return asked.underWay(id, wait);
        }
        if (named) {
            AnswerResponse.write(answer.get(), request, response);
        } else {
            AnswerResponse.writeUnnamed(answer.get(), request, response);
        }
        return null;
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
