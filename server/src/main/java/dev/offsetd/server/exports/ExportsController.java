package dev.offsetd.server.exports;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    private final BuildQueries queries;
    private final ExportRenderings renderings;
    private final Exports exports;
    private final BuildKeys keys;
    private final BpfObjects objects;

    ExportsController(
            BuildQueries queries, ExportRenderings renderings, Exports exports, BuildKeys keys, BpfObjects objects) {
        this.queries = queries;
        this.renderings = renderings;
        this.exports = exports;
        this.keys = keys;
        this.objects = objects;
    }

    @GetMapping("/v1/exports/{buildId}/isf")
    ResponseEntity<?> isf(@PathVariable String buildId, HttpServletRequest request) {
        return redirect(buildId, ServedFormat.ISF, request);
    }

    @GetMapping("/v1/exports/{buildId}/isf/r/{revision}/isf.json.gz")
    void isfRevision(
            @PathVariable String buildId,
            @PathVariable String revision,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        write(buildId, revision, ServedFormat.ISF, request, response);
    }

    @GetMapping("/v1/exports/{buildId}/btf")
    ResponseEntity<?> btf(@PathVariable String buildId, HttpServletRequest request) {
        return redirect(buildId, ServedFormat.BTF, request);
    }

    /** Answers at once: a revision would need the program again after its eviction. */
    @PostMapping(path = "/v1/exports/{buildId}/btf", consumes = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    @Nullable
    ResponseEntity<?> btfOfProgram(
            @PathVariable String buildId, HttpServletRequest request, HttpServletResponse response) throws IOException {
        BuildRequest build = queries.request(buildId, Part.TYPES, request);
        ExportQuery query =
                ExportQuery.ofProgram(objects.relocatedTypes(request), request.getQueryString(), keys::resolve);
        Optional<Build> base = base(query, build.waiting(), build.caller());
        if (query.base() != null && base.isEmpty()) {
            return queries.inProgress(baseOf(query.base(), build.waiting(), build.caller()), Representation.JSON);
        }
        ContentCoding coding = ContentCoding.of(request, query.format().codings());
        Optional<ExportFile> found = queries.answerStored(
                build,
                stored -> exports.get(
                        renderings.resolve(stored, query, List.of(), base.orElse(null)), coding, Caller.of(request)));
        if (found.isEmpty()) {
            return queries.inProgress(build, Representation.JSON);
        }
        try (ExportFile file = found.get()) {
            build.waiting().applied().ifPresent(value -> response.setHeader(Wait.APPLIED, value));
            new ExportResponse(file, query.format(), coding).writeOnce(request, response);
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
        write(buildId, revision, ServedFormat.BTF, request, response);
    }

    private ResponseEntity<?> redirect(String buildId, ServedFormat format, HttpServletRequest request) {
        BuildRequest build = queries.request(buildId, Part.TYPES, request);
        ExportQuery query = ExportQuery.of(format, request.getQueryString(), keys::resolve);
        List<Item> items = renderings.items(query);
        Optional<Build> base = base(query, build.waiting(), build.caller());
        if (query.base() != null && base.isEmpty()) {
            return queries.inProgress(baseOf(query.base(), build.waiting(), build.caller()), Representation.JSON);
        }
        Optional<BuildAccess.Stored> stored = queries.stored(build);
        if (stored.isEmpty()) {
            return queries.inProgress(build, Representation.JSON);
        }
        Export export = renderings
                .resolve(stored.get(), query, items, base.orElse(null))
                .export();
        ResponseEntity.BodyBuilder response = ResponseEntity.status(HttpStatus.FOUND)
                .header(HttpHeaders.LOCATION, export.relativePath() + query.text())
                .header(HttpHeaders.CACHE_CONTROL, Answer.SHORT_LIVED);
        build.waiting().applyTo(response);
        return response.build();
    }

    /** Returns the kernel that the export is based on; empty if there is none, or its extraction takes longer. */
    private Optional<Build> base(ExportQuery query, Wait wait, Caller caller) {
        if (query.base() == null) {
            return Optional.empty();
        }
        return queries.stored(baseOf(query.base(), wait, caller)).map(BuildAccess.Stored::build);
    }

    private static BuildRequest baseOf(BuildId base, Wait wait, Caller caller) {
        return new BuildRequest(base, caller, Part.TYPES, wait, null);
    }

    private void write(
            String buildId,
            String revision,
            ServedFormat format,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        BuildId id = keys.resolve(buildId);
        ExportQuery query = ExportQuery.of(format, request.getQueryString(), keys::resolve);
        ContentCoding coding = ContentCoding.of(request, format.codings());
        try (ExportFile file = file(id, revision, query, coding, Caller.of(request))) {
            new ExportResponse(file, format, coding).write(request, response);
        }
    }

    private ExportFile file(BuildId id, String revision, ExportQuery query, ContentCoding coding, Caller caller) {
        if (!REVISION.matcher(revision).matches()) {
            throw notFound(revision, "expected " + Export.REVISION_LENGTH + " hex digits");
        }
        Optional<ExportFile> file = exports.find(Export.key(id, query.format(), revision, coding));
        if (file.isPresent()) {
            return file.get();
        }
        List<Item> items = renderings.items(query);
        Optional<Build> base = base(query, Wait.NONE, caller);
        if (query.base() != null && base.isEmpty()) {
            throw inProgress(query.base());
        }
        return queries.answerStored(new BuildRequest(id, caller, Part.TYPES, Wait.NONE, null), stored -> {
                    ResolvedExport export = renderings.resolve(stored, query, items, base.orElse(null));
                    if (!export.export().revision().equals(revision)) {
                        throw notFound(revision, "superseded; ask for the current one without /r/");
                    }
                    return exports.get(export, coding, caller);
                })
                .orElseThrow(() -> inProgress(id));
    }

    private static ProblemException notFound(String revision, String detail) {
        return ProblemException.notFound(
                "revision_not_found", "No such revision", "revision " + HostileText.quote(revision) + ": " + detail);
    }

    private static ProblemException inProgress(BuildId id) {
        return new ProblemException(Problem.busy("build " + id + " is being extracted", RETRY_AFTER));
    }
}
