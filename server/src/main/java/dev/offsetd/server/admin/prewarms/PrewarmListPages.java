package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.demand.DemandOrder;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.prewarms.Priority;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashSet;
import java.util.List;
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

/** The list of batches, and making one: of typed build-ids, or of what is in demand. */
@Controller
class PrewarmListPages {

    static final String PATH = "/admin/prewarms";

    private static final String VIEW = "admin/prewarms/page";
    private static final int DEMAND_ROWS = 20;

    private final Prewarms prewarms;
    private final Demand demand;

    PrewarmListPages(Prewarms prewarms, Demand demand) {
        this.prewarms = prewarms;
        this.demand = demand;
    }

    @GetMapping(PATH)
    String page(HttpServletRequest request, Model model) {
        model.addAttribute(
                "prewarms",
                shown(
                        ListQuery.of(request, Set.of()),
                        new PrewarmsPage.Form("", "", Priority.NORMAL.word(), PrewarmDraft.MAX_BUILDS, null, null)));
        return VIEW;
    }

    @GetMapping(
            path = PATH,
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String moving(HttpServletRequest request, Model model) {
        page(request, model);
        return VIEW + " :: batches";
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
        String wrongBuilds = null;
        String wrongTypes = null;
        List<BuildId> ids = List.of();
        List<String> items = List.of();
        try {
            ids = ids(typed);
        } catch (IllegalArgumentException e) {
            wrongBuilds = e.getMessage();
        }
        try {
            items = items(types);
        } catch (ItemSyntaxException e) {
            wrongTypes = e.getMessage();
        }
        if (wrongBuilds == null && wrongTypes == null) {
            try {
                PrewarmSummary made = prewarms.create(
                                new PrewarmDraft(
                                        ids, items, Priority.ofWord(priority).orElse(Priority.NORMAL)),
                                Caller.of(request),
                                RequestIds.of(request))
                        .summary();
                next.addFlashAttribute(
                        "notice",
                        "Asked for " + Figures.count(ids.size()) + (ids.size() == 1 ? " build." : " builds."));
                return new ModelAndView(SeeOther.to(request, PATH + "/" + made.id()));
            } catch (ProblemException e) {
                // What the build-ids could be refused for was looked at above, but for their number beside others'.
                if (e.problem().status() == HttpStatus.BAD_REQUEST) {
                    wrongTypes = e.problem().detail();
                } else {
                    wrongBuilds = e.problem().detail();
                }
            }
        }
        model.addAttribute(
                "prewarms",
                shown(
                        ListQuery.ofStart(PATH),
                        new PrewarmsPage.Form(
                                typed, types, priority, PrewarmDraft.MAX_BUILDS, wrongBuilds, wrongTypes)));
        return new ModelAndView(VIEW, HttpStatus.UNPROCESSABLE_CONTENT);
    }

    /** @throws IllegalArgumentException if the text is no list of build-ids; the message is for the user */
    private static List<BuildId> ids(String text) {
        Set<BuildId> ids = new LinkedHashSet<>();
        for (String word : text.split("[\\s,;]+", -1)) {
            if (word.isEmpty()) {
                continue;
            }
            try {
                ids.add(BuildId.parse(word));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(HostileText.quote(word) + " is no build-id: " + e.getMessage(), e);
            }
        }
        if (ids.isEmpty()) {
            throw new IllegalArgumentException("no build-id; expected at least one");
        }
        if (ids.size() > PrewarmDraft.MAX_BUILDS) {
            throw new IllegalArgumentException(ids.size() + " builds; expected at most " + PrewarmDraft.MAX_BUILDS);
        }
        return List.copyOf(ids);
    }

    private static List<String> items(String text) throws ItemSyntaxException {
        return text.isBlank()
                ? List.of()
                : ItemParser.parseList(List.of(text)).stream().map(Item::text).toList();
    }

    private PrewarmsPage shown(ListQuery query, PrewarmsPage.Form form) {
        Optional<CreationPosition> after = query.creationPosition(PrewarmSummary.LIST);
        // One more than asked for: it tells whether there is a next page.
        List<PrewarmSummary> found = prewarms.page(after, query.limit() + 1);
        List<PrewarmSummary> page = found.subList(0, Math.min(found.size(), query.limit()));
        List<Batch> batches = page.stream().map(Batch::of).toList();
        return new PrewarmsPage(
                form,
                batches,
                found.size() > page.size()
                        ? query.next(PrewarmSummary.LIST, page.getLast().place().toBytes())
                        : null,
                after.isEmpty(),
                batches.stream().anyMatch(Batch::active),
                demand.page(DemandOrder.COUNT, Optional.empty(), Optional.empty(), DEMAND_ROWS).stream()
                        .map(count -> new PrewarmsPage.Wanted(
                                count.id().toString(),
                                Figures.count(count.asked()),
                                Moment.of(count.lastAsked()),
                                count.cause()))
                        .toList());
    }
}
