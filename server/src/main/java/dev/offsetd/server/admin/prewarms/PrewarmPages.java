package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.SeeOther;
import dev.offsetd.server.prewarms.Prewarm;
import dev.offsetd.server.prewarms.PrewarmItem;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** One batch with the progress of each of its builds. */
@Controller
class PrewarmPages {

    private static final String PATH = PrewarmListPages.PATH + "/{id}";

    /** Builds shown without {@code all}. */
    private static final int ROWS = 100;

    /** Missing items listed by name. */
    private static final int NAMED = 5;

    private final Prewarms prewarms;
    private final BuildTitles titles;

    PrewarmPages(Prewarms prewarms, BuildTitles titles) {
        this.prewarms = prewarms;
        this.titles = titles;
    }

    /** A build of the batch, with the text of its details. */
    record BuildLine(PrewarmItem item, String details) {}

    @GetMapping(PATH)
    String page(
            @PathVariable String id,
            @RequestParam(defaultValue = "false") boolean all,
            HttpServletRequest request,
            Model model) {
        Prewarm prewarm = found(id, prewarms::find);
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

    @PostMapping(PATH + "/cancel")
    ModelAndView cancel(@PathVariable String id, HttpServletRequest request, RedirectAttributes next) {
        Prewarm prewarm = found(id, key -> prewarms.cancel(key, Actor.of(request)));
        next.addFlashAttribute(
                "notice",
                prewarm.summary().state() == PrewarmSummary.State.CANCELLED
                        ? "Cancelled. Builds that are already being fetched continue."
                        : "The batch had already ended.");
        return new ModelAndView(SeeOther.to(request, PrewarmListPages.PATH + "/" + id));
    }

    private static Prewarm found(String id, Function<UUID, Optional<Prewarm>> look) {
        return Ids.uuid(id)
                .flatMap(look)
                .orElseThrow(() -> ProblemException.notFound(
                        "not_found",
                        "No such batch",
                        "no batch has the id " + HostileText.quote(id)
                                + "; ended batches are deleted after some time"));
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
