package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildFilter;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Origin;
import dev.offsetd.server.web.Cursor;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The list of builds. */
@Controller
class BuildListPages {

    private static final char LIST = 'b';
    private static final int PAGE = 50;
    private static final int MAX_TYPED = 200;

    private final Builds builds;

    BuildListPages(Builds builds) {
        this.builds = builds;
    }

    /** What was asked for, as it was typed. */
    record Query(String q, String state, String origin, String machine) {

        public boolean isFiltered() {
            return !(state.isEmpty() && origin.isEmpty() && machine.isEmpty());
        }

        /** Of the same question, from another place on; the first page if it is null. */
        public String path(@Nullable String cursor) {
            return PagePath.of(PagePath.BUILDS)
                    .with("q", q)
                    .with("state", state)
                    .with("origin", origin)
                    .with("machine", machine)
                    .with("cursor", cursor)
                    .toString();
        }
    }

    /**
     * What the page shows.
     *
     * @param here its own path, to look again
     * @param next path of the next page; null if this is the last
     * @param moving whether something on it changes by itself
     * @param wrong why nothing can be looked for; null if it can
     * @param unknown a whole build-id that nobody has asked for; null if none was typed
     */
    record Page(
            Query query,
            String here,
            List<BuildLine> lines,
            @Nullable String next,
            boolean first,
            boolean moving,
            @Nullable String wrong,
            @Nullable String unknown,
            List<String> states,
            List<String> origins) {}

    @GetMapping(PagePath.BUILDS)
    String list(
            @RequestParam(defaultValue = "") String q,
            @RequestParam(defaultValue = "") String state,
            @RequestParam(defaultValue = "") String origin,
            @RequestParam(defaultValue = "") String machine,
            @RequestParam(defaultValue = "") String cursor,
            HttpServletRequest request,
            Model model) {
        Query query = new Query(typed(q).toLowerCase(Locale.ROOT), typed(state), typed(origin), typed(machine));
        Optional<BuildId> whole = whole(query.q());
        boolean script = Htmx.asked(request);
        if (!script && !query.isFiltered() && whole.flatMap(builds::find).isPresent()) {
            return SeeOther.to(request, PagePath.ofBuild(whole.get()).toString());
        }
        model.addAttribute("page", page(query, cursor, whole));
        return script ? "admin/builds/list :: results" : "admin/builds/list";
    }

    private Page page(Query query, String cursor, Optional<BuildId> whole) {
        Optional<BuildFilter> filter = filter(query);
        Optional<BuildId> after =
                Cursor.decode(LIST, cursor).filter(BuildListPages::isBuildId).map(BuildId::of);
        List<Build> found =
                filter.map(known -> builds.page(known, after, PAGE + 1)).orElse(List.of());
        boolean more = found.size() > PAGE;
        List<Build> shown = more ? found.subList(0, PAGE) : found;
        List<BuildLine> lines = shown.stream().map(BuildLine::of).toList();
        return new Page(
                query,
                query.path(cursor),
                lines,
                more ? query.path(Cursor.encode(LIST, shown.getLast().id().toBytes())) : null,
                after.isEmpty(),
                lines.stream().anyMatch(line -> line.state().moving()),
                filter.isPresent() ? null : wrong(query),
                lines.isEmpty()
                        ? whole.filter(id -> builds.find(id).isEmpty())
                                .map(BuildId::toString)
                                .orElse(null)
                        : null,
                states(),
                Arrays.stream(Origin.values()).map(Origin::word).toList());
    }

    private static String typed(String text) {
        String trimmed = text.strip();
        return trimmed.length() > MAX_TYPED ? trimmed.substring(0, MAX_TYPED) : trimmed;
    }

    private static List<String> states() {
        List<String> states = new ArrayList<>(List.of(BuildFilter.RUNNING));
        Arrays.stream(BuildState.values()).map(BuildState::word).forEach(states::add);
        return states;
    }

    /** Empty if the words name nothing that a build can be. */
    private static Optional<BuildFilter> filter(Query query) {
        if (!query.state().isEmpty() && !states().contains(query.state())) {
            return Optional.empty();
        }
        Optional<Origin> origin = Arrays.stream(Origin.values())
                .filter(one -> one.word().equals(query.origin()))
                .findFirst();
        if (!query.origin().isEmpty() && origin.isEmpty()) {
            return Optional.empty();
        }
        return BuildFilter.of(
                query.state().isEmpty() ? null : query.state(),
                origin.orElse(null),
                query.machine().isEmpty() ? null : query.machine().replace("\0", ""),
                query.q());
    }

    private static String wrong(Query query) {
        return query.q().matches("[0-9a-f]{0,128}")
                ? "There is no such state or origin."
                : "A build-id has hex digits only: 0 to 9 and a to f, at most 128.";
    }

    /** A whole build-id: as short as the shortest that linkers write, 8 bytes. */
    private static Optional<BuildId> whole(String text) {
        try {
            return Optional.of(BuildId.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isBuildId(byte[] bytes) {
        return bytes.length >= BuildId.MIN_BYTES && bytes.length <= BuildId.MAX_BYTES;
    }
}
