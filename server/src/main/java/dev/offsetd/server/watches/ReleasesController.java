package dev.offsetd.server.watches;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Need;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.api.model.ReleaseEntry;
import dev.offsetd.server.api.model.ReleaseList;
import dev.offsetd.server.api.model.ReleasedBuild;
import dev.offsetd.server.api.model.ReleasesWatch;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Releases that watches have read, and whether they are ready for a consumer of a type set. */
@RestController
class ReleasesController {

    private static final String SET = "set";
    private static final String SINCE = "since";
    private static final Pattern AGO = Pattern.compile("([0-9]{1,5})([dh])");
    private static final Duration USUAL = Duration.ofDays(30);

    /** By how much the clock of a client may be ahead. */
    private static final Duration CLOCK_DIFFERENCE = Duration.ofDays(1);

    private final WatchTable table;
    private final Builds builds;
    private final BuildCoverage coverage;

    ReleasesController(WatchTable table, Builds builds, BuildCoverage coverage) {
        this.table = table;
        this.builds = builds;
        this.coverage = coverage;
    }

    @GetMapping(
            path = "/v1/releases",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<ReleaseList> list(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, Set.of(SET, SINCE));
        String set = query.filter(SET).orElseThrow(() -> ListQuery.badValue(SET, "", "the name of a type set"));
        var _ = coverage.validate(List.of("@" + set));
        Instant since = query.filter(SINCE)
                .map(ReleasesController::since)
                .orElseGet(() -> Instant.now().minus(USUAL));
        CreationPosition after = query.creationPosition(Release.LIST).orElse(null);
        ListPage<Release> page = ListPage.read(
                query,
                Release.LIST,
                limit -> table.releases(set, since, after, limit),
                release -> new CreationPosition(release.seenAt(), release.id()).toBytes());
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok().cacheControl(CacheControl.noStore());
        page.link(answer);
        return answer.body(new ReleaseList(
                        page.map(release -> entry(release, set)).rows(), lacking(set))
                .next(page.next()));
    }

    /** Returns the watches that have not read everything, or whose places lack something: their releases are not in the list. */
    private List<ReleasesWatch> lacking(String set) {
        return table.of(set).stream()
                .filter(watch -> !watch.hasReadAll() || watch.cause() != null)
                .map(watch -> new ReleasesWatch(watch.name(), watch.hasReadAll())
                        .outcome(WatchesController.outcome(watch, ReleasesWatch.OutcomeEnum::fromValue))
                        .cause(WatchesController.cause(watch.cause())))
                .toList();
    }

    private static Instant since(String text) {
        Matcher ago = AGO.matcher(text);
        if (ago.matches()) {
            long number = Long.parseLong(ago.group(1));
            return Instant.now().minus(ago.group(2).equals("d") ? Duration.ofDays(number) : Duration.ofHours(number));
        }
        try {
            Instant since = OffsetDateTime.parse(text).toInstant();
            if (since.isAfter(Instant.EPOCH) && since.isBefore(Instant.now().plus(CLOCK_DIFFERENCE))) {
                return since;
            }
            throw ListQuery.badValue(SINCE, text, "a time after 1970 that does not lie in the future");
        } catch (DateTimeException e) {
            throw ListQuery.badValue(SINCE, text, "a time such as 2026-11-01T00:00:00Z, 30d or 12h");
        }
    }

    private ReleaseEntry entry(Release release, String set) {
        List<ReleasedBuild> found =
                release.builds().stream().flatMap(id -> build(id, set).stream()).toList();
        boolean ready = release.cause() == null
                && found.stream()
                        .allMatch(
                                build -> build.getStored() && build.getMissing().isEmpty());
        return new ReleaseEntry(
                        release.watch(),
                        release.name(),
                        release.version(),
                        release.architecture(),
                        WatchesController.time(release.seenAt()),
                        ready,
                        found)
                .cause(WatchesController.cause(release.cause()));
    }

    /** Returns a build with what it lacks; empty if it is of another set of the watch. */
    private Optional<ReleasedBuild> build(BuildId id, String set) {
        Optional<Coverage> found =
                builds.find(id).filter(build -> build.file() != null).flatMap(build -> coverage.ofSet(build, set));
        if (found.filter(known -> !FoundBuilds.applies(known)).isPresent()) {
            return Optional.empty();
        }
        List<String> missing = found.stream()
                .flatMap(known -> known.missing().stream())
                .filter(entry -> entry.need() == Need.REQUIRED)
                .map(Coverage.MissingEntry::name)
                .toList();
        return Optional.of(new ReleasedBuild(id.toString(), found.isPresent(), missing));
    }
}
