package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.bundle.BundledBuild;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinCheck;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.storage.Catalogues;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Checks drafts against the rules for every pin, the types of their build and its other pins. */
@Component
class DraftChecks {

    private static final Logger log = LoggerFactory.getLogger(DraftChecks.class);

    private final PinRows rows;
    private final Builds builds;
    private final Catalogues catalogues;
    private final Clock clock = Clock.systemUTC();

    DraftChecks(PinRows rows, Builds builds, Catalogues catalogues) {
        this.rows = rows;
        this.builds = builds;
        this.catalogues = catalogues;
    }

    /** @param editing the pin to edit; null for a new pin */
    DraftCheck check(PinDraft draft, @Nullable UUID editing) {
        List<DraftCheck.Diagnostic> broken = DraftRules.broken(draft, clock.instant());
        if (!broken.isEmpty()) {
            return new DraftCheck(broken, List.of(), null);
        }
        DraftCheck fit = fit(draft, editing);
        List<DraftCheck.Diagnostic> errors = new ArrayList<>(fit.errors());
        other(draft, editing)
                .map(id ->
                        new DraftCheck.Diagnostic("item", PinProblems.existsDetail(draft.buildId(), draft.item(), id)))
                .ifPresent(errors::addFirst);
        return new DraftCheck(errors, fit.warnings(), fit.extracted());
    }

    void validate(PinDraft draft) {
        List<DraftCheck.Diagnostic> broken = DraftRules.broken(draft, clock.instant());
        if (!broken.isEmpty()) {
            throw PinProblems.bad(broken);
        }
    }

    void requireFree(PinDraft draft, @Nullable UUID editing) {
        other(draft, editing).ifPresent(id -> {
            throw PinProblems.exists(draft.buildId(), draft.item(), id);
        });
    }

    DraftCheck requireFit(PinDraft draft, @Nullable UUID editing) {
        DraftCheck fit = fit(draft, editing);
        if (!fit.errors().isEmpty()) {
            throw PinProblems.doesNotFit(fit.errors());
        }
        return fit;
    }

    /** Checks a draft against the types of the build and its other pins. */
    private DraftCheck fit(PinDraft draft, @Nullable UUID editing) {
        PinItem item = PinItem.of(draft.item());
        List<Pin> others = rows.activeOf(draft.buildId().toBytes()).stream()
                .map(PinRow::pin)
                .filter(pin -> !pin.id().equals(editing))
                // A pin of the same item is reported with its id instead.
                .filter(pin -> !PinItem.of(pin.draft().item()).spelling().equals(item.spelling()))
                .toList();
        if (others.size() >= BundledBuild.MAX_PINS) {
            return new DraftCheck(List.of(tooMany(draft.buildId(), others.size())), List.of(), null);
        }
        TypeIndex types = types(draft.buildId()).orElse(null);
        try {
            return fit(draft, item, others, types);
        } catch (CorruptBlobException e) {
            log.warn("build {}: the stored types cannot be compared with a pin: {}", draft.buildId(), e.getMessage());
            return fit(draft, item, others, null);
        }
    }

    /** Returns the error of a build with too many pins: servers refuse its bundle, and each pin is checked against all others. */
    private static DraftCheck.Diagnostic tooMany(BuildId build, int pins) {
        return new DraftCheck.Diagnostic(
                "buildId",
                "buildId is " + build + ", which has " + pins + " active pins; expected a build with fewer than "
                        + BundledBuild.MAX_PINS);
    }

    private static DraftCheck fit(PinDraft draft, PinItem item, List<Pin> others, @Nullable TypeIndex types) {
        PinCheck fit = PinCheck.check(
                item.item(), draft.value(), types, BuildPins.of(others).overlay());
        return new DraftCheck(
                diagnostics(fit.errors()),
                diagnostics(fit.warnings()),
                types == null ? null : ExtractedValues.of(item.item(), types).orElse(null));
    }

    private static List<DraftCheck.Diagnostic> diagnostics(List<String> messages) {
        return messages.stream()
                .map(message -> new DraftCheck.Diagnostic("value", message))
                .toList();
    }

    private Optional<TypeIndex> types(BuildId id) {
        return builds.find(id)
                .filter(build -> build.file() != null)
                .map(build -> catalogues.open(id, build.generation()));
    }

    /** Returns another active pin of the same item. */
    private Optional<UUID> other(PinDraft draft, @Nullable UUID editing) {
        return rows.activeFor(
                        draft.buildId().toBytes(), PinItem.of(draft.item()).key())
                .map(PinRow::getId)
                .filter(id -> !id.equals(editing));
    }
}
