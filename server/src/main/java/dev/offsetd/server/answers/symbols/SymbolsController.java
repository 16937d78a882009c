package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.RenderedAnswer;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.Representation;
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
    private final ClaimedNames names;
    private final BuildKeys keys;

    SymbolsController(BuildQueries builds, SymbolAnswers answers, ClaimedNames names, BuildKeys keys) {
        this.builds = builds;
        this.answers = answers;
        this.names = names;
        this.keys = keys;
    }

    @GetMapping("/v1/symbols/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        SymbolQuery query = SymbolQuery.ofQuery(request.getQueryString());
        Wait wait = Wait.of(request);
        Optional<RenderedAnswer> answer =
                names.recordedUnlessAnswered(id, request, () -> answer(id, wait, query, representation));
        return answer.isPresent() ? answer.get().forCaches(wait) : builds.inProgress(id, wait, representation);
    }

    @PostMapping(path = "/v1/symbols/{buildId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        BuildId id = keys.resolve(buildId);
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        SymbolQuery query = SymbolsBody.read(request);
        Wait wait = Wait.of(request);
        Optional<RenderedAnswer> answer =
                names.recordedUnlessAnswered(id, request, () -> answer(id, wait, query, representation));
        return answer.isPresent() ? answer.get().forItsCaller(wait) : builds.inProgress(id, wait, representation);
    }

    private Optional<RenderedAnswer> answer(BuildId id, Wait wait, SymbolQuery query, Representation representation) {
        BuildAccess.Settled access = builds.access(id, BuildQueries.Part.SYMBOLS, wait.time());
        try {
            return answer(access, query, representation);
        } catch (CorruptBlobException e) {
            return answer(
                    builds.extractAgain(access, BuildQueries.Part.SYMBOLS, wait.time(), e), query, representation);
        }
    }

    private Optional<RenderedAnswer> answer(
            BuildAccess.Settled access, SymbolQuery query, Representation representation) {
        return builds.stored(access)
                .map(stored -> answers.answer(stored.build(), stored.file(), query, representation));
    }
}
