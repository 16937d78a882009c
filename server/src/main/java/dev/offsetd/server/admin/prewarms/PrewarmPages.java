package dev.offsetd.server.admin.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.prewarms.Prewarm;
import dev.offsetd.server.prewarms.PrewarmItem;
import dev.offsetd.server.prewarms.PrewarmResult;
import dev.offsetd.server.prewarms.PrewarmState;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** One batch: what has become of each of its builds. */
@Controller
class PrewarmPages {

    private static final String PATH = PrewarmListPages.PATH + "/{id}";
    private static final String VIEW = "admin/prewarms/one";

    /** Builds that are shown if not all of them are asked for. */
    private static final int ROWS = 100;

    /** Missing items that are named one by one. */
    private static final int NAMED = 5;

    private final Prewarms prewarms;

    PrewarmPages(Prewarms prewarms) {
        this.prewarms = prewarms;
    }

    @GetMapping(PATH)
    String page(@PathVariable String id, @RequestParam(defaultValue = "false") boolean all, Model model) {
        model.addAttribute("prewarm", shown(found(id, prewarms::find), all));
        return VIEW;
    }

    @GetMapping(
            path = PATH,
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String moving(@PathVariable String id, @RequestParam(defaultValue = "false") boolean all, Model model) {
        page(id, all, model);
        return VIEW + " :: progress";
    }

    @PostMapping(PATH + "/cancel")
    ModelAndView cancel(@PathVariable String id, HttpServletRequest request, RedirectAttributes next) {
        Prewarm prewarm = found(id, key -> prewarms.cancel(key, Caller.of(request), RequestIds.of(request)));
        next.addFlashAttribute(
                "notice",
                prewarm.summary().state() == PrewarmState.CANCELLED
                        ? "Cancelled. What a server was at goes on."
                        : "It had ended before.");
        return new ModelAndView(SeeOther.to(request, PrewarmListPages.PATH + "/" + id));
    }

    private static Prewarm found(String id, Function<UUID, Optional<Prewarm>> look) {
        Optional<UUID> key;
        try {
            key = Optional.of(UUID.fromString(id));
        } catch (IllegalArgumentException e) {
            key = Optional.empty();
        }
        return key.flatMap(look)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        HttpStatus.NOT_FOUND,
                        "not_found",
                        "No such batch",
                        "there is no batch " + HostileText.quote(id)
                                + "; those that have ended are forgotten after some time")));
    }

    private static PrewarmPage shown(Prewarm prewarm, boolean all) {
        List<PrewarmPage.Line> lines = prewarm.items().stream()
                .sorted(Comparator.comparingInt(PrewarmPages::rank))
                .limit(all ? Long.MAX_VALUE : ROWS)
                .map(PrewarmPages::line)
                .toList();
        boolean active = prewarm.summary().state() == PrewarmState.ACTIVE;
        return new PrewarmPage(
                Batch.of(prewarm.summary()),
                lines,
                prewarm.items().size() - lines.size(),
                active
                        ? List.of()
                        : prewarm.items().stream()
                                .filter(item -> item.state() == PrewarmItem.State.FAILED
                                        || item.state() == PrewarmItem.State.CANCELLED)
                                .map(item -> item.buildId().toString())
                                .toList(),
                PrewarmListPages.PATH + "/" + prewarm.summary().id() + (all ? "?all=true" : ""));
    }

    /** What happens now comes first, then what somebody has to do something about. */
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

    private static PrewarmPage.Line line(PrewarmItem item) {
        return new PrewarmPage.Line(
                item.buildId().toString(),
                item.state() == PrewarmItem.State.DONE && !item.complete()
                        ? "incomplete"
                        : item.state().word(),
                badge(item),
                item.bytes(),
                item.totalBytes(),
                transfer(item),
                item.result() == null ? "" : coverage(item.result()),
                item.complete(),
                told(item),
                Moment.orNull(item.nextAttemptAt()));
    }

    private static String badge(PrewarmItem item) {
        return switch (item.state()) {
            case EXTRACTING, FETCHING -> "badge-info";
            case FAILED -> "badge-bad";
            case WAITING -> item.cause() == null ? "badge-quiet" : "badge-warn";
            case DONE -> item.complete() ? "badge-ok" : "badge-warn";
            case CANCELLED -> "badge-quiet";
        };
    }

    private static String transfer(PrewarmItem item) {
        Long bytes = item.bytes();
        if (bytes == null) {
            return "";
        }
        Long total = item.totalBytes();
        return total == null ? Figures.bytes(bytes) : Figures.bytes(bytes) + " of " + Figures.bytes(total);
    }

    private static String coverage(PrewarmResult result) {
        List<String> parts = new ArrayList<>();
        result.coverage()
                .forEach((set, share) -> parts.add(set + " " + share.required().found() + " of "
                        + share.required().of() + " required, "
                        + share.optional().found() + " of "
                        + share.optional().of() + " optional"));
        return String.join("; ", parts);
    }

    private static String told(PrewarmItem item) {
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
