package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.demand.DemandOrder;
import dev.offsetd.server.extraction.Standing;
import dev.offsetd.server.retries.Retries;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/**
 * Has builds fetched before hosts ask for them: each as if a host had asked just now. Nothing is kept of the list; the page's
 * address has it, and what came of each build is the build's own state.
 */
@Controller
class PrewarmsController {

    /** Most builds of one list: as many as one batch of questions may name. */
    private static final int MOST = 50;

    private static final int DEMAND_ROWS = 20;

    /** Badge of a build that has no result yet. */
    private static final String MOVING = "badge-info";

    private final Retries retries;
    private final Builds builds;
    private final Demand demand;

    PrewarmsController(Retries retries, Builds builds, Demand demand) {
        this.retries = retries;
        this.builds = builds;
        this.demand = demand;
    }

    /**
     * What somebody typed.
     *
     * @param error what is wrong with it; null if nothing is
     */
    private record Typed(
            String text, Set<BuildId> ids, @Nullable String error) {

        static Typed of(List<String> texts) {
            String text = String.join("\n", texts);
            Set<BuildId> ids = new LinkedHashSet<>();
            for (String word : text.split("[\\s,;]+", -1)) {
                if (word.isEmpty()) {
                    continue;
                }
                try {
                    ids.add(BuildId.parse(word));
                } catch (IllegalArgumentException e) {
                    return new Typed(text, Set.of(), HostileText.quote(word) + " is no build-id: " + e.getMessage());
                }
                if (ids.size() > MOST) {
                    return new Typed(text, Set.of(), "more than " + MOST + " builds; expected at most that many");
                }
            }
            return new Typed(text, ids, null);
        }

        /** The builds in one line, as the page's address has them. */
        String address() {
            return ids.stream().map(BuildId::toString).collect(Collectors.joining(","));
        }
    }

    @GetMapping("/admin/prewarms")
    String page(@RequestParam(name = "builds", defaultValue = "") List<String> list, Model model) {
        model.addAttribute("prewarm", shown(Typed.of(list)));
        return "admin/prewarms/page";
    }

    @GetMapping(
            path = "/admin/prewarms",
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String moving(@RequestParam(name = "builds", defaultValue = "") List<String> list, Model model) {
        page(list, model);
        return "admin/prewarms/page :: asked";
    }

    @PostMapping("/admin/prewarms")
    ModelAndView fetch(
            @RequestParam(name = "builds", defaultValue = "") List<String> list,
            HttpServletRequest request,
            Model model,
            RedirectAttributes next) {
        Typed typed = Typed.of(list);
        if (typed.error() != null || typed.ids().isEmpty()) {
            model.addAttribute(
                    "prewarm",
                    shown(
                            typed.error() != null
                                    ? typed
                                    : new Typed(typed.text(), Set.of(), "no build-id; expected at least one")));
            return new ModelAndView("admin/prewarms/page", HttpStatus.UNPROCESSABLE_CONTENT);
        }
        Caller caller = Caller.of(request);
        String requestId = RequestIds.of(request);
        long busy = typed.ids().stream()
                .filter(id -> retries.retry(id, caller, requestId)
                        .filter(Standing.Busy.class::isInstance)
                        .isPresent())
                .count();
        next.addFlashAttribute(
                "notice",
                busy == 0
                        ? "Asked for " + builds(typed.ids().size()) + "."
                        : "Asked for " + builds(typed.ids().size()) + "; " + busy
                                + " of them found the queue full. Ask for those again in a while.");
        next.addAttribute("builds", typed.address());
        return new ModelAndView(SeeOther.to(request, "/admin/prewarms"));
    }

    private static String builds(int number) {
        return number + (number == 1 ? " build" : " builds");
    }

    private PrewarmPage shown(Typed typed) {
        List<PrewarmPage.Asked> asked = typed.ids().stream().map(this::asked).toList();
        return new PrewarmPage(
                typed.text(),
                typed.error(),
                MOST,
                asked,
                demand.page(DemandOrder.COUNT, Optional.empty(), Optional.empty(), DEMAND_ROWS).stream()
                        .map(count -> new PrewarmPage.Wanted(
                                count.id().toString(),
                                Figures.count(count.asked()),
                                Moment.of(count.lastAsked()),
                                count.cause()))
                        .toList(),
                asked.stream().anyMatch(build -> build.badge().equals(MOVING)),
                "/admin/prewarms?builds=" + typed.address());
    }

    private PrewarmPage.Asked asked(BuildId id) {
        Optional<Build> found = builds.find(id);
        if (found.isEmpty()) {
            return new PrewarmPage.Asked(id.toString(), "not asked for", "badge-quiet", "nobody has asked for it yet");
        }
        Build build = found.get();
        String detail = build.problem().map(BuildProblem::detail).orElse("");
        if (build.running()) {
            return new PrewarmPage.Asked(id.toString(), "running", MOVING, "a server works on it");
        }
        return switch (build.state()) {
            case WANTED -> new PrewarmPage.Asked(id.toString(), "wanted", MOVING, "waits for its turn");
            case EXTRACTED ->
                new PrewarmPage.Asked(
                        id.toString(),
                        "extracted",
                        "badge-ok",
                        build.file()
                                .map(file -> file.architecture().machine() + ", from " + file.upstream())
                                .orElse(""));
            case NOT_FOUND -> new PrewarmPage.Asked(id.toString(), "not found", "badge-quiet", detail);
            case UNUSABLE -> new PrewarmPage.Asked(id.toString(), "unusable", "badge-warn", detail);
            case FAILED -> new PrewarmPage.Asked(id.toString(), "failed", "badge-bad", detail);
        };
    }
}
