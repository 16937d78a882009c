package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.builds.BuildTypes;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.pins.Acknowledgement;
import dev.offsetd.server.pins.Diagnostic;
import dev.offsetd.server.pins.DraftCheck;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
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

    PinPages(Pins pins, Builds builds, BuildTypes types, BuildTitles titles) {
        this.pins = pins;
        this.builds = builds;
        this.types = types;
        this.titles = titles;
    }

    /**
     * Content of the form.
     *
     * @param checked result of checking the draft; null if it was not checked
     * @param stale the newer revision that another user saved; null if there is none
     * @param expiresAt expiry of the pin that is changed; null if it has none
     */
    record FormPage(
            PinForm pin,
            @Nullable Checked checked,
            @Nullable Stale stale,
            @Nullable Instant expiresAt) {

        FormPage(PinForm pin) {
            this(pin, null, null, null);
        }

        public FormFields form() {
            return pin.fields();
        }

        /** Prefix of the ids of its fields: a page may have several forms. */
        public String key() {
            String identity = form().value(PinForm.ID) + form().value(PinForm.BUILD) + form().value(PinForm.ITEM);
            return "pin" + Integer.toHexString(identity.hashCode());
        }
    }

    /** Result of checking a draft. */
    record Checked(List<String> errors, List<String> warnings, boolean extracted, ValueComparison comparison) {}

    /** The pin as another user saved it, compared with the form. */
    record Stale(Pin pin, ValueComparison comparison) {}

    @GetMapping(PagePath.PINS + "/new")
    String newPin(
            @RequestParam(defaultValue = "") String build,
            @RequestParam(defaultValue = "") String item,
            HttpServletRequest request,
            Model model) {
        String wanted = item.strip();
        Optional<PinnedValue> extracted = extracted(build.strip(), wanted);
        boolean wholeType = extracted.orElse(null) instanceof PinnedValue.OfType
                || PinnedType.of(wanted).filter(type -> !type.isMember()).isPresent();
        PinForm form =
                PinForm.ofNew(build.strip(), wanted, wholeType ? PinForm.WHOLE_TYPE : PinForm.ONE_MEMBER, extracted);
        model.addAttribute("page", new FormPage(form));
        return formView(request);
    }

    @GetMapping(ONE + "/edit")
    String edit(@PathVariable String id, HttpServletRequest request, Model model) {
        Pin pin = find(id);
        model.addAttribute(
                "page", new FormPage(PinForm.ofPin(pin), null, null, pin.draft().expiresAt()));
        return formView(request);
    }

    /** Returns the form alone for the row of a table, else the whole page. */
    private static String formView(HttpServletRequest request) {
        return Htmx.view(request, FORM, "form");
    }

    @PostMapping(PagePath.PINS)
    ModelAndView save(HttpServletRequest request, HttpServletResponse response) {
        PinForm form = PinForm.of(request);
        Pin before = form.isUnsaved() ? null : find(form.value(PinForm.ID));
        if ("check".equals(request.getParameter("do"))) {
            return again(request, form, before, HttpStatus.OK, checked(form, before), null);
        }
        PinForm.Parsed parsed = form.parse(before, Instant.now());
        PinDraft draft = parsed.draft();
        if (draft == null) {
            return again(request, form.refused(parsed.errors()), before, HttpStatus.UNPROCESSABLE_CONTENT, null, null);
        }
        try {
            Pin pin = before == null
                    ? pins.create(draft, Caller.of(request), RequestIds.of(request))
                    : pins.edit(before.id(), revision(form), draft, Caller.of(request), RequestIds.of(request));
            return Htmx.done(
                    request,
                    response,
                    typePath(pin.draft()),
                    "Pinned " + pin.draft().item() + ": "
                            + Format.pin(pin.draft().value()) + ". All servers answer with it now.");
        } catch (ProblemException e) {
            return refused(request, form, before, e.problem(), draft);
        }
    }

    private ModelAndView refused(
            HttpServletRequest request, PinForm form, @Nullable Pin before, Problem problem, PinDraft draft) {
        if (problem.status() == HttpStatus.PRECONDITION_FAILED && before != null) {
            Pin latest = find(form.value(PinForm.ID));
            PinForm renewed = form.with(Map.of(PinForm.REVISION, Integer.toString(latest.revision())));
            Stale stale = new Stale(latest, ValueComparison.of(latest.draft().value(), draft.value()));
            return again(request, renewed, latest, HttpStatus.UNPROCESSABLE_CONTENT, checked(form, latest), stale);
        }
        if (!problem.status().is4xxClientError()) {
            throw new ProblemException(problem);
        }
        Map<String, String> errors = new LinkedHashMap<>();
        for (Diagnostic diagnostic :
                pins.check(draft, Optional.ofNullable(before).map(Pin::id)).errors()) {
            errors.put(field(diagnostic.place()), diagnostic.message());
        }
        if (errors.isEmpty()) {
            errors.put("", problem.detail());
        }
        return again(
                request, form.refused(errors), before, HttpStatus.UNPROCESSABLE_CONTENT, checked(form, before), null);
    }

    private static ModelAndView again(
            HttpServletRequest request,
            PinForm form,
            @Nullable Pin before,
            HttpStatus status,
            @Nullable Checked checked,
            @Nullable Stale stale) {
        ModelAndView page = new ModelAndView(formView(request), status);
        Instant expiresAt = before == null ? null : before.draft().expiresAt();
        page.addObject("page", new FormPage(form, checked, stale, expiresAt));
        return page;
    }

    /** Checks a draft while the user types. */
    @PostMapping(PagePath.PINS + "/check")
    String check(HttpServletRequest request, Model model) {
        PinForm form = PinForm.of(request);
        Pin before = form.isUnsaved() ? null : find(form.value(PinForm.ID));
        model.addAttribute("page", new FormPage(form, checked(form, before), null, null));
        return FORM + " :: checked";
    }

    private Checked checked(PinForm form, @Nullable Pin before) {
        PinForm complete =
                form.value(PinForm.REASON).isEmpty() ? form.with(Map.of(PinForm.REASON, NO_REASON_YET)) : form;
        PinForm.Parsed parsed = complete.parse(before, Instant.now());
        PinDraft draft = parsed.draft();
        if (draft == null) {
            return new Checked(List.copyOf(parsed.errors().values()), List.of(), false, new ValueComparison(List.of()));
        }
        DraftCheck check = pins.check(draft, Optional.ofNullable(before).map(Pin::id));
        Optional<PinnedValue> extracted = extracted(draft.buildId().toString(), draft.item());
        return new Checked(
                check.errors().stream().map(Diagnostic::message).toList(),
                check.warnings().stream().map(Diagnostic::message).toList(),
                extracted.isPresent(),
                ValueComparison.of(extracted.orElse(null), draft.value()));
    }

    private static int revision(PinForm form) {
        try {
            return Integer.parseInt(form.value(PinForm.REVISION));
        } catch (NumberFormatException e) {
            // No revision has this number, so the edit is refused as stale.
            return 0;
        }
    }

    /** Returns the field for the part of a draft that a diagnostic names. */
    private static String field(String place) {
        return switch (place) {
            case "item", "reason" -> place;
            case "buildId" -> "build";
            case "expiresAt" -> "until";
            default -> {
                String part = place.startsWith("value.") ? place.substring("value.".length()) : "";
                yield switch (part) {
                    case "offset", "size", "bitOffset", "bitSize", "type" -> part;
                    default -> part.startsWith("members") ? "members" : "";
                };
            }
        };
    }

    @GetMapping(ONE)
    String one(@PathVariable String id, Model model) {
        Pin pin = find(id);
        model.addAttribute("pin", pin);
        titles.addTo(model, Stream.of(pin.draft().buildId()));
        model.addAttribute(
                "comparison", ValueComparison.of(pin.extracted(), pin.draft().value()));
        if (pin.review() == Pin.Review.VALUE_CHANGED) {
            model.addAttribute("change", ValueComparison.of(pin.seen(), pin.extracted()));
        }
        model.addAttribute("typePath", typePath(pin.draft()));
        model.addAttribute("history", pins.history(pin.id()));
        return "admin/pins/pin";
    }

    @PostMapping(ONE + "/retire")
    ModelAndView retire(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            HttpServletRequest request,
            HttpServletResponse response) {
        Pin pin = pins.retire(find(id).id(), revision, Caller.of(request), RequestIds.of(request));
        return done(request, response, pin, "Pin retired. %s is answered from the debug information.");
    }

    @PostMapping(ONE + "/restore")
    ModelAndView restore(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            HttpServletRequest request,
            HttpServletResponse response) {
        Pin pin = pins.restore(find(id).id(), revision, Caller.of(request), RequestIds.of(request));
        return done(request, response, pin, "Pin restored. %s is answered from the pin.");
    }

    @PostMapping(ONE + "/acknowledge")
    ModelAndView acknowledge(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            @RequestParam(defaultValue = "") String reason,
            @RequestParam(defaultValue = "") String shown,
            HttpServletRequest request,
            HttpServletResponse response) {
        Pin pin = pins.acknowledge(
                find(id).id(),
                revision,
                new Acknowledgement(reason.strip(), shown),
                Caller.of(request),
                RequestIds.of(request));
        return done(request, response, pin, "Acknowledged. %s needs a review again when its extracted value changes.");
    }

    /** Returns to the page of a pin that was changed; the notice names its item. */
    private static ModelAndView done(HttpServletRequest request, HttpServletResponse response, Pin pin, String notice) {
        return Htmx.done(
                request,
                response,
                PagePath.PINS + "/" + pin.id(),
                notice.formatted(pin.draft().item()));
    }

    private Pin find(String id) {
        Optional<UUID> key;
        try {
            key = Optional.of(UUID.fromString(id));
        } catch (IllegalArgumentException e) {
            key = Optional.empty();
        }
        return key.flatMap(pins::find)
                .orElseThrow(() -> new ProblemException(
                        Problem.of(HttpStatus.NOT_FOUND, "pin_not_found", "No such pin", "no pin has this id")));
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
        return PinnedType.of(draft.item())
                .map(type -> PagePath.ofType(draft.buildId(), type.name()).toString())
                .orElseGet(() -> PagePath.ofBuild(draft.buildId()).toString());
    }
}
