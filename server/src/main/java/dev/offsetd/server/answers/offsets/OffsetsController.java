package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Representation;
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

/** Offsets of items. It writes answers itself, in the same way as {@link AnswerCacheFilter}. */
@RestController
class OffsetsController {

    static final String PATH = "/v1/offsets/{buildId}";

    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final String EXPECTED = "a JSON array of strings";

    private final BuildQueries builds;
    private final OffsetsAnswers answers;
    private final ClaimedNames names;
    private final BuildKeys keys;

    OffsetsController(BuildQueries builds, OffsetsAnswers answers, ClaimedNames names, BuildKeys keys) {
        this.builds = builds;
        this.answers = answers;
        this.names = names;
        this.keys = keys;
    }

    @GetMapping(PATH)
    @Nullable
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        BuildId id = keys.resolve(buildId);
        OffsetsQuery query =
                OffsetsQuery.ofQuery(request.getQueryString(), offered -> Representation.of(request, offered));
        Wait wait = Wait.of(request);
        Optional<Answer> answer = answer(id, query, wait, request);
        if (answer.isEmpty()) {
            return builds.inProgress(id, wait, query.representation());
        }
        AnswerResponse.write(answer.get(), request, response);
        return null;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    @Nullable
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        BuildId id = keys.resolve(buildId);
        OffsetsQuery query = query(request);
        Wait wait = Wait.of(request);
        Optional<Answer> answer = answer(id, query, wait, request);
        if (answer.isEmpty()) {
            return builds.inProgress(id, wait, query.representation());
        }
        AnswerResponse.writeUncached(answer.get(), request, response);
        return null;
    }

    private Optional<Answer> answer(BuildId id, OffsetsQuery query, Wait wait, HttpServletRequest request) {
        return names.recordedUnlessAnswered(
                id,
                request,
                () -> answers.answer(id, query, ContentCoding.of(request, ContentCoding.COMMON), wait.time()));
    }

    /** Parses the body of a request and, for further parameters, its query string. */
    static OffsetsQuery query(HttpServletRequest request) throws IOException {
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        return OffsetsQuery.ofItems(
                items(body), request.getQueryString(), offered -> Representation.of(request, offered));
    }

    private static List<String> items(JsonNode body) {
        if (!body.isArray()) {
            throw JsonBody.bad("the body is not an array", EXPECTED);
        }
        if (body.size() > ItemParser.MAX_ITEMS) {
            throw JsonBody.tooLarge("the array has " + body.size() + " items", ItemParser.MAX_ITEMS);
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
