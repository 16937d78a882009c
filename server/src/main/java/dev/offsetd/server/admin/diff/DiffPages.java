package dev.offsetd.server.admin.diff;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.BuildIds;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.types.LayoutComparison;
import dev.offsetd.server.answers.types.LayoutComparison.ComparedBuilds;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.validation.Errors;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;

/** The page that compares two builds. */
@Controller
class DiffPages {

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
    private final Identities identities;
    private final BuildKeys keys;

    DiffPages(
            LayoutComparison layouts,
            BuildStatistics statistics,
            BuildTitles titles,
            TypeSets sets,
            Identities identities,
            BuildKeys keys) {
        this.identities = identities;
        this.layouts = layouts;
        this.sets = sets;
        this.keys = keys;
        this.statistics = statistics;
        this.titles = titles;
    }

    /**
     * The form, and the part of the comparison that a link asks for.
     *
     * @param others whether to compare the types of other languages
     * @param at number of types before the part, or of rows if types are named
     */
    record DiffForm(String from, String to, String types, Boolean only, Boolean others, Integer at) {

        DiffForm(
                @Nullable String from,
                @Nullable String to,
                @Nullable String types,
                @Nullable Boolean only,
                @Nullable Boolean others,
                @Nullable Integer at) {
            this.from = Objects.toString(from, "").strip();
            this.to = Objects.toString(to, "").strip();
            this.types = Objects.toString(types, "").strip();
            this.only = Boolean.TRUE.equals(only);
            this.others = Boolean.TRUE.equals(others);
            this.at = at == null ? 0 : Math.max(0, at);
        }

        boolean isEmpty() {
            return from.isEmpty() && to.isEmpty() && types.isEmpty();
        }

        /** Returns the path of a part of the comparison. */
        public String part(boolean otherLanguages, int after) {
            return PagePath.of("/admin/diff")
                    .with("from", from)
                    .with("to", to)
                    .with("types", types)
                    .with("only", only ? "on" : null)
                    .with("others", otherLanguages ? "true" : null)
                    .with("at", after)
                    .toString();
        }
    }

    @GetMapping("/admin/diff")
    String page(
            @ModelAttribute("typed") DiffForm typed,
            BindingResult errors,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
        if (errors.hasErrors()) {
            throw ProblemException.badRequest(
                    "bad_parameter",
                    "A parameter cannot be read",
                    "expected a number in at, and true or false in only and others");
        }
        List<String> recent =
                statistics.latestStored(RECENT).stream().map(BuildId::toString).toList();
        model.addAttribute("recent", recent);
        if (!typed.isEmpty()) {
            response.setStatus(compare(typed, errors, WAIT.permittedTo(request), Caller.of(request), model)
                    .value());
        }
        titles.addTo(
                model,
                Stream.concat(recent.stream(), Stream.of(typed.from(), typed.to()))
                        .flatMap(text -> BuildFilter.wholeBuildId(text).stream()));
        if (!Htmx.asked(request) || Htmx.isFor(request, "diff")) {
            return "admin/diff/page";
        }
        if (model.getAttribute("all") != null) {
            return "admin/diff/page :: part";
        }
        if (model.getAttribute("result") != null) {
            return "admin/diff/page :: items";
        }
        // A build is being fetched, or the form has errors: the whole page shows which.
        Htmx.reload(response);
        return "admin/diff/page";
    }

    /** Adds the comparison, or the errors of the fields. */
    private HttpStatus compare(DiffForm typed, Errors errors, Wait wait, Caller caller, Model model) {
        Optional<BuildId> from = BuildIds.read("from", typed.from(), keys, errors);
        Optional<BuildId> to = BuildIds.read("to", typed.to(), keys, errors);
        Optional<List<Item>> items = items(typed.types(), errors);
        if (from.isEmpty() || to.isEmpty() || items.isEmpty()) {
            return HttpStatus.UNPROCESSABLE_CONTENT;
        }
        try {
            compare(request(from.get(), wait, caller), request(to.get(), wait, caller), items.get(), typed, model);
            return HttpStatus.OK;
        } catch (ProblemException e) {
            Object build = e.problem().members().get("buildId");
            errors.rejectValue(
                    Objects.toString(e.problem().members().get("side"), ""),
                    "refused",
                    (build == null ? "" : "build " + build + ": ") + e.problem().detail());
            return e.problem().status();
        }
    }

    /** Returns the items, none for all types; empty if the field is wrong. */
    private Optional<List<Item>> items(String types, Errors errors) {
        try {
            return Optional.of(layouts.items(types.isEmpty() ? List.of() : ItemParser.parseList(List.of(types))));
        } catch (ItemSyntaxException e) {
            errors.rejectValue("types", "malformed", String.valueOf(e.getMessage()));
        } catch (ProblemException e) {
            errors.rejectValue("types", "refused", e.problem().detail());
        }
        return Optional.empty();
    }

    /**
     * Adds the comparison of items or of all types, or the build that is being fetched.
     *
     * @throws ProblemException if a build is unavailable
     */
    private void compare(BuildRequest first, BuildRequest second, List<Item> items, DiffForm typed, Model model) {
        BuildId from = first.id();
        BuildId to = second.id();
        switch (layouts.open(first, second)) {
            case LayoutComparison.InProgress(BuildRequest missing) ->
                model.addAttribute("waiting", missing.id().toString());
            case ComparedBuilds sides -> {
                model.addAttribute(
                        "machines", List.of(Differences.machine(sides.from()), Differences.machine(sides.to())));
                Optional<?> result = items.isEmpty()
                        ? layouts.comparing(
                                sides,
                                BuildDifferences.BATCH,
                                () -> BuildDifferences.of(sides, setsOf(from, to), typed.others(), typed.at()))
                        : layouts.comparing(
                                sides, items.size(), () -> Differences.of(items, sides, typed.only(), typed.at()));
                if (result.isPresent()) {
                    model.addAttribute(items.isEmpty() ? "all" : "result", result.get());
                } else {
                    // One of them is being extracted again.
                    model.addAttribute("waiting", from.toString());
                }
                // Alias keys have become build-ids. The new form has no errors, so it comes after every refusal.
                model.addAttribute(
                        "typed",
                        new DiffForm(
                                from.toString(),
                                to.toString(),
                                typed.types(),
                                typed.only(),
                                typed.others(),
                                typed.at()));
            }
        }
    }

    /** Returns the sets that have something in one of the builds. It is not known of sets that are newer than the builds. */
    private List<TypeSet> setsOf(BuildId from, BuildId to) {
        Set<String> covered = identities.coverage(List.of(from, to)).values().stream()
                .flatMap(List::stream)
                .map(SetCoverage::set)
                .collect(Collectors.toSet());
        Map<String, TypeSet> found = new TreeMap<>();
        sets.first(MAX_SETS).stream()
                .filter(set -> !sets.isBuiltIn(set.name()))
                .forEach(own -> found.put(own.name(), own));
        covered.forEach(name -> sets.find(name)
                .ifPresent(known -> found.put(name, known.document().set())));
        return List.copyOf(found.values());
    }

    private static BuildRequest request(BuildId id, Wait wait, Caller caller) {
        return new BuildRequest(id, caller, BuildRequest.Part.TYPES, wait, null);
    }
}
