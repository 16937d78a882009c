package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildIds;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.admin.builds.BuildTypes;
import dev.offsetd.server.admin.pins.ValueComparison.ComparedPart;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.pins.DraftCheck;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.BindingResult;
import org.springframework.validation.Errors;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** One pin: its page and the form that creates or edits it. */
@Controller
class PinPages {

    private static final String FORM = "admin/pins/form";
    private static final String ONE = PagePath.PINS + "/{id}";

    /** Stands for the reason while a draft is only checked. */
    private static final String NO_REASON_YET = "-";

    private final Pins pins;
    private final Builds builds;
    private final BuildTypes types;
    private final BuildTitles titles;
    private final BuildKeys keys;

    PinPages(Pins pins, Builds builds, BuildTypes types, BuildTitles titles, BuildKeys keys) {
        this.pins = pins;
        this.builds = builds;
        this.types = types;
        this.titles = titles;
        this.keys = keys;
    }

    /**
     * Content of the form besides its fields.
     *
     * @param key prefix of the ids of its fields: a page may have several forms
     * @param focus name of the field to type in
     * @param checked result of checking the draft; null if it was not checked
     * @param expiresAt expiry of the pin that is changed; null if it has none
     */
    record FormPage(
            String key,
            String focus,
            @Nullable Checked checked,
            @Nullable Instant expiresAt) {}

    /** Result of checking a draft. */
    record Checked(List<String> errors, List<String> warnings, boolean extracted, List<ComparedPart> comparison) {}

    @GetMapping(PagePath.PINS + "/new")
    String newPin(
            @RequestParam(defaultValue = "") String build,
            @RequestParam(defaultValue = "") String item,
            HttpServletRequest request,
            Model model) {
        String wanted = item.strip();
        Optional<PinnedValue> extracted = extracted(build.strip(), wanted);
        boolean wholeType = extracted.orElse(null) instanceof PinnedValue.OfType
                || pinnedType(wanted).filter(type -> !type.isMember()).isPresent();
        return show(
                model,
                request,
                PinForm.ofNew(
                        build.strip(),
                        wanted,
                        wholeType ? PinForm.WHOLE_TYPE : PinForm.ONE_MEMBER,
                        extracted.orElse(null)),
                null);
    }

    @GetMapping(ONE + "/edit")
    String edit(@PathVariable String id, HttpServletRequest request, Model model) {
        Pin pin = find(id);
        return show(model, request, PinForm.ofPin(pin), pin);
    }

    private static String show(Model model, HttpServletRequest request, PinForm form, @Nullable Pin before) {
        model.addAttribute("form", form);
        model.addAttribute("page", page(form, noErrors(form), before, null));
        return formView(request);
    }

    private static Errors noErrors(PinForm form) {
        return new BeanPropertyBindingResult(form, "form");
    }

    private static FormPage page(PinForm form, Errors errors, @Nullable Pin before, @Nullable Checked checked) {
        String identity = form.id() + form.build() + form.item();
        return new FormPage(
                "pin" + Integer.toHexString(identity.hashCode()),
                form.focus(errors),
                checked,
                before == null ? null : before.draft().expiresAt());
    }

    /** Returns the form alone for the row of a table, else the whole page. */
    private static String formView(HttpServletRequest request) {
        return Htmx.view(request, FORM, "form");
    }

    @PostMapping(PagePath.PINS)
    ModelAndView save(@Valid @ModelAttribute("form") PinForm form, BindingResult errors, HttpServletRequest request) {
        Pin before = before(form);
        PinDraft draft = draft(form, before, errors);
        if (draft == null || errors.hasErrors()) {
            return again(request, HttpStatus.UNPROCESSABLE_CONTENT, page(form, errors, before, null));
        }
        try {
            List<DraftCheck.Diagnostic> warnings = check(draft, before).warnings();
            String asked = warnings.isEmpty() ? "" : Integer.toHexString(warnings.hashCode());
            if (!asked.equals(form.accepted())) {
                return again(request, HttpStatus.OK, page(form, errors, before, checked(form, before)))
                        .addObject("asked", asked);
            }
            // No revision is negative, so an edit of a malformed one is stale.
            int revision = Format.number(form.revision(), Integer.MAX_VALUE);
            Pin pin = before == null
                    ? pins.create(draft, Actor.of(request))
                    : pins.edit(before.id(), revision, draft, Actor.of(request));
            return Htmx.done(typePath(pin.draft()), saved(pin));
        } catch (ProblemException e) {
            return refused(request, form, errors, draft, e);
        }
    }

    /** Returns the draft for the build that the form names, by any of its keys; null if the form has errors. */
    private @Nullable PinDraft draft(PinForm form, @Nullable Pin before, Errors errors) {
        PinDraft typed = form.draft(before, Instant.now(), errors);
        return typed == null
                ? null
                : BuildIds.read("build", form.build(), keys, errors)
                        .map(typed::of)
                        .orElse(null);
    }

    private static String saved(Pin pin) {
        String value = pin.draft().item() + ": " + Format.pin(pin.draft().value());
        return pin.state() == Pin.State.RETIRED
                ? "Saved " + value + ". The pin is retired: answers have the value once it is restored."
                : "Pinned " + value + ". All servers answer with it now.";
    }

    private ModelAndView refused(
            HttpServletRequest request, PinForm form, BindingResult errors, PinDraft draft, ProblemException e) {
        Pin before = before(form);
        if (e.problem().status() == HttpStatus.PRECONDITION_FAILED && before != null) {
            return again(request, HttpStatus.UNPROCESSABLE_CONTENT, page(form, errors, before, checked(form, before)))
                    .addObject("asked", form.accepted())
                    .addObject("latest", before)
                    .addObject("comparison", ValueComparison.of(before.draft().value(), draft.value()));
        }
        if (!e.problem().status().is4xxClientError()) {
            throw e;
        }
        reject(check(draft, before), form, errors);
        if (!errors.hasErrors()) {
            errors.reject("refused", e.problem().detail());
        }
        return again(request, HttpStatus.UNPROCESSABLE_CONTENT, page(form, errors, before, null));
    }

    private static void reject(DraftCheck check, PinForm form, Errors errors) {
        for (DraftCheck.Diagnostic diagnostic : check.errors()) {
            errors.rejectValue(field(diagnostic.place(), form), "refused", diagnostic.message());
        }
    }

    private static PinDraft withReason(PinDraft typed) {
        return typed.reason().isEmpty()
                ? new PinDraft(typed.buildId(), typed.item(), typed.value(), NO_REASON_YET, typed.expiresAt())
                : typed;
    }

    private static ModelAndView again(HttpServletRequest request, HttpStatus status, FormPage page) {
        return new ModelAndView(formView(request), status).addObject("page", page);
    }

    private @Nullable Pin before(PinForm form) {
        return form.isUnsaved() ? null : find(form.id());
    }

    /** Checks a draft for the button of the form. */
    @PostMapping(path = PagePath.PINS, params = "do=check")
    String checkAgain(
            @ModelAttribute("form") PinForm form, BindingResult errors, HttpServletRequest request, Model model) {
        Pin before = before(form);
        PinDraft draft = draft(form, before, errors);
        if (draft != null) {
            reject(check(withReason(draft), before), form, errors);
        }
        model.addAttribute("page", page(form, errors, before, errors.hasErrors() ? null : checked(form, before)));
        return formView(request);
    }

    /** Checks a draft while the user types. */
    @PostMapping(PagePath.PINS + "/check")
    String check(@ModelAttribute("form") PinForm form, Model model) {
        model.addAttribute("page", page(form, noErrors(form), null, checked(form, before(form))));
        return FORM + " :: checked";
    }

    private DraftCheck check(PinDraft draft, @Nullable Pin before) {
        return pins.check(draft, before == null ? null : before.id());
    }

    private Checked checked(PinForm form, @Nullable Pin before) {
        Errors errors = noErrors(form);
        PinDraft typed = draft(form, before, errors);
        if (typed == null) {
            return new Checked(
                    errors.getFieldErrors().stream()
                            .map(error -> String.valueOf(error.getDefaultMessage()))
                            .toList(),
                    List.of(),
                    false,
                    List.of());
        }
        PinDraft draft = withReason(typed);
        DraftCheck check = check(draft, before);
        Optional<PinnedValue> extracted = extracted(draft.buildId().toString(), draft.item());
        return new Checked(
                check.errors().stream().map(DraftCheck.Diagnostic::message).toList(),
                check.warnings().stream().map(DraftCheck.Diagnostic::message).toList(),
                extracted.isPresent(),
                ValueComparison.of(extracted.orElse(null), draft.value()));
    }

    /** Returns the field for the part of a draft that a diagnostic names; null if it names none. */
    private static @Nullable String field(String place, PinForm form) {
        return switch (place) {
            case "item", "reason" -> place;
            case "value" -> form.place();
            case "buildId" -> "build";
            case "expiresAt" -> "until";
            default -> {
                String part = place.startsWith("value.") ? place.substring("value.".length()) : "";
                if (form.isType() && part.endsWith("ffset")) {
                    // The form shows these fields for members only: the item is what makes it one.
                    yield "item";
                }
                yield part.startsWith("members") ? "members" : PinForm.FIELDS.contains(part) ? part : null;
            }
        };
    }

    @GetMapping(ONE)
    String one(@PathVariable String id, HttpServletRequest request, Model model) {
        Pin pin = find(id);
        model.addAttribute("pin", pin);
        titles.addTo(model, Stream.of(pin.draft().buildId()));
        model.addAttribute(
                "comparison", ValueComparison.of(pin.extracted(), pin.draft().value()));
        if (pin.review() == Pin.Review.VALUE_CHANGED) {
            model.addAttribute("change", ValueComparison.of(pin.seen(), pin.extracted()));
        }
        model.addAttribute("typePath", typePath(pin.draft()));
        model.addAttribute("history", pins.history(pin, ListQuery.of(request, Set.of())));
        return "admin/pins/pin";
    }

    @PostMapping(ONE + "/retire")
    ModelAndView retire(
            @PathVariable String id, @RequestParam(defaultValue = "0") int revision, HttpServletRequest request) {
        return change(
                find(id),
                pin -> pins.retire(pin.id(), revision, Actor.of(request)),
                "Pin retired. %s is answered from the debug information.");
    }

    @PostMapping(ONE + "/restore")
    ModelAndView restore(
            @PathVariable String id, @RequestParam(defaultValue = "0") int revision, HttpServletRequest request) {
        return change(
                find(id),
                pin -> pins.restore(pin.id(), revision, Actor.of(request)),
                "Pin restored. %s is answered from the pin.");
    }

    @PostMapping(ONE + "/acknowledge")
    ModelAndView acknowledge(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            @RequestParam(defaultValue = "") String reason,
            @RequestParam(defaultValue = "") String shown,
            HttpServletRequest request) {
        return change(
                find(id),
                pin -> pins.acknowledge(
                        pin.id(), revision, new Pin.Acknowledgement(reason.strip(), shown), Actor.of(request)),
                "Acknowledged. %s needs a review again when its extracted value changes.");
    }

    /** Changes a pin and returns to its page, which has its history. The notice names the item. */
    private ModelAndView change(Pin pin, UnaryOperator<Pin> change, String done) {
        String notice;
        try {
            notice = done.formatted(change.apply(pin).draft().item());
        } catch (ProblemException e) {
            if (!e.problem().status().is4xxClientError()) {
                throw e;
            }
            notice = "Not done: "
                    + (e.problem().status() == HttpStatus.PRECONDITION_FAILED
                            ? find(pin.id().toString()).editedBy()
                                    + " has changed this pin in the meantime. The history shows the change."
                            : e.problem().detail() + ".");
        }
        return Htmx.done(PagePath.PINS + "/" + pin.id(), notice);
    }

    private Pin find(String id) {
        return Ids.uuid(id)
                .flatMap(pins::find)
                .orElseThrow(() -> ProblemException.notFound("pin_not_found", "No such pin", "no pin has this id"));
    }

    /** Returns the extracted value of an item; empty if the build or the item has none. */
    private Optional<PinnedValue> extracted(String build, String item) {
        try {
            Item parsed = ItemParser.parse(item);
            return builds.find(BuildId.parseKey(build))
                    .flatMap(known -> types.read(known, 1, stored -> ExtractedValues.of(parsed, stored)))
                    .flatMap(value -> value);
        } catch (ItemSyntaxException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the page of the pinned type, or of the build if the item names no type. */
    private static String typePath(PinDraft draft) {
        return pinnedType(draft.item())
                .map(type -> PagePath.ofType(draft.buildId(), type.name()).toString())
                .orElseGet(() -> PagePath.ofBuild(draft.buildId()).toString());
    }

    /**
     * The type that the item of a pin names.
     *
     * @param name without its kind and quotes
     * @param isMember whether the item names a member of the type
     */
    private record PinnedType(String name, boolean isMember) {}

    /** Returns the type; empty if the item is neither a type nor a member path. */
    private static Optional<PinnedType> pinnedType(String item) {
        try {
            // The name of a type in C and C++ has no dots, so it is the shortest that the item can start with.
            return ItemParser.parse(item).alternatives().getFirst() instanceof Alternative.TypePath path
                    ? Optional.of(new PinnedType(
                            path.parts().getFirst(),
                            path.parts().size() > 1 || !path.steps().isEmpty()))
                    : Optional.empty();
        } catch (ItemSyntaxException e) {
            return Optional.empty();
        }
    }
}
