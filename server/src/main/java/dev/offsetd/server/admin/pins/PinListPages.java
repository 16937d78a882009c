package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.pins.CopyResult;
import dev.offsetd.server.pins.Diagnostic;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.PinFilter;
import dev.offsetd.server.pins.PinPage;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** The list of pins, and the page that copies pins from one build to another. */
@Controller
class PinListPages {

    private static final char LIST = 'p';
    private static final String TEXT = "text";
    private static final String BUILD = "build";
    private static final String STATE = "state";
    private static final String AGREEMENT = "agreement";
    private static final String REVIEW = "review";

    private static final String COPY = PagePath.PINS + "/copy";

    private static final String NOT_A_BUILD_ID = "Not a full build-id.";

    private final Pins pins;
    private final BuildTitles titles;
    private final BuildKeys keys;

    PinListPages(Pins pins, BuildTitles titles, BuildKeys keys) {
        this.pins = pins;
        this.titles = titles;
        this.keys = keys;
    }

    @GetMapping(PagePath.PINS)
    String list(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, Set.of(TEXT, BUILD, STATE, AGREEMENT, REVIEW));
        String state = query.parameter(STATE).orElse(Pin.State.ACTIVE.word());
        Optional<Pin.Agreement> agreement = query.filter(AGREEMENT).flatMap(Pin.Agreement::ofWord);
        Optional<String> typed = query.filter(BUILD);
        Optional<BuildId> build = typed.flatMap(this::buildId);
        boolean wrong = build.isPresent() != typed.isPresent();
        Optional<CreationPosition> after = query.creationPosition(LIST);
        PinFilter filter = new PinFilter(
                build,
                Pin.State.ofWord(state),
                agreement,
                query.filter(REVIEW).map(Boolean::parseBoolean),
                query.filter(TEXT));
        PinPage page = wrong ? new PinPage(List.of(), Optional.empty()) : pins.page(filter, after, query.limit());
        String next = page.next()
                .map(position -> query.next(LIST, position.toBytes()))
                .orElse(null);
        model.addAttribute("list", new ListPage<>(query, page.pins(), next));
        titles.addTo(model, page.pins().stream().map(pin -> pin.draft().buildId()));
        model.addAttribute("state", state);
        model.addAttribute("wrong", wrong ? NOT_A_BUILD_ID : null);
        return Htmx.view(request, "admin/pins/list", "results");
    }

    private Optional<BuildId> buildId(String text) {
        try {
            return Optional.of(keys.resolve(BuildId.parseKey(text)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Content of the page that copies pins.
     *
     * @param preview null until both builds are named
     */
    record CopyPage(FormFields form, @Nullable List<Preview> preview, long fitting) {}

    /**
     * A pin that can be copied or not.
     *
     * @param conflict why it is skipped; empty if it is copied
     */
    record Preview(Pin pin, String conflict) {}

    @GetMapping(COPY)
    String copyPage(
            @RequestParam(defaultValue = "") String from, @RequestParam(defaultValue = "") String to, Model model) {
        model.addAttribute("page", copyPage(from.strip(), to.strip()));
        titles.addTo(model, Stream.of(from, to).flatMap(text -> buildId(text.strip()).stream()));
        return "admin/pins/copy";
    }

    private CopyPage copyPage(String from, String to) {
        Map<String, String> errors = new LinkedHashMap<>();
        Optional<BuildId> source = buildId(from);
        Optional<BuildId> target = buildId(to);
        if (!from.isEmpty() && source.isEmpty()) {
            errors.put("from", NOT_A_BUILD_ID);
        }
        if (!to.isEmpty() && target.isEmpty()) {
            errors.put("to", NOT_A_BUILD_ID);
        }
        if (source.isPresent() && source.equals(target)) {
            errors.put("to", "Choose another build.");
        }
        FormFields form = FormFields.of(Map.of("from", from, "to", to)).refused(errors);
        if (!errors.isEmpty() || source.isEmpty() || target.isEmpty()) {
            return new CopyPage(form, null, 0);
        }
        List<Preview> preview = new ArrayList<>();
        for (Pin pin : pins.activeOf(source.get())) {
            PinDraft old = pin.draft();
            PinDraft draft = new PinDraft(target.get(), old.item(), old.value(), old.reason(), old.expiresAt());
            preview.add(new Preview(
                    pin,
                    pins.check(draft, Optional.empty()).errors().stream()
                            .map(Diagnostic::message)
                            .collect(Collectors.joining("; "))));
        }
        return new CopyPage(
                form,
                preview,
                preview.stream().filter(each -> each.conflict().isEmpty()).count());
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
        BuildId target = BuildId.parseKey(page.form().value("to"));
        CopyResult copied = pins.copy(
                BuildId.parseKey(page.form().value("from")), target, Caller.of(request), RequestIds.of(request));
        return Htmx.done(
                request,
                response,
                PagePath.of(PagePath.PINS)
                        .with("build", target)
                        .with("state", "active")
                        .toString(),
                "Copied " + Format.count(copied.copied().size(), "pin") + ", skipped "
                        + Format.count(copied.leftOut().size()) + ".");
    }
}
