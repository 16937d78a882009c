package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Form;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What lies at a byte of a variable or type. */
@RestController
class ResolveController {

    private final AskedBuilds asked;
    private final Resolutions resolutions;

    ResolveController(AskedBuilds asked, Resolutions resolutions) {
        this.asked = asked;
        this.resolutions = resolutions;
    }

    @GetMapping("/v1/resolve/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = BuildIdText.parse(buildId);
        Form form = Form.of(request, Form.STRUCTURED);
        ResolveQuestion question = ResolveQuestion.ofQuery(request.getQueryString());
        Wait wait = Wait.of(request);
        Optional<WrittenAnswer> answer = asked.answerOrPinned(
                id,
                wait.time(),
                (build, file) -> resolutions.answer(build, file, question, form),
                build -> resolutions.answerFromPins(build, question, form));
        return answer.isPresent() ? answer.get().forCaches(wait) : asked.underWay(id, wait, form);
    }
}
