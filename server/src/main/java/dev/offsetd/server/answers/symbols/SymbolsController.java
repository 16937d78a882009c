package dev.offsetd.server.answers.symbols;

import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Symbols by name and by address. */
@RestController
class SymbolsController {

    private final BuildQueries builds;
    private final SymbolAnswers answers;

    SymbolsController(BuildQueries builds, SymbolAnswers answers) {
        this.builds = builds;
        this.answers = answers;
    }

    @GetMapping("/v1/symbols/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        return answer(builds.request(buildId, Part.SYMBOLS, request), SymbolQuery.of(request), request);
    }

    @PostMapping(path = "/v1/symbols/{buildId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        return answer(builds.request(buildId, Part.SYMBOLS, request), SymbolQuery.ofBody(request), request);
    }

    private ResponseEntity<?> answer(BuildRequest build, SymbolQuery query, HttpServletRequest request) {
        Optional<Answer> answer =
                builds.answerStored(build, stored -> answers.answer(stored.build(), stored.file(), query));
        return answer.isPresent() ? answer.get().response(request) : builds.inProgress(build, query.representation());
    }
}
