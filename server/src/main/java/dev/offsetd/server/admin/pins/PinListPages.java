package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.pins.Copied;
import dev.offsetd.server.pins.Finding;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.PinFilter;
import dev.offsetd.server.pins.PinPage;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.Cursor;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** The list of pins, and copying those of one build to another. */
@Controller
class PinListPages {

    private static final char LIST = 'p';
    private static final int PAGE = 50;
    private static final int MAX_TEXT = 200;

    private static final String COPY = PagePath.PINS + "/copy";

    private final Pins pins;

    PinListPages(Pins pins) {
        this.pins = pins;
    }

    /** What was asked for, as it was typed. */
    record Query(String text, String build, String state, String agreement) {

        public String path(@Nullable String cursor) {
            return PagePath.of(PagePath.PINS)
                    .with("text", text)
                    .with("build", build)
                    .with("state", state.isEmpty() ? "any" : state)
                    .with("agreement", agreement)
                    .with("cursor", cursor)
                    .toString();
        }
    }

    /**
     * What the page shows.
     *
     * @param disagreeing whether pins are shown that extraction disagrees with, and only those
     */
    record Page(
            Query query,
            List<PinLine> lines,
            @Nullable String next,
            boolean first,
            @Nullable String wrong,
            boolean disagreeing) {}

    @GetMapping(PagePath.PINS)
    String list(
            @RequestParam(defaultValue = "") String text,
            @RequestParam(defaultValue = "") String build,
            @RequestParam(defaultValue = "active") String state,
            @RequestParam(defaultValue = "") String agreement,
            @RequestParam(defaultValue = "") String cursor,
            HttpServletRequest request,
            Model model) {
        String part = text.strip();
        Query query = new Query(
                part.length() > MAX_TEXT ? part.substring(0, MAX_TEXT) : part,
                build.strip(),
                state.equals("any") ? "" : state,
                agreement);
        model.addAttribute("page", page(query, cursor));
        return Htmx.asked(request) ? "admin/pins/list :: results" : "admin/pins/list";
    }

    private Page page(Query query, String cursor) {
        Optional<BuildId> build = buildId(query.build());
        Optional<CreationPosition> after = Cursor.decode(LIST, cursor).flatMap(CreationPosition::of);
        boolean disagreeing = query.agreement().equals(Pin.Agreement.DISAGREES.word());
        if (!query.build().isEmpty() && build.isEmpty()) {
            return new Page(query, List.of(), null, true, "That is no whole build-id.", disagreeing);
        }
        PinPage found = pins.page(
                new PinFilter(
                        build,
                        Pin.State.ofWord(query.state()),
                        Pin.Agreement.ofWord(query.agreement()),
                        query.text().isEmpty() ? Optional.empty() : Optional.of(query.text())),
                after,
                PAGE);
        return new Page(
                query,
                found.pins().stream().map(PinLine::of).toList(),
                found.next()
                        .map(place -> query.path(Cursor.encode(LIST, place.toBytes())))
                        .orElse(null),
                after.isEmpty(),
                null,
                disagreeing);
    }

    private static Optional<BuildId> buildId(String text) {
        try {
            return Optional.of(BuildId.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * What the page to copy pins shows.
     *
     * @param errors messages by the names of fields
     * @param preview what would become of each pin; null until both builds are named
     */
    record CopyPage(
            String from,
            String to,
            Map<String, String> errors,
            @Nullable List<Fate> preview,
            long fitting) {}

    /**
     * What would become of a pin.
     *
     * @param why it would be left out; empty if it would be copied
     */
    record Fate(PinLine pin, String why) {}

    @GetMapping(COPY)
    String copyPage(
            @RequestParam(defaultValue = "") String from, @RequestParam(defaultValue = "") String to, Model model) {
        model.addAttribute("page", copyPage(from.strip(), to.strip()));
        return "admin/pins/copy";
    }

    private CopyPage copyPage(String from, String to) {
        Map<String, String> errors = new LinkedHashMap<>();
        Optional<BuildId> source = buildId(from);
        Optional<BuildId> target = buildId(to);
        if (!from.isEmpty() && source.isEmpty()) {
            errors.put("from", "That is no whole build-id.");
        }
        if (!to.isEmpty() && target.isEmpty()) {
            errors.put("to", "That is no whole build-id.");
        }
        if (source.isPresent() && source.equals(target)) {
            errors.put("to", "That is the same build.");
        }
        if (!errors.isEmpty() || source.isEmpty() || target.isEmpty()) {
            return new CopyPage(from, to, errors, null, 0);
        }
        List<Fate> fates = new ArrayList<>();
        for (Pin pin : pins.activeOf(source.get())) {
            PinDraft old = pin.draft();
            PinDraft draft = new PinDraft(target.get(), old.item(), old.value(), old.reason(), old.expiresAt());
            fates.add(new Fate(
                    PinLine.of(pin),
                    pins.check(draft, Optional.empty()).errors().stream()
                            .map(Finding::message)
                            .collect(Collectors.joining("; "))));
        }
        return new CopyPage(
                from,
                to,
                errors,
                fates,
                fates.stream().filter(fate -> fate.why().isEmpty()).count());
    }

    @PostMapping(COPY)
    ModelAndView copy(
            @RequestParam(defaultValue = "") String from,
            @RequestParam(defaultValue = "") String to,
            HttpServletRequest request,
            HttpServletResponse response) {
        CopyPage page = copyPage(from.strip(), to.strip());
        if (page.preview() == null) {
            ModelAndView again = new ModelAndView("admin/pins/copy", HttpStatus.UNPROCESSABLE_CONTENT);
            again.addObject("page", page);
            return again;
        }
        BuildId target = BuildId.parse(page.to());
        Copied copied = pins.copy(BuildId.parse(page.from()), target, Caller.of(request), RequestIds.of(request));
        return Htmx.done(
                request,
                response,
                PagePath.of(PagePath.PINS)
                        .with("build", target)
                        .with("state", "active")
                        .toString(),
                "Copied: " + copied.copied().size() + ". Left out: "
                        + copied.leftOut().size() + ".");
    }
}
