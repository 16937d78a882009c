package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.pins.CopyResult;
import dev.offsetd.server.pins.DraftCheck;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinFilter;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** The list of pins, and the page that copies pins from one build to another. */
@Controller
class PinListPages {

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
        Pin.Agreement agreement = query.filter(AGREEMENT)
                .flatMap(word -> Word.find(Pin.Agreement.class, word))
                .orElse(null);
        Optional<String> typed = query.filter(BUILD);
        Optional<BuildId> build = typed.flatMap(this::buildId);
        boolean wrong = build.isPresent() != typed.isPresent();
        PinFilter filter = new PinFilter(
                build.orElse(null),
                Word.find(Pin.State.class, state).orElse(null),
                agreement,
                query.filter(REVIEW).map(Boolean::parseBoolean).orElse(null),
                query.filter(TEXT).orElse(null));
        ListPage<Pin> page = wrong ? new ListPage<>(query, List.of(), null) : pins.page(filter, query);
        model.addAttribute("list", page);
        titles.addTo(model, page.rows().stream().map(pin -> pin.draft().buildId()));
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

    /** Builds to copy pins from and to. */
    record CopyForm(String from, String to) {

        CopyForm(@Nullable String from, @Nullable String to) {
            this.from = Objects.toString(from, "").strip();
            this.to = Objects.toString(to, "").strip();
        }
    }

    /**
     * A pin that can be copied or not.
     *
     * @param conflict why it is skipped; empty if it is copied
     */
    record Preview(Pin pin, String conflict) {}

    @GetMapping(COPY)
    String copyPage(@ModelAttribute("form") CopyForm form, BindingResult errors, Model model) {
        List<Preview> preview = preview(form, errors);
        model.addAttribute("preview", preview);
        if (preview != null) {
            model.addAttribute(
                    "fitting",
                    preview.stream().filter(each -> each.conflict().isEmpty()).count());
        }
        titles.addTo(model, Stream.of(form.from(), form.to()).flatMap(text -> buildId(text).stream()));
        return "admin/pins/copy";
    }

    /** Returns the pins of a build and whether they can be copied; null until two builds are named. */
    private @Nullable List<Preview> preview(CopyForm form, Errors errors) {
        Optional<BuildId> source = build("from", form.from(), errors);
        Optional<BuildId> target = build("to", form.to(), errors);
        if (source.isEmpty() || target.isEmpty()) {
            return null;
        }
        if (source.equals(target)) {
            errors.rejectValue("to", "same", "Choose another build.");
            return null;
        }
        return pins.activeOf(source.get()).stream()
                .map(pin -> new Preview(
                        pin,
                        pins.check(pin.draft().of(target.get()), null).errors().stream()
                                .map(DraftCheck.Diagnostic::message)
                                .collect(Collectors.joining("; "))))
                .toList();
    }

    private Optional<BuildId> build(String field, String text, Errors errors) {
        Optional<BuildId> build = buildId(text);
        if (build.isEmpty() && !text.isEmpty()) {
            errors.rejectValue(field, "malformed", NOT_A_BUILD_ID);
        }
        return build;
    }

    @PostMapping(COPY)
    ModelAndView copy(@ModelAttribute("form") CopyForm form, BindingResult errors, HttpServletRequest request) {
        if (preview(form, errors) == null) {
            return new ModelAndView("admin/pins/copy", HttpStatus.UNPROCESSABLE_CONTENT);
        }
        BuildId target = BuildId.parseKey(form.to());
        CopyResult copied = pins.copy(BuildId.parseKey(form.from()), target, Actor.of(request));
        return Htmx.done(
                PagePath.of(PagePath.PINS)
                        .with("build", target)
                        .with("state", "active")
                        .toString(),
                "Copied " + Format.count(copied.copied().size(), "pin") + ", skipped "
                        + Format.count(copied.leftOut().size()) + ".");
    }
}
