package dev.offsetd.server.bundles;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.query.SpooledBody;
import dev.offsetd.server.query.Wait;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Stored builds as archives for bundles. */
@RestController
class BundlesController {

    private static final String CONTENT_TYPE = "application/x-tar";

    private final BuildQueries builds;
    private final BundledBuilds bundled;
    private final BuildKeys keys;

    BundlesController(BuildQueries builds, BundledBuilds bundled, BuildKeys keys) {
        this.builds = builds;
        this.bundled = bundled;
        this.keys = keys;
    }

    @GetMapping("/v1/builds/{buildId}/bundle")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        Wait wait = Wait.of(request);
        Optional<SpooledBody> archive = builds.answerFromAnything(id, wait.time(), bundled::archive);
        if (archive.isEmpty()) {
            return builds.inProgress(id, wait, Representation.JSON);
        }
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, CONTENT_TYPE)
                .eTag(archive.get().etag())
                .cacheControl(CacheControl.noCache());
        wait.applyTo(response);
        return response.body(archive.get());
    }
}
