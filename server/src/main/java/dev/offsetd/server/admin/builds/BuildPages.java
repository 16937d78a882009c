package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.Conflict;
import dev.offsetd.server.builds.Conflicts;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.extraction.BuildStatus;
import dev.offsetd.server.extraction.Extractions;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Failure;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.retries.Retries;
import dev.offsetd.server.types.TypeNamePage;
import dev.offsetd.server.web.Cursor;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** The page of one build: what is known of it, and its types. */
@Controller
class BuildPages {

    private static final char TYPES = 't';
    private static final int PAGE = 50;
    private static final int MAX_PART = 200;

    private final Builds builds;
    private final Conflicts conflicts;
    private final BuildTypes types;
    private final Pins pins;
    private final Retries retries;
    private final Extractions extractions;

    BuildPages(
            Builds builds, Conflicts conflicts, BuildTypes types, Pins pins, Retries retries, Extractions extractions) {
        this.builds = builds;
        this.conflicts = conflicts;
        this.types = types;
        this.pins = pins;
        this.retries = retries;
        this.extractions = extractions;
    }

    /**
     * What the page shows.
     *
     * @param file the file that answers; null if there is none
     * @param problem why nothing is stored; null if something is, or nobody has looked
     * @param definitions types and enumerations of the build; -1 if none are stored
     * @param symbols of the build; -1 if none are stored
     * @param typeList null if no types are stored
     */
    record Page(
            String id,
            String here,
            BuildLine.State state,
            @Nullable File file,
            @Nullable Trouble problem,
            long definitions,
            long symbols,
            List<Source> sources,
            List<OtherFile> conflicts,
            List<PinLine> pins,
            boolean mayRetry,
            boolean mayPin,
            @Nullable TypeList typeList) {}

    /** A debug file. */
    record File(
            String architecture,
            String origin,
            String source,
            String sha256,
            String size,
            String fetched,
            String verified,
            int extractor,
            Moment at,
            @Nullable String supplementary,
            @Nullable String uploader) {

        static File of(StoredFile file) {
            StoredFile.Supplementary supplementary = file.supplementary();
            Upload upload = file.upload();
            return new File(
                    BuildLine.architecture(file),
                    file.origin().word(),
                    file.upstream(),
                    file.sha256(),
                    bytes(file.bytes()),
                    file.fetchedBytes() == 0 ? "" : bytes(file.fetchedBytes()),
                    file.verified(),
                    file.extractorVersion(),
                    Moment.of(file.extractedAt()),
                    supplementary == null ? null : supplementary.buildId().toString(),
                    upload == null ? null : upload.label());
        }
    }

    /** Why nothing is stored. */
    record Trouble(String code, String detail, String place, String retryAfter) {}

    /** What a source said. */
    record Source(
            String name, String origin, String outcome, String style, String detail, Moment at, String retryAfter) {}

    /** Another file of the build. */
    record OtherFile(String source, String sha256, String size, String architecture, String layouts, Moment at) {}

    /** A pin that has an effect. */
    record PinLine(String id, String item, String says, String agreement, String style, String author) {}

    /**
     * Types of the build.
     *
     * @param next path of the next page; null if this is the last
     */
    record TypeList(
            String q, List<TypeLine> lines, @Nullable String next, boolean first) {}

    /** A type's name and what it stands for. */
    record TypeLine(
            String name,
            String path,
            String kinds,
            @Nullable Long size) {}

    @GetMapping(PagePath.BUILDS + "/{buildId}")
    String one(
            @PathVariable String buildId,
            @RequestParam(defaultValue = "") String q,
            @RequestParam(defaultValue = "") String cursor,
            HttpServletRequest request,
            Model model) {
        Build build = find(buildId);
        model.addAttribute("page", page(build, q.strip(), cursor, Caller.of(request)));
        if (!Htmx.asked(request)) {
            return "admin/builds/build";
        }
        return "types".equals(request.getHeader("HX-Target"))
                ? "admin/builds/build :: types"
                : "admin/builds/build :: standing";
    }

    @PostMapping(PagePath.BUILDS + "/{buildId}/retry")
    ModelAndView retry(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response) {
        BuildId id = BuildIdText.parse(buildId);
        Optional<BuildStatus> standing = retries.retry(id, Caller.of(request), RequestIds.of(request));
        return Htmx.done(request, response, PagePath.ofBuild(id).toString(), told(standing));
    }

    @PostMapping(PagePath.BUILDS + "/{buildId}/ask")
    ModelAndView ask(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response) {
        BuildId id = BuildIdText.parse(buildId);
        BuildStatus standing = extractions.ask(id);
        return Htmx.done(request, response, PagePath.ofBuild(id).toString(), told(Optional.of(standing)));
    }

    private static String told(Optional<BuildStatus> standing) {
        return standing.map(where -> switch (where) {
                    case BuildStatus.Busy _ -> "Too many builds wait already; try again in a minute.";
                    case BuildStatus.Settled _ -> "The sources have answered.";
                    case BuildStatus.InProgress _ -> "The sources are being asked. This page follows.";
                })
                .orElse("A source has delivered this build already; nothing was asked.");
    }

    private Build find(String buildId) {
        BuildId id = BuildIdText.parse(buildId);
        return builds.find(id)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        HttpStatus.NOT_FOUND,
                        "build_not_asked_for",
                        "Nobody has asked for this build",
                        "build " + id + " is not known here; search for it to have the sources asked, or to pin a"
                                + " field of it")));
    }

    private Page page(Build build, String q, String cursor, Caller caller) {
        StoredFile file = build.file().or(build::symbolsFile).orElse(null);
        return new Page(
                build.id().toString(),
                PagePath.ofBuild(build.id()).toString(),
                BuildLine.State.of(build),
                file == null ? null : File.of(file),
                build.failure()
                        .map(failure -> new Trouble(
                                failure.cause().code(),
                                failure.detail(),
                                failure.section() == null
                                        ? ""
                                        : failure.section()
                                                + (failure.offset() == null
                                                        ? ""
                                                        : "+0x" + Long.toHexString(failure.offset())),
                                inTime(build.retryAfter())))
                        .orElse(null),
                types.read(build, 0, types -> (long) types.definitionCount()).orElse(-1L),
                orNone(types.symbolCount(build)),
                build.checked().stream().map(BuildPages::source).toList(),
                conflicts.of(build.id()).stream().map(BuildPages::otherFile).toList(),
                pins.activeOf(build.id()).stream().map(BuildPages::pin).toList(),
                caller.scopes().contains(Scope.PUBLISH) && !delivered(build),
                caller.scopes().contains(Scope.ADMIN),
                types.read(build, 0, stored -> typeList(build.id(), stored, q, cursor))
                        .orElse(null));
    }

    private static boolean delivered(Build build) {
        return build.running()
                || build.file().filter(file -> file.upload() == null).isPresent();
    }

    private static long orNone(OptionalLong count) {
        return count.orElse(-1);
    }

    private static Source source(SourceOutcome outcome) {
        return new Source(
                outcome.source(),
                outcome.origin().word(),
                outcome.word().replace('_', ' '),
                badge(outcome),
                outcome.detail(),
                Moment.of(outcome.askedAt()),
                outcome.failure() == null ? "" : inTime(outcome.retryAfter()));
    }

    private static String badge(SourceOutcome outcome) {
        Failure failure = outcome.failure();
        if (failure == null) {
            return "badge-ok";
        }
        if (outcome.skipped() || outcome.means(BuildState.NOT_FOUND)) {
            return "badge-quiet";
        }
        return outcome.means(BuildState.UNUSABLE) || failure.cause() == Cause.UPSTREAM_BROKEN
                ? "badge-bad"
                : "badge-warn";
    }

    private static OtherFile otherFile(Conflict conflict) {
        Boolean differ = conflict.layoutsDiffer();
        return new OtherFile(
                conflict.label() == null ? conflict.source() : "upload by " + conflict.label(),
                conflict.sha256(),
                bytes(conflict.bytes()),
                conflict.architecture().machine(),
                differ == null ? "not compared" : differ ? "other layouts" : "same layouts",
                Moment.of(conflict.seenAt()));
    }

    private static PinLine pin(dev.offsetd.server.pins.Pin pin) {
        return new PinLine(
                pin.id().toString(),
                pin.draft().item(),
                PinWords.says(pin.draft().value()),
                PinWords.agreement(pin.agreement()),
                PinWords.style(pin.agreement()),
                pin.author());
    }

    private static TypeList typeList(BuildId id, StoredCatalogue stored, String q, String cursor) {
        String part = q.length() > MAX_PART ? q.substring(0, MAX_PART) : q;
        Optional<TypeNamePage.Position> after = Cursor.decode(TYPES, cursor).flatMap(TypeNamePage.Position::of);
        TypeNamePage page = TypeNamePage.read(stored, after.orElse(TypeNamePage.Position.START), part, PAGE);
        return new TypeList(
                part,
                page.names().stream().map(name -> typeLine(id, stored, name)).toList(),
                page.next()
                        .map(place -> PagePath.ofBuild(id)
                                .with("q", part)
                                .with("cursor", Cursor.encode(TYPES, place.toBytes()))
                                .toString())
                        .orElse(null),
                after.isEmpty());
    }

    private static TypeLine typeLine(BuildId id, StoredCatalogue stored, String name) {
        StoredCatalogue.Summary summary = stored.summary(name);
        return new TypeLine(
                name,
                PagePath.ofType(id, name).toString(),
                summary.kinds().stream().map(TypeKind::word).collect(Collectors.joining(", ")),
                summary.byteSize().isPresent() ? summary.byteSize().getAsLong() : null);
    }

    /** {@code in 5 minutes}; empty if now. */
    private static String inTime(Duration time) {
        long seconds = time.plusNanos(999_999_999).toSeconds();
        if (seconds <= 0) {
            return "";
        }
        return seconds < 120
                ? "in " + seconds + " s"
                : seconds < 7_200 ? "in " + seconds / 60 + " min" : "in " + seconds / 3_600 + " h";
    }

    private static String bytes(long bytes) {
        if (bytes < 10_000) {
            return bytes + " bytes";
        }
        return bytes < 10_000_000
                ? String.format(Locale.ROOT, "%.1f kB", bytes / 1e3)
                : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
