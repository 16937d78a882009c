package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.query.ClaimedNames;
import dev.offsetd.server.query.RenderedAnswer;
import dev.offsetd.server.query.Wait;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Resolution of a byte in a variable or type. */
@RestController
class ResolveController {

    private final BuildQueries builds;
    private final Resolutions resolutions;
    private final BuildKeys keys;
    private final ClaimedNames names;

    ResolveController(BuildQueries builds, Resolutions resolutions, BuildKeys keys, ClaimedNames names) {
        this.builds = builds;
        this.resolutions = resolutions;
        this.keys = keys;
        this.names = names;
    }

    @GetMapping("/v1/resolve/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ResolveQuery query = ResolveQuery.ofQuery(request.getQueryString());
        Wait wait = Wait.of(request);
        Optional<RenderedAnswer> answer = names.recordedUnlessAnswered(
                id,
                request,
                () -> builds.answerOrPinned(
                        id,
                        wait.time(),
                        (build, file) -> resolutions.answer(build, file, query, representation),
                        build -> resolutions.answerFromPins(build, query, representation)));
        return answer.isPresent() ? answer.get().forCaches(wait) : builds.inProgress(id, wait, representation);
    }
}
