package dev.offsetd.server.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The main job over HTTP. Answers are written here and not by Spring, as those are that never come this far. */
@RestController
class OffsetsController {

    /** Path of the questions about a build. */
    static final String PATH = "/v1/offsets/{buildId}";

    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final String EXPECTED = "a JSON array of strings";

    private final AskedBuilds asked;
    private final TimelyAnswers answers;

    OffsetsController(AskedBuilds asked, TimelyAnswers answers) {
        this.asked = asked;
        this.answers = answers;
    }

    @GetMapping(PATH)
    @Nullable
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Form form = Form.of(request, QuestionText.FORMS);
        BuildId id = BuildIdText.parse(buildId);
        Question question = Question.ofQuery(request.getQueryString(), form);
        Wait wait = Wait.of(request);
        Optional<Answer> answer = answers.answer(id, question, ContentCoding.of(request), wait.time());
        if (answer.isEmpty()) {
            return asked.underWay(id, wait, form);
        }
        AnswerResponse.write(answer.get(), request, response);
        return null;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    @Nullable
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Form form = Form.of(request, QuestionText.FORMS);
        BuildId id = BuildIdText.parse(buildId);
        Question question = question(request, form);
        Wait wait = Wait.of(request);
        Optional<Answer> answer = answers.answer(id, question, ContentCoding.of(request), wait.time());
        if (answer.isEmpty()) {
            return asked.underWay(id, wait, form);
        }
        AnswerResponse.writeUnnamed(answer.get(), request, response);
        return null;
    }

    /** Returns the question that the body of a request asks, with its query string for further parameters. */
    static Question question(HttpServletRequest request, Form form) throws IOException {
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        return Question.ofItems(items(body), request.getQueryString(), form);
    }

    /** The items of a body. */
    private static List<String> items(JsonNode body) {
        if (!body.isArray()) {
            throw JsonBody.bad("the body is no array", EXPECTED);
        }
        if (body.size() > ItemParser.MAX_ITEMS) {
            throw JsonBody.tooLarge("the list has " + body.size() + " items", ItemParser.MAX_ITEMS);
        }
        for (int i = 0; i < body.size(); i++) {
            if (!body.get(i).isString()) {
                throw JsonBody.bad(
                        "item " + (i + 1) + " is "
                                + HostileText.quote(body.get(i).toString()),
                        EXPECTED);
            }
        }
        return body.valueStream().map(JsonNode::asString).toList();
    }
}
