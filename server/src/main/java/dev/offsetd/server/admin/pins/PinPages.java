package dev.offsetd.server.admin.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.Extracted;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.admin.builds.BuildTypes;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.admin.builds.PinWords;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.pins.Check;
import dev.offsetd.server.pins.Finding;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.PinRevision;
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
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** One pin: its page, and the form that makes or changes it. */
@Controller
class PinPages {

    private static final String FORM = "admin/pins/form";
    private static final String ONE = PagePath.PINS + "/{id}";

    /** In the place of a reason while a draft is only looked at: nobody has written it yet. */
    private static final String NO_REASON_YET = "-";

    private final Pins pins;
    private final Builds builds;
    private final BuildTypes types;

    PinPages(Pins pins, Builds builds, BuildTypes types) {
        this.pins = pins;
        this.builds = builds;
        this.types = types;
    }

    /**
     * What the form shows.
     *
     * @param errors messages by the names of fields; under an empty name what belongs to none
     * @param checked what became of looking at it; null if nobody has
     * @param stale what somebody else has said in the meantime; null if nobody has
     * @param keptExpiry when the pin that is changed ends; null if it does not, or there is none
     */
    record FormPage(
            PinForm form,
            Map<String, String> errors,
            @Nullable Checked checked,
            @Nullable Stale stale,
            @Nullable String keptExpiry) {

        /** Tells the form from others that are open in the same page. */
        public String key() {
            return "pin" + Integer.toHexString((form.id() + form.build() + form.item()).hashCode());
        }
    }

    /** What a check of a draft came to. */
    record Checked(List<String> errors, List<String> warnings, boolean extracted, Comparison comparison) {}

    /** What a pin says by now, beside what was typed. */
    record Stale(String by, Moment at, Comparison comparison, String reason) {}

    /** What the page of a pin shows. */
    record Page(
            String id,
            String build,
            String buildPath,
            String item,
            String typePath,
            String state,
            String stateStyle,
            String says,
            String agreement,
            String agreementStyle,
            boolean extracted,
            Comparison comparison,
            String reason,
            String author,
            Moment createdAt,
            String editedBy,
            Moment editedAt,
            @Nullable Moment expiresAt,
            int revision,
            boolean active,
            boolean mayChange,
            List<HistoryLine> history) {}

    /** One revision. */
    record HistoryLine(
            int revision,
            String action,
            String who,
            Moment at,
            String says,
            String reason,
            @Nullable Moment expiresAt) {}

    @GetMapping(PagePath.PINS + "/new")
    String newPin(
            @RequestParam(defaultValue = "") String build,
            @RequestParam(defaultValue = "") String item,
            HttpServletRequest request,
            Model model) {
        String wanted = item.strip();
        Optional<PinnedValue> extracted = extracted(build.strip(), wanted);
        String what =
                extracted.orElse(null) instanceof PinnedValue.Type || isType(wanted) ? PinForm.TYPE : PinForm.MEMBER;
        PinForm form = PinForm.ofNew(build.strip(), wanted, what, extracted);
        model.addAttribute("page", new FormPage(form, Map.of(), null, null, null));
        return view(request);
    }

    @GetMapping(ONE + "/edit")
    String edit(@PathVariable String id, HttpServletRequest request, Model model) {
        Pin pin = find(id);
        model.addAttribute("page", new FormPage(PinForm.ofPin(pin), Map.of(), null, null, keptExpiry(pin)));
        return view(request);
    }

    /** In the row of a table the form alone, else a page. */
    private static String view(HttpServletRequest request) {
        return Htmx.asked(request) ? FORM + " :: form" : FORM;
    }

    @PostMapping(PagePath.PINS)
    ModelAndView save(HttpServletRequest request, HttpServletResponse response) {
        PinForm form = PinForm.of(request);
        Pin before = form.isUnsaved() ? null : find(form.id());
        PinForm.Read read = form.read(before, Instant.now());
        if ("check".equals(request.getParameter("do"))) {
            return again(request, form, before, HttpStatus.OK, Map.of(), checked(form, before), null);
        }
        PinDraft draft = read.draft();
        if (draft == null) {
            return again(request, form, before, HttpStatus.UNPROCESSABLE_CONTENT, read.errors(), null, null);
        }
        try {
            Pin pin = before == null
                    ? pins.create(draft, Caller.of(request), RequestIds.of(request))
                    : pins.edit(before.id(), revision(form), draft, Caller.of(request), RequestIds.of(request));
            return Htmx.done(
                    request,
                    response,
                    typePath(pin.draft()),
                    "Pinned: " + pin.draft().item() + " has "
                            + PinWords.says(pin.draft().value()) + ". It answers on every server now.");
        } catch (ProblemException e) {
            return refused(request, form, before, e.problem(), draft);
        }
    }

    private ModelAndView refused(
            HttpServletRequest request, PinForm form, @Nullable Pin before, Problem problem, PinDraft draft) {
        if (problem.status() == HttpStatus.PRECONDITION_FAILED && before != null) {
            Pin now = find(form.id());
            Stale stale = new Stale(
                    now.editedBy(),
                    Moment.of(now.editedAt()),
                    Comparison.of(now.draft().value(), draft.value()),
                    now.draft().reason());
            return again(
                    request,
                    form.at(now.revision()),
                    now,
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    Map.of(),
                    checked(form, now),
                    stale);
        }
        if (!problem.status().is4xxClientError()) {
            throw new ProblemException(problem);
        }
        Map<String, String> errors = new LinkedHashMap<>();
        for (Finding finding :
                pins.check(draft, Optional.ofNullable(before).map(Pin::id)).errors()) {
            errors.put(field(finding.place()), finding.message());
        }
        if (errors.isEmpty()) {
            errors.put("", problem.detail());
        }
        return again(request, form, before, HttpStatus.UNPROCESSABLE_CONTENT, errors, checked(form, before), null);
    }

    private ModelAndView again(
            HttpServletRequest request,
            PinForm form,
            @Nullable Pin before,
            HttpStatus status,
            Map<String, String> errors,
            @Nullable Checked checked,
            @Nullable Stale stale) {
        ModelAndView page = new ModelAndView(view(request), status);
        page.addObject("page", new FormPage(form, errors, checked, stale, before == null ? null : keptExpiry(before)));
        return page;
    }

    /** What a draft would come to, while it is typed. */
    @PostMapping(PagePath.PINS + "/check")
    String check(HttpServletRequest request, Model model) {
        PinForm form = PinForm.of(request);
        Pin before = form.isUnsaved() ? null : find(form.id());
        model.addAttribute("page", new FormPage(form, Map.of(), checked(form, before), null, null));
        return FORM + " :: checked";
    }

    private Checked checked(PinForm form, @Nullable Pin before) {
        PinForm.Read read = form.reason().isEmpty()
                ? form.because(NO_REASON_YET).read(before, Instant.now())
                : form.read(before, Instant.now());
        PinDraft draft = read.draft();
        if (draft == null) {
            return new Checked(List.copyOf(read.errors().values()), List.of(), false, new Comparison(List.of()));
        }
        Check check = pins.check(draft, Optional.ofNullable(before).map(Pin::id));
        Optional<PinnedValue> extracted = extracted(draft.buildId().toString(), draft.item());
        return new Checked(
                check.errors().stream().map(Finding::message).toList(),
                check.warnings().stream().map(Finding::message).toList(),
                extracted.isPresent(),
                Comparison.of(extracted.orElse(null), draft.value()));
    }

    private static int revision(PinForm form) {
        try {
            return Integer.parseInt(form.revision());
        } catch (NumberFormatException e) {
            // No revision has this number, so that the form is shown with what the pin says now.
            return 0;
        }
    }

    /** The field that a finding's place is typed into. */
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
    String one(@PathVariable String id, HttpServletRequest request, Model model) {
        Pin pin = find(id);
        PinDraft draft = pin.draft();
        PinnedValue extracted = pin.extracted();
        model.addAttribute(
                "page",
                new Page(
                        pin.id().toString(),
                        draft.buildId().toString(),
                        PagePath.ofBuild(draft.buildId()).toString(),
                        draft.item(),
                        typePath(draft),
                        pin.state().word(),
                        PinLine.style(pin.state()),
                        PinWords.says(draft.value()),
                        PinWords.agreement(pin.agreement()),
                        PinWords.style(pin.agreement()),
                        extracted != null,
                        Comparison.of(extracted, draft.value()),
                        draft.reason(),
                        pin.author(),
                        Moment.of(pin.createdAt()),
                        pin.editedBy(),
                        Moment.of(pin.editedAt()),
                        Moment.orNull(draft.expiresAt()),
                        pin.revision(),
                        pin.state() == Pin.State.ACTIVE,
                        Caller.of(request).scopes().contains(Scope.ADMIN),
                        pins.history(pin.id()).stream().map(PinPages::line).toList()));
        return "admin/pins/pin";
    }

    private static HistoryLine line(PinRevision revision) {
        return new HistoryLine(
                revision.revision(),
                revision.action(),
                revision.who(),
                Moment.of(revision.at()),
                PinWords.says(revision.draft().value()),
                revision.draft().reason(),
                Moment.orNull(revision.draft().expiresAt()));
    }

    @PostMapping(ONE + "/retire")
    ModelAndView retire(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            HttpServletRequest request,
            HttpServletResponse response) {
        Pin pin = pins.retire(find(id).id(), revision, Caller.of(request), RequestIds.of(request));
        return Htmx.done(
                request,
                response,
                PagePath.PINS + "/" + pin.id(),
                "Retired: what the debug information says of " + pin.draft().item() + " answers again.");
    }

    @PostMapping(ONE + "/restore")
    ModelAndView restore(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int revision,
            HttpServletRequest request,
            HttpServletResponse response) {
        Pin pin = pins.restore(find(id).id(), revision, Caller.of(request), RequestIds.of(request));
        return Htmx.done(
                request,
                response,
                PagePath.PINS + "/" + pin.id(),
                "Restored: the pin of " + pin.draft().item() + " answers again.");
    }

    private Pin find(String id) {
        Optional<UUID> key;
        try {
            key = Optional.of(UUID.fromString(id));
        } catch (IllegalArgumentException e) {
            key = Optional.empty();
        }
        return key.flatMap(pins::find)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        HttpStatus.NOT_FOUND, "pin_not_found", "No such pin", "there is no pin of this id")));
    }

    private static @Nullable String keptExpiry(Pin pin) {
        Instant expiresAt = pin.draft().expiresAt();
        return expiresAt == null ? null : Moment.of(expiresAt).text();
    }

    /** What the debug information of a build says of an item; empty if either is nothing. */
    private Optional<PinnedValue> extracted(String build, String item) {
        try {
            Item parsed = ItemParser.parse(item);
            return builds.find(BuildId.parse(build))
                    .flatMap(known -> types.read(known, 1, stored -> Extracted.of(parsed, stored)))
                    .flatMap(value -> value);
        } catch (ItemSyntaxException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isType(String item) {
        return !item.isEmpty()
                && PinnedType.of(item).filter(type -> !type.isMember()).isPresent();
    }

    /** The page of the type that a pin is about; of the build if that cannot be told. */
    private static String typePath(PinDraft draft) {
        return PinnedType.of(draft.item())
                .map(type -> PagePath.ofType(draft.buildId(), type.name()).toString())
                .orElseGet(() -> PagePath.ofBuild(draft.buildId()).toString());
    }
}
