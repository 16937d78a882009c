package dev.offsetd.server.builds.retries;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.api.model.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class RetriesController {

    private static final String RETRY_AFTER_SECONDS = "2";

    private final Retries retries;
    private final BuildResources resources;
    private final BuildKeys keys;

    RetriesController(Retries retries, BuildResources resources, BuildKeys keys) {
        this.retries = retries;
        this.resources = resources;
        this.keys = keys;
    }

    @PostMapping(
            path = "/v1/builds/{buildId}/retry",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<Build> retry(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        Optional<BuildStatus> status = retries.retry(id, Actor.of(request));
        if (status.isPresent()
                && status.get() instanceof BuildStatus.InProgress work
                && work.refused().isPresent()) {
            throw new ProblemException(Problem.busy(
                    "the last result was deleted, but too many builds wait to be extracted",
                    work.refused().get()));
        }
        ResponseEntity.BodyBuilder answer = status.isPresent()
                ? ResponseEntity.accepted()
                        .header(HttpHeaders.LOCATION, BuildResources.PATH + id)
                        .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                : ResponseEntity.ok();
        return answer.cacheControl(CacheControl.noStore()).body(resources.findOrAdd(id));
    }
}
