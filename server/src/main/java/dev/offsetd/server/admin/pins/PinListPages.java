package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildIds;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PagePath;
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
    private static final String COPY_VIEW = "admin/pins/copy";

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
        String typed = query.filter(BUILD).orElse("");
        BuildId build = null;
        String wrong = null;
        try {
            build = typed.isEmpty() ? null : BuildIds.resolve(typed, keys);
        } catch (IllegalArgumentException e) {
            wrong = e.getMessage();
        }
        PinFilter filter = new PinFilter(
                build,
                Word.find(Pin.State.class, state).orElse(null),
                agreement,
                query.filter(REVIEW).map(Boolean::parseBoolean).orElse(null),
                query.filter(TEXT).orElse(null));
        ListPage<Pin> page = wrong == null ? pins.page(filter, query) : new ListPage<>(query, List.of(), null);
        model.addAttribute("list", page);
        titles.addTo(model, page.rows().stream().map(pin -> pin.draft().buildId()));
        model.addAttribute("state", state);
        model.addAttribute("wrong", wrong);
        return Htmx.view(request, "admin/pins/list", "results");
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
        if (!form.from().isEmpty() && !form.to().isEmpty()) {
            sides(form, errors).ifPresent(sides -> {
                List<Preview> preview = preview(sides);
                model.addAttribute("preview", preview);
                model.addAttribute(
                        "fitting",
                        preview.stream()
                                .filter(each -> each.conflict().isEmpty())
                                .count());
                titles.addTo(model, Stream.of(sides.source(), sides.target()));
            });
        }
        return COPY_VIEW;
    }

    private record CopySides(BuildId source, BuildId target) {}

    /** Returns the builds that the form names; empty if a field is wrong. */
    private Optional<CopySides> sides(CopyForm form, Errors errors) {
        Optional<BuildId> source = BuildIds.read("from", form.from(), keys, errors);
        Optional<BuildId> target = BuildIds.read("to", form.to(), keys, errors);
        if (source.isPresent() && source.equals(target)) {
            errors.rejectValue("to", "same", "Choose another build.");
        }
        return errors.hasErrors()
                ? Optional.empty()
                : Optional.of(new CopySides(source.orElseThrow(), target.orElseThrow()));
    }

    /** Returns the pins of a build and whether they can be copied to another. */
    private List<Preview> preview(CopySides sides) {
        return pins.activeOf(sides.source()).stream()
                .map(pin -> new Preview(
                        pin,
                        pins.check(pin.draft().of(sides.target()), null).errors().stream()
                                .map(DraftCheck.Diagnostic::message)
                                .collect(Collectors.joining("; "))))
                .toList();
    }

    @PostMapping(COPY)
    ModelAndView copy(@ModelAttribute("form") CopyForm form, BindingResult errors, HttpServletRequest request) {
        Optional<CopySides> sides = sides(form, errors);
        if (sides.isEmpty()) {
            return new ModelAndView(COPY_VIEW, HttpStatus.UNPROCESSABLE_CONTENT);
        }
        BuildId target = sides.get().target();
        CopyResult copied = pins.copy(sides.get().source(), target, Actor.of(request));
        return Htmx.done(
                PagePath.of(PagePath.PINS)
                        .with("build", target)
                        .with("state", "active")
                        .toString(),
                "Copied " + Format.count(copied.copied().size(), "pin") + ", skipped "
                        + Format.count(copied.leftOut().size()) + ".");
    }
}
