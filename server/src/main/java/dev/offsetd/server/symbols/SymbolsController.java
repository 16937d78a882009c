package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Form;
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

    private final AskedBuilds asked;
    private final SymbolAnswers answers;

    SymbolsController(AskedBuilds asked, SymbolAnswers answers) {
        this.asked = asked;
        this.answers = answers;
    }

    @GetMapping("/v1/symbols/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = BuildIdText.parse(buildId);
        Form form = Form.of(request, Form.STRUCTURED);
        SymbolQuestion question = SymbolQuestion.ofQuery(request.getQueryString());
        Wait wait = Wait.of(request);
        Optional<WrittenAnswer> answer = answer(id, wait, question, form);
        return answer.isPresent() ? answer.get().forCaches(wait) : asked.underWay(id, wait, form);
    }

    @PostMapping(path = "/v1/symbols/{buildId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        BuildId id = BuildIdText.parse(buildId);
        Form form = Form.of(request, Form.STRUCTURED);
        SymbolQuestion question = SymbolsBody.read(request);
        Wait wait = Wait.of(request);
        Optional<WrittenAnswer> answer = answer(id, wait, question, form);
        return answer.isPresent() ? answer.get().forItsCaller(wait) : asked.underWay(id, wait, form);
    }

    private Optional<WrittenAnswer> answer(BuildId id, Wait wait, SymbolQuestion question, Form form) {
        return asked.answerFromSymbols(id, wait.time(), (build, file) -> answers.answer(build, file, question, form));
    }
}
