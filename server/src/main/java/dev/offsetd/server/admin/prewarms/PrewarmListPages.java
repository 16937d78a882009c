package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildIds;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.demand.DemandOrder;
import dev.offsetd.server.builds.demand.DemandTable;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** The list of batches and the forms that create one, from pasted build-ids or from unmet demand. */
@Controller
class PrewarmListPages {

    static final String PATH = "/admin/prewarms";

    private static final String VIEW = "admin/prewarms/page";
    private static final int DEMAND_ROWS = 20;

    private final Prewarms prewarms;
    private final DemandTable demand;
    private final BuildTitles titles;

    PrewarmListPages(Prewarms prewarms, DemandTable demand, BuildTitles titles) {
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

    @GetMapping(PATH)
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("form", new PrewarmForm(null, null, null));
        show(model, ListQuery.of(request, Set.of()));
        return Htmx.view(request, VIEW, "batches");
    }

    @PostMapping(PATH)
    ModelAndView create(
            @ModelAttribute("form") PrewarmForm form,
            BindingResult errors,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
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
                return Htmx.done(
                        request,
                        response,
                        PATH + "/" + created.id(),
                        "Prewarming " + Format.count(ids.size(), "build") + ".");
            } catch (ProblemException e) {
                // Build-ids were checked above, except for their number in all batches together.
                errors.rejectValue(
                        e.problem().status() == HttpStatus.BAD_REQUEST ? "types" : "builds",
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
        CreationPosition after = query.creationPosition(PrewarmSummary.LIST).orElse(null);
        ListPage<PrewarmSummary> list = ListPage.read(
                query,
                PrewarmSummary.LIST,
                limit -> prewarms.page(after, limit),
                batch -> batch.position().toBytes());
        boolean changing = list.rows().stream().anyMatch(batch -> batch.state() == PrewarmSummary.State.ACTIVE);
        model.addAttribute("list", list);
        model.addAttribute("polling", changing && list.first() == null);
        model.addAttribute("maxBuilds", PrewarmDraft.MAX_BUILDS);
        List<DemandCount> unmet = demand.page(DemandOrder.COUNT, null, null, DEMAND_ROWS);
        model.addAttribute("demand", unmet);
        titles.addTo(model, unmet.stream().map(DemandCount::id));
    }
}
