package dev.offsetd.server.admin;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.demand.DemandOrder;
import dev.offsetd.server.builds.demand.DemandTable;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.prewarms.Prewarm;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.PrewarmItem;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** The list of batches with the forms that create one, from pasted build-ids or from unmet demand, and one batch with its progress. */
@Controller
class PrewarmPages {

    private static final String PATH = "/admin/prewarms";
    private static final String ONE = PATH + "/{id}";

    private static final String VIEW = "admin/prewarms/page";
    private static final int DEMAND_ROWS = 20;

    /** Builds of a batch that are shown without {@code all}. */
    private static final int ROWS = 100;

    /** Missing items listed by name. */
    private static final int NAMED = 5;

    private final Prewarms prewarms;
    private final DemandTable demand;
    private final BuildTitles titles;

    PrewarmPages(Prewarms prewarms, DemandTable demand, BuildTitles titles) {
        this.prewarms = prewarms;
        this.demand = demand;
        this.titles = titles;
    }

    /** The form of a batch: build-ids, and items to look up in each of them. */
    record PrewarmForm(List<String> builds, String types, String priority) {

        PrewarmForm(@Nullable List<String> builds, @Nullable String types, @Nullable String priority) {
            this.builds = builds == null ? List.of() : builds;
            this.types = Objects.toString(types, "");
            this.priority = Objects.toString(priority, Priority.NORMAL.word());
        }

        /** Returns the build-ids as typed, or one a line. */
        public String text() {
            return String.join("\n", builds);
        }
    }

    /** A build of the batch, with the text of its details. */
    record BuildLine(PrewarmItem item, String details) {}

    @GetMapping(PATH)
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("form", new PrewarmForm(null, null, null));
        show(model, ListQuery.of(request, Set.of()));
        return Htmx.view(request, VIEW, "batches");
    }

    @PostMapping(PATH)
    ModelAndView create(
            @ModelAttribute("form") PrewarmForm form, BindingResult errors, HttpServletRequest request, Model model) {
        List<BuildId> ids = List.of();
        List<String> items = List.of();
        try {
            ids = BuildIds.parse(form.text(), PrewarmDraft.MAX_BUILDS);
            if (ids.isEmpty()) {
                errors.rejectValue("builds", "empty", "no build-id; expected at least one");
            }
        } catch (IllegalArgumentException e) {
            errors.rejectValue("builds", "malformed", String.valueOf(e.getMessage()));
        }
        try {
            items = items(form.types());
        } catch (ItemSyntaxException e) {
            errors.rejectValue("types", "malformed", String.valueOf(e.getMessage()));
        }
        if (!errors.hasErrors()) {
            try {
                PrewarmDraft draft = new PrewarmDraft(
                        ids,
                        Map.of(),
                        items,
                        Word.find(Priority.class, form.priority()).orElse(Priority.NORMAL));
                PrewarmSummary created =
                        prewarms.create(draft, Actor.of(request)).summary();
                return Htmx.done(PATH + "/" + created.id(), "Prewarming " + Format.count(ids.size(), "build") + ".");
            } catch (ProblemException e) {
                // Build-ids were checked above, except for their number in all batches together.
                errors.rejectValue(
                        e.problem().status().is4xxClientError() ? "types" : "builds",
                        "refused",
                        e.problem().detail());
            }
        }
        show(model, ListQuery.ofStart(PATH));
        return new ModelAndView(VIEW, HttpStatus.UNPROCESSABLE_CONTENT);
    }

    private static List<String> items(String text) throws ItemSyntaxException {
        return text.isBlank()
                ? List.of()
                : ItemParser.parseList(List.of(text)).stream().map(Item::text).toList();
    }

    private void show(Model model, ListQuery query) {
        ListPage<PrewarmSummary> list = prewarms.page(query);
        boolean changing = list.rows().stream().anyMatch(batch -> batch.state() == PrewarmSummary.State.ACTIVE);
        model.addAttribute("list", list);
        model.addAttribute("polling", changing && list.first() == null);
        model.addAttribute("maxBuilds", PrewarmDraft.MAX_BUILDS);
        List<DemandCount> unmet = demand.page(DemandOrder.COUNT, null, null, DEMAND_ROWS);
        model.addAttribute("demand", unmet);
        titles.addTo(model, unmet.stream().map(DemandCount::id));
    }

    @GetMapping(ONE)
    String one(
            @PathVariable String id,
            @RequestParam(defaultValue = "false") boolean all,
            HttpServletRequest request,
            Model model) {
        Prewarm prewarm = Ids.uuid(id).flatMap(prewarms::find).orElseThrow(() -> unknown(id));
        List<BuildLine> lines = prewarm.items().stream()
                .sorted(Comparator.comparingInt(PrewarmPages::rank))
                .limit(all ? Long.MAX_VALUE : ROWS)
                .map(item -> new BuildLine(item, details(item)))
                .toList();
        boolean active = prewarm.summary().state() == PrewarmSummary.State.ACTIVE;
        model.addAttribute("batch", prewarm.summary());
        model.addAttribute("active", active);
        model.addAttribute("partial", Htmx.asked(request));
        model.addAttribute("lines", lines);
        titles.addTo(model, lines.stream().map(line -> line.item().buildId()));
        model.addAttribute("more", prewarm.items().size() - lines.size());
        model.addAttribute("again", active ? List.of() : missing(prewarm));
        return Htmx.view(request, "admin/prewarms/one", "progress");
    }

    private static List<String> missing(Prewarm prewarm) {
        return prewarm.items().stream()
                .filter(item -> item.state() == PrewarmItem.State.FAILED || item.state() == PrewarmItem.State.CANCELLED)
                .map(item -> item.buildId().toString())
                .toList();
    }

    @PostMapping(ONE + "/cancel")
    ModelAndView cancel(@PathVariable String id, HttpServletRequest request) {
        Prewarm prewarm = Ids.uuid(id)
                .flatMap(known -> prewarms.cancel(known, Actor.of(request)))
                .orElseThrow(() -> unknown(id));
        return Htmx.done(
                PATH + "/" + id,
                prewarm.summary().state() == PrewarmSummary.State.CANCELLED
                        ? "Cancelled. Builds that are already being fetched continue."
                        : "The batch had already ended.");
    }

    private static ProblemException unknown(String id) {
        return ProblemException.notFound(
                "not_found",
                "No such batch",
                "no batch has the id " + HostileText.quote(id) + "; ended batches are deleted after some time");
    }

    /** Ranks builds in progress first, then those that need attention. */
    private static int rank(PrewarmItem item) {
        return switch (item.state()) {
            case EXTRACTING -> 0;
            case FETCHING -> 1;
            case FAILED -> 2;
            case WAITING -> 3;
            case DONE -> item.complete() ? 5 : 4;
            case CANCELLED -> 6;
        };
    }

    /** Returns why a build failed or which items it lacks; empty if there is nothing to report. */
    private static String details(PrewarmItem item) {
        if (item.cause() != null) {
            return item.cause().detail();
        }
        if (item.result() == null || item.complete()) {
            return "";
        }
        List<String> missing = new ArrayList<>(item.result().missing());
        item.result().coverage().values().forEach(share -> missing.addAll(share.missing()));
        return "missing: " + String.join(", ", missing.subList(0, Math.min(NAMED, missing.size())))
                + (missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "");
    }
}
