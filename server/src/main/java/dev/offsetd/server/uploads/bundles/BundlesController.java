package dev.offsetd.server.uploads.bundles;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.ServletWebRequest;

/** Stored builds as archives for bundles. */
@RestController
class BundlesController {

    private static final String CONTENT_TYPE = "application/x-tar";
    private static final int PLACES = 16;

    private final BuildQueries queries;
    private final BundledBuilds bundled;

    /** An archive is a file until the client has received it. */
    private final Shares shares = new Shares("bundles", PLACES);

    BundlesController(BuildQueries queries, BundledBuilds bundled) {
        this.queries = queries;
        this.bundled = bundled;
    }

    @GetMapping("/v1/builds/{buildId}/bundle")
    @Nullable
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        BuildRequest build = queries.request(buildId, Part.SYMBOLS, request);
        try (Shares.Place _ = shares.take(Caller.of(request))) {
            Optional<SpooledBody> archive = queries.answer(build, access -> archive(access, build));
            if (archive.isEmpty()) {
                return queries.inProgress(build, Representation.JSON);
            }
            build.waiting().applied().ifPresent(value -> response.setHeader(Wait.APPLIED, value));
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
            if (!new ServletWebRequest(request, response)
                    .checkNotModified(archive.get().etag())) {
                response.setContentType(CONTENT_TYPE);
                response.setContentLengthLong(archive.get().length());
                archive.get().writeTo(response.getOutputStream());
            }
            return null;
        }
    }

    /** Archives all that is stored of a build, which may be only symbols or only pins. */
    private Optional<SpooledBody> archive(BuildAccess access, BuildRequest request) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) -> Optional.of(bundled.archive(build, file));
            case BuildAccess.OnlyPins(Build build, BuildPins _) -> {
                if (build.state() == BuildState.FAILED) {
                    throw queries.unavailable(build, request);
                }
                yield Optional.of(bundled.archive(build, null));
            }
            case BuildAccess.Unavailable(Build build) -> throw queries.unavailable(build, request);
            case BuildAccess.InProgress _ -> Optional.empty();
        };
    }
}
