package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.RenderedAnswer;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.StoredFile;
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
        Optional<RenderedAnswer> answer =
                names.recordedUnlessAnswered(id, request, () -> answer(id, wait, query, representation));
        return answer.isPresent() ? answer.get().forCaches(wait) : builds.inProgress(id, wait, representation);
    }

    private Optional<RenderedAnswer> answer(BuildId id, Wait wait, ResolveQuery query, Representation representation) {
        BuildAccess.Settled access = builds.access(id, BuildQueries.Part.TYPES, wait.time());
        try {
            return answer(access, query, representation);
        } catch (CorruptBlobException e) {
            return answer(builds.extractAgain(access, BuildQueries.Part.TYPES, wait.time(), e), query, representation);
        }
    }

    private Optional<RenderedAnswer> answer(
            BuildAccess.Settled access, ResolveQuery query, Representation representation) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) ->
                Optional.of(resolutions.answer(build, file, query, representation));
            case BuildAccess.OnlyPins(Build build) -> {
                Resolutions.PinnedAnswer pinned = resolutions.answerFromPins(build, query, representation);
                if (!pinned.found()) {
                    builds.countMiss(build);
                }
                yield Optional.of(pinned.answer());
            }
            case BuildAccess.Unavailable(Build build) -> throw builds.unavailable(build);
            case BuildAccess.InProgress _ -> Optional.empty();
        };
    }
}
