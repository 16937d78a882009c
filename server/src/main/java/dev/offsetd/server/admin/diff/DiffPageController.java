package dev.offsetd.server.admin.diff;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.answers.types.LayoutComparison;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The page that compares two builds. */
@Controller
class DiffPageController {

    /** Builds to suggest. */
    private static final int RECENT = 30;

    /** Most type sets that group the types. */
    private static final int MAX_SETS = 50;

    /** Long enough for most builds, short enough that the page still feels responsive. */
    private static final Wait WAIT = new Wait(Duration.ofSeconds(3), false);

    private final LayoutComparison layouts;
    private final BuildStatistics statistics;
    private final BuildTitles titles;
    private final TypeSets sets;
    private final BuildKeys keys;

    DiffPageController(
            LayoutComparison layouts, BuildStatistics statistics, BuildTitles titles, TypeSets sets, BuildKeys keys) {
        this.layouts = layouts;
        this.sets = sets;
        this.keys = keys;
        this.statistics = statistics;
        this.titles = titles;
    }

    /** A form that cannot be evaluated. */
    private static final class InvalidFormException extends RuntimeException {

        InvalidFormException(String message) {
            super(message, null, false, false);
        }
    }

    @GetMapping("/admin/diff")
    String page(
            @RequestParam(name = "from", defaultValue = "") String from,
            @RequestParam(name = "to", defaultValue = "") String to,
            @RequestParam(name = "types", defaultValue = "") String types,
            @RequestParam(name = "only", defaultValue = "") String only,
            HttpServletResponse response,
            Model model) {
        DiffPage.DiffForm typed = new DiffPage.DiffForm(from.strip(), to.strip(), types.strip(), !only.isEmpty());
        DiffPage page;
        try {
            page = typed.from().isEmpty()
                            && typed.to().isEmpty()
                            && typed.types().isEmpty()
                    ? page(typed, null, null, null, null)
                    : compared(typed);
        } catch (InvalidFormException e) {
            response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
            page = page(typed, e.getMessage(), null, null, null);
        } catch (ProblemException e) {
            response.setStatus(e.problem().status().value());
            page = page(typed, text(e), null, null, null);
        }
        titles.addTo(
                model,
                Stream.concat(page.recent().stream(), Stream.of(typed.from(), typed.to()))
                        .flatMap(text -> BuildFilter.wholeBuildId(text).stream()));
        model.addAttribute("diff", page);
        return "admin/diff/page";
    }

    private static String text(ProblemException e) {
        Object build = e.problem().members().get("buildId");
        return (build == null ? "" : "build " + build + ": ") + e.problem().detail();
    }

    private DiffPage page(
            DiffPage.DiffForm typed,
            @Nullable String error,
            @Nullable String waiting,
            DiffPage.@Nullable Comparison result,
            DiffPage.@Nullable BuildComparison all) {
        List<String> recent =
                statistics.latestStored(RECENT).stream().map(BuildId::toString).toList();
        return new DiffPage(typed, recent, error, waiting, result, all);
    }

    private DiffPage compared(DiffPage.DiffForm typed) {
        BuildId from = buildId("left", typed.from());
        BuildId to = buildId("right", typed.to());
        List<Item> items = layouts.items(items(typed.types()));
        return switch (layouts.open(request(from), request(to))) {
            case LayoutComparison.InProgress(BuildRequest missing) ->
                page(typed, null, missing.id().toString(), null, null);
            case LayoutComparison.ComparedBuilds sides -> {
                DiffPage.DiffForm known =
                        new DiffPage.DiffForm(from.toString(), to.toString(), typed.types(), typed.only());
                Optional<DiffPage> page = items.isEmpty()
                        ? layouts.comparing(sides, BuildDifferences.BATCH, () -> BuildDifferences.of(sides, sets()))
                                .map(all -> page(known, null, null, null, all))
                        : layouts.comparing(sides, items.size(), () -> Differences.of(items, sides, typed.only()))
                                .map(result -> page(known, null, null, result, null));
                // One of them is being extracted again.
                yield page.orElseGet(() -> page(typed, null, from.toString(), null, null));
            }
        };
    }

    private static BuildRequest request(BuildId id) {
        return new BuildRequest(id, BuildRequest.Part.TYPES, WAIT, null);
    }

    private List<TypeSet> sets() {
        return sets.after("", MAX_SETS).stream()
                .map(set -> set.document().set())
                .toList();
    }

    private BuildId buildId(String side, String text) {
        if (text.isEmpty()) {
            throw new InvalidFormException("the build on the " + side + " is missing");
        }
        try {
            return keys.resolve(BuildId.parseKey(text));
        } catch (IllegalArgumentException e) {
            throw new InvalidFormException("the build on the " + side + ": " + HostileText.quote(text)
                    + " is not a build-id: " + e.getMessage());
        }
    }

    /** Returns the items; none for all types. */
    private static List<Item> items(String types) {
        if (types.isEmpty()) {
            return List.of();
        }
        try {
            return ItemParser.parseList(List.of(types));
        } catch (ItemSyntaxException e) {
            throw new InvalidFormException(String.valueOf(e.getMessage()));
        }
    }
}
