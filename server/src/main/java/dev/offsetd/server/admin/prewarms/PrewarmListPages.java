package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.shell.BuildIds;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.demand.DemandOrder;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.PrewarmState;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.prewarms.Priority;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** The list of batches and the forms that create one, from pasted build-ids or from unmet demand. */
@Controller
class PrewarmListPages {

    static final String PATH = "/admin/prewarms";

    private static final String VIEW = "admin/prewarms/page";
    private static final String BUILDS = "builds";
    private static final String TYPES = "types";
    private static final String PRIORITY = "priority";
    private static final int DEMAND_ROWS = 20;

    private final Prewarms prewarms;
    private final Demand demand;
    private final BuildTitles titles;

    PrewarmListPages(Prewarms prewarms, Demand demand, BuildTitles titles) {
        this.prewarms = prewarms;
        this.demand = demand;
        this.titles = titles;
    }

    @GetMapping(PATH)
    String page(HttpServletRequest request, Model model) {
        show(model, ListQuery.of(request, Set.of()), FormFields.of(Map.of(PRIORITY, Priority.NORMAL.word())));
        return Htmx.view(request, VIEW, "batches");
    }

    @PostMapping(PATH)
    ModelAndView create(
            @RequestParam(defaultValue = "") List<String> builds,
            @RequestParam(defaultValue = "") String types,
            @RequestParam(defaultValue = "normal") String priority,
            HttpServletRequest request,
            Model model,
            RedirectAttributes next) {
        String typed = String.join("\n", builds);
        Map<String, String> errors = new LinkedHashMap<>();
        List<BuildId> ids = List.of();
        List<String> items = List.of();
        try {
            ids = BuildIds.parse(typed, PrewarmDraft.MAX_BUILDS);
            if (ids.isEmpty()) {
                errors.put(BUILDS, "no build-id; expected at least one");
            }
        } catch (IllegalArgumentException e) {
            errors.put(BUILDS, String.valueOf(e.getMessage()));
        }
        try {
            items = items(types);
        } catch (ItemSyntaxException e) {
            errors.put(TYPES, String.valueOf(e.getMessage()));
        }
        if (errors.isEmpty()) {
            try {
                PrewarmDraft draft = new PrewarmDraft(
                        ids, Map.of(), items, Priority.ofWord(priority).orElse(Priority.NORMAL));
                PrewarmSummary created = prewarms.create(draft, Caller.of(request), RequestIds.of(request))
                        .summary();
                next.addFlashAttribute("notice", "Prewarming " + Format.count(ids.size(), "build") + ".");
                return new ModelAndView(SeeOther.to(request, PATH + "/" + created.id()));
            } catch (ProblemException e) {
                // Build-ids were checked above, except for their number in all batches together.
                errors.put(
                        e.problem().status() == HttpStatus.BAD_REQUEST ? TYPES : BUILDS,
                        e.problem().detail());
            }
        }
        Map<String, String> values = Map.of(BUILDS, typed, TYPES, types, PRIORITY, priority);
        show(model, ListQuery.ofStart(PATH), FormFields.of(values).refused(errors));
        return new ModelAndView(VIEW, HttpStatus.UNPROCESSABLE_CONTENT);
    }

    private static List<String> items(String text) throws ItemSyntaxException {
        return text.isBlank()
                ? List.of()
                : ItemParser.parseList(List.of(text)).stream().map(Item::text).toList();
    }

    private void show(Model model, ListQuery query, FormFields form) {
        Optional<CreationPosition> after = query.creationPosition(PrewarmSummary.LIST);
        ListPage<PrewarmSummary> list = ListPage.read(
                query,
                PrewarmSummary.LIST,
                limit -> prewarms.page(after, limit),
                batch -> batch.position().toBytes());
        boolean changing = list.rows().stream().anyMatch(batch -> batch.state() == PrewarmState.ACTIVE);
        model.addAttribute("list", list);
        model.addAttribute("polling", changing && list.first() == null);
        model.addAttribute("form", form);
        model.addAttribute("maxBuilds", PrewarmDraft.MAX_BUILDS);
        List<DemandCount> unmet = demand.page(DemandOrder.COUNT, Optional.empty(), Optional.empty(), DEMAND_ROWS);
        model.addAttribute("demand", unmet);
        titles.addTo(model, unmet.stream().map(DemandCount::id));
    }
}
