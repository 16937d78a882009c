package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.api.BuildsApi;
import dev.offsetd.server.web.ProblemException;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BuildsController implements BuildsApi {

    private final BuildResources resources;
    private final ConflictingFiles conflicts;
    private final BuildKeys keys;

    BuildsController(BuildResources resources, ConflictingFiles conflicts, BuildKeys keys) {
        this.resources = resources;
        this.conflicts = conflicts;
        this.keys = keys;
    }

    @Override
    public ResponseEntity<dev.offsetd.server.api.model.Build> getBuild(String buildId) {
        BuildId id = keys.resolve(buildId);
        dev.offsetd.server.api.model.Build resource = resources
                .find(id)
                .map(build -> build.conflicts(BuildResources.conflicts(conflicts.of(id))))
                .orElseThrow(() -> ProblemException.notFound(
                        "build_not_asked_for",
                        "This build was never requested",
                        "the build is unknown to this server; request its offsets first"));
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok().cacheControl(CacheControl.noStore());
        if (resource.getRetryAfter() != null) {
            answer.header(HttpHeaders.RETRY_AFTER, resource.getRetryAfter().toString());
        }
        return answer.body(resource);
    }
}
