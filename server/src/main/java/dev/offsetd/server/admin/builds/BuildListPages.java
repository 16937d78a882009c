package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.admin.SeeOther;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.BuildOrder;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.retries.Retries;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** The list of builds, and the actions that query their sources. */
@Controller
class BuildListPages {

    private static final char LIST = 'b';
    private static final String TEXT = "q";
    private static final String STATE = "state";
    private static final String ORIGIN = "origin";
    private static final String MACHINE = "machine";
    private static final String SORT = "sort";
    private static final Set<String> FILTER = Set.of(TEXT, STATE, ORIGIN, MACHINE, SORT);

    private static final List<String> STATES = Stream.concat(
                    Stream.of(BuildFilter.RUNNING),
                    Arrays.stream(BuildState.values()).map(BuildState::word))
            .toList();

    private final Builds builds;
    private final FilteredBuilds search;
    private final BuildTitles titles;
    private final BuildKeys keys;
    private final Retries retries;
    private final Extractions extractions;

    BuildListPages(
            Builds builds,
            FilteredBuilds search,
            BuildTitles titles,
            BuildKeys keys,
            Retries retries,
            Extractions extractions) {
        this.retries = retries;
        this.extractions = extractions;
        this.builds = builds;
        this.search = search;
        this.titles = titles;
        this.keys = keys;
    }

    @GetMapping(PagePath.BUILDS)
    String list(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, FILTER);
        String text = query.filter(TEXT).orElse("");
        String searched = text;
        String wrong = null;
        try {
            searched = keys.searched(text);
        } catch (ProblemException e) {
            wrong = e.problem().detail();
        }
        Optional<BuildId> whole = wrong == null ? BuildFilter.wholeBuildId(searched) : Optional.empty();
        boolean filtered = Stream.of(STATE, ORIGIN, MACHINE)
                .anyMatch(name -> query.filter(name).isPresent());
        if (!Htmx.asked(request) && !filtered && whole.flatMap(builds::find).isPresent()) {
            return SeeOther.to(request, PagePath.ofBuild(whole.get()).toString());
        }
        Optional<BuildFilter> filter = wrong == null ? filter(query, searched) : Optional.empty();
        if (wrong == null && filter.isEmpty()) {
            wrong = "Unknown status or origin, or a search without words.";
        }
        BuildOrder order = query.filter(SORT)
                .map(word -> Word.find(BuildOrder.class, word)
                        .orElseThrow(() -> ListQuery.badValue(SORT, word, "\"name\", \"result\" or \"build_id\"")))
                .orElse(BuildOrder.BUILD_ID);
        BuildId after = query.buildPosition(LIST).orElse(null);
        ListPage<Build> list = filter.map(known -> ListPage.read(
                        query,
                        LIST,
                        limit -> search.page(known, order, after, limit),
                        build -> build.id().toBytes()))
                .orElseGet(() -> new ListPage<>(query, List.of(), null));
        model.addAttribute("list", list);
        titles.addTo(model, list.rows().stream().map(Build::id));
        model.addAttribute("filtered", filtered || !text.isEmpty());
        model.addAttribute("polling", list.rows().stream().anyMatch(BuildListPages::isChanging));
        model.addAttribute("wrong", wrong);
        model.addAttribute(
                "unknown",
                list.rows().isEmpty()
                        ? whole.filter(id -> builds.find(id).isEmpty()).orElse(null)
                        : null);
        model.addAttribute("sort", order.word());
        model.addAttribute("states", STATES);
        model.addAttribute("origins", Origin.known().stream().map(Origin::word).toList());
        return Htmx.view(request, "admin/builds/list", "results");
    }

    @PostMapping(PagePath.BUILDS + "/{buildId}/retry")
    ModelAndView retry(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        Optional<BuildStatus> status = retries.retry(id, Actor.of(request));
        return Htmx.done(
                PagePath.ofBuild(id).toString(),
                status.map(BuildListPages::notice)
                        .orElse("A source already provided this build; nothing was queried."));
    }

    @PostMapping(PagePath.BUILDS + "/{buildId}/ask")
    ModelAndView ask(@PathVariable String buildId) {
        BuildId id = keys.resolve(buildId);
        return Htmx.done(PagePath.ofBuild(id).toString(), notice(extractions.request(id)));
    }

    private static String notice(BuildStatus status) {
        return switch (status) {
            case BuildStatus.Settled _ -> "The sources have answered.";
            case BuildStatus.InProgress work
            when work.refused().isPresent() -> "Too many builds are queued; try again in a minute.";
            case BuildStatus.InProgress _ -> "Querying the sources. This page updates by itself.";
        };
    }

    /** Returns whether the build's status changes without another request. */
    static boolean isChanging(Build build) {
        return build.running() || build.state() == BuildState.WANTED;
    }

    /** Returns the filter; empty if a word is unknown or the search text has none. */
    private static Optional<BuildFilter> filter(ListQuery query, String searched) {
        Optional<String> state = query.filter(STATE);
        Optional<String> word = query.filter(ORIGIN);
        Optional<Origin> origin = Origin.known().stream()
                .filter(one -> word.filter(one.word()::equals).isPresent())
                .findFirst();
        return state.filter(one -> !STATES.contains(one)).isPresent() || origin.isPresent() != word.isPresent()
                ? Optional.empty()
                : BuildFilter.of(
                        state.orElse(null),
                        origin.orElse(null),
                        query.filter(MACHINE).orElse(null),
                        searched,
                        query::filter);
    }
}
