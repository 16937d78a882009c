package dev.offsetd.server.exports;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.CacheHeaders;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Exports: a redirect to the current revision, and revisions under URLs whose bytes never change. */
@RestController
class ExportsController {

    private static final Pattern REVISION = Pattern.compile("[0-9a-f]{" + Export.REVISION_LENGTH + "}");

    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final BuildQueries builds;
    private final ExportRenderings renderings;
    private final Exports exports;
    private final ClaimedNames names;
    private final BuildKeys keys;
    private final BpfObjects objects;

    ExportsController(
            BuildQueries builds,
            ExportRenderings renderings,
            Exports exports,
            ClaimedNames names,
            BuildKeys keys,
            BpfObjects objects) {
        this.builds = builds;
        this.renderings = renderings;
        this.exports = exports;
        this.names = names;
        this.keys = keys;
        this.objects = objects;
    }

    @GetMapping("/v1/exports/{buildId}/isf")
    ResponseEntity<?> isf(@PathVariable String buildId, HttpServletRequest request) {
        return redirect(keys.resolve(buildId), ServedFormat.ISF, request);
    }

    @GetMapping("/v1/exports/{buildId}/isf/r/{revision}/isf.json.gz")
    void isfRevision(
            @PathVariable String buildId,
            @PathVariable String revision,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        write(keys.resolve(buildId), revision, ServedFormat.ISF, request, response);
    }

    @GetMapping("/v1/exports/{buildId}/btf")
    ResponseEntity<?> btf(@PathVariable String buildId, HttpServletRequest request) {
        return redirect(keys.resolve(buildId), ServedFormat.BTF, request);
    }

    /** Answers at once: a revision would need the program again after its eviction. */
    @PostMapping(path = "/v1/exports/{buildId}/btf", consumes = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    @Nullable
    ResponseEntity<?> btfOfProgram(
            @PathVariable String buildId, HttpServletRequest request, HttpServletResponse response) throws IOException {
        BuildId id = keys.resolve(buildId);
        ExportQuery query =
                ExportQuery.ofProgram(objects.relocatedTypes(request), request.getQueryString(), keys::resolve);
        Wait wait = Wait.of(request);
        Optional<Build> base = base(query, wait.time());
        if (query.base().isPresent() && base.isEmpty()) {
            return builds.inProgress(query.base().get(), wait, Representation.JSON);
        }
        ContentCoding coding = ContentCoding.of(request, query.format().codings());
        Optional<ExportFile> found = names.recordedUnlessAnswered(
                id,
                request,
                () -> file(id, wait.time(), stored -> {
                    ResolvedExport resolved =
                            renderings.resolve(stored.build(), stored.file(), query, base.orElse(null));
                    return exports.get(
                            Export.key(id, query.format(), resolved.export().revision(), coding),
                            query.format().word(),
                            Caller.of(request),
                            renderings.rendering(resolved, coding));
                }));
        if (found.isEmpty()) {
            return builds.inProgress(id, wait, Representation.JSON);
        }
        try (ExportFile file = found.get()) {
            wait.applied().ifPresent(value -> response.setHeader("Preference-Applied", value));
            ExportResponse.writeOnce(file, query.format().contentType(), coding, request, response);
        }
        return null;
    }

    @GetMapping("/v1/exports/{buildId}/btf/r/{revision}/types.btf")
    void btfRevision(
            @PathVariable String buildId,
            @PathVariable String revision,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        write(keys.resolve(buildId), revision, ServedFormat.BTF, request, response);
    }

    private ResponseEntity<?> redirect(BuildId id, ServedFormat format, HttpServletRequest request) {
        ExportQuery query = ExportQuery.of(format, request.getQueryString(), keys::resolve);
        renderings.requireSets(query);
        Wait wait = Wait.of(request);
        Optional<Build> base = base(query, wait.time());
        if (query.base().isPresent() && base.isEmpty()) {
            return builds.inProgress(query.base().get(), wait, Representation.JSON);
        }
        Optional<Export> export = names.recordedUnlessAnswered(
                id,
                request,
                () -> stored(id, wait.time())
                        .map(stored -> renderings
                                .resolve(stored.build(), stored.file(), query, base.orElse(null))
                                .export()));
        if (export.isEmpty()) {
            return builds.inProgress(id, wait, Representation.JSON);
        }
        ResponseEntity.BodyBuilder response = ResponseEntity.status(HttpStatus.FOUND)
                .header(HttpHeaders.LOCATION, export.get().relativePath() + query.text())
                .header(HttpHeaders.CACHE_CONTROL, CacheHeaders.SHORT_LIVED);
        wait.applyTo(response);
        return response.build();
    }

    /** Returns the kernel that the export is based on; empty if there is none, or its extraction takes longer. */
    private Optional<Build> base(ExportQuery query, Duration wait) {
        return query.base().flatMap(id -> stored(id, wait)).map(BuildAccess.Stored::build);
    }

    private void write(
            BuildId id, String revision, ServedFormat format, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        ExportQuery query = ExportQuery.of(format, request.getQueryString(), keys::resolve);
        ContentCoding coding = ContentCoding.of(request, format.codings());
        try (ExportFile file = file(id, revision, query, coding, Caller.of(request))) {
            boolean varies = format.codings().size() > 1;
            ExportResponse.write(file, format.contentType(), coding, varies, request, response);
        }
    }

    private ExportFile file(BuildId id, String revision, ExportQuery query, ContentCoding coding, Caller caller) {
        if (!REVISION.matcher(revision).matches()) {
            throw notFound(revision, "expected " + Export.REVISION_LENGTH + " hex digits");
        }
        String key = Export.key(id, query.format(), revision, coding);
        Optional<ExportFile> stored = exports.find(key);
        if (stored.isPresent()) {
            return stored.get();
        }
        renderings.requireSets(query);
        Optional<Build> base = base(query, Duration.ZERO);
        if (query.base().isPresent() && base.isEmpty()) {
            throw inProgress(query.base().get());
        }
        return file(id, Duration.ZERO, read -> {
                    ResolvedExport resolved = renderings.resolve(read.build(), read.file(), query, base.orElse(null));
                    if (!resolved.export().revision().equals(revision)) {
                        throw notFound(revision, "superseded; ask for the current one without /r/");
                    }
                    return exports.get(key, query.format().word(), caller, renderings.rendering(resolved, coding));
                })
                .orElseThrow(() -> inProgress(id));
    }

    private Optional<BuildAccess.Stored> stored(BuildId id, Duration wait) {
        return builds.stored(builds.access(id, BuildQueries.Part.TYPES, wait));
    }

    /** Returns the rendered file; if the stored types are corrupt, it is rendered once more after another extraction. */
    private Optional<ExportFile> file(BuildId id, Duration wait, Function<BuildAccess.Stored, ExportFile> rendering) {
        BuildAccess.Settled access = builds.access(id, BuildQueries.Part.TYPES, wait);
        try {
            return builds.stored(access).map(rendering);
        } catch (CorruptBlobException e) {
            return builds.stored(builds.extractAgain(access, BuildQueries.Part.TYPES, wait, e))
                    .map(rendering);
        }
    }

    private static ProblemException notFound(String revision, String detail) {
        return new ProblemException(Problem.of(
                HttpStatus.NOT_FOUND,
                "revision_not_found",
                "No such revision",
                "revision " + HostileText.quote(revision) + ": " + detail));
    }

    private static ProblemException inProgress(BuildId id) {
        return new ProblemException(Problem.busy("build " + id + " is being extracted", RETRY_AFTER));
    }
}
