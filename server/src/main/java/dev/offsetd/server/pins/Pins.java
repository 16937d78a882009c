package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.SharedReads;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.data.domain.Limit;
import org.springframework.data.domain.Sort;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Pins and their changes. Each operation locks the build first, so that changes of its pins and extractions of it are
 * serialized. It writes a revision, an audit entry and a change notification in one transaction.
 *
 * <p>Checking a pin against a large type and the other pins computes for long, so operations that check run on the pool.
 */
@Component
public class Pins {

    /** Marks the cursors of pins. */
    private static final char LIST = 'p';

    private static final char HISTORY = 'h';

    private static final Sort NEWEST_FIRST = Sort.by(Sort.Direction.DESC, "createdAt", "id");

    private final PinRows rows;
    private final PinHistoryRows history;
    private final DraftChecks checks;
    private final Builds builds;
    private final BuildKeys keys;
    private final Changes changes;
    private final AuditLog audit;
    private final TransactionTemplate transaction;
    private final ComputePool threads;
    private final SharedReads<BuildId, List<Pin>> reads = new SharedReads<>();
    private final Clock clock = Clock.systemUTC();

    Pins(
            PinRows rows,
            PinHistoryRows history,
            DraftChecks checks,
            Builds builds,
            BuildKeys keys,
            Changes changes,
            AuditLog audit,
            PlatformTransactionManager transactions,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.rows = rows;
        this.history = history;
        this.checks = checks;
        this.builds = builds;
        this.keys = keys;
        this.changes = changes;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
        this.threads = threads;
    }

    /**
     * Creates a pin. The build may be unknown.
     *
     * @throws ProblemException if the draft is invalid (400 {@code bad_pin}), does not fit the build (422
     *     {@code pin_does_not_fit}), or another pin overrides the item (409 {@code pin_exists})
     */
    public Pin create(PinDraft sent, Actor actor) {
        PinDraft draft = sent.of(keys.resolve(sent.buildId()));
        checks.validate(draft);
        return threads.answer(() -> transaction.execute(status -> {
            builds.addAndLock(draft.buildId());
            checks.requireFree(draft, null);
            return add(draft, checks.requireFit(draft, null), actor.name(), Pin.Action.CREATE, actor);
        }));
    }

    private Pin add(PinDraft draft, DraftCheck fit, String author, Pin.Action action, Actor actor) {
        PinRow row = new PinRow(UUID.randomUUID(), atDatabasePrecision(draft), author, now());
        row.setSeen(fit.extracted());
        return recordChange(rows.save(row), action, null, actor);
    }

    /**
     * Edits a pin. Reactivates an expired one.
     *
     * @param revision the revision that the caller has seen
     * @throws ProblemException as {@link #create}; if the pin is unknown (404) or has another revision (412)
     */
    public Pin edit(UUID id, int revision, PinDraft sent, Actor actor) {
        PinDraft draft = sent.of(keys.resolve(sent.buildId()));
        checks.validate(draft);
        return threads.answer(() -> change(id, revision, row -> {
            Pin before = row.pin();
            if (!before.draft().buildId().equals(draft.buildId())) {
                throw PinProblems.bad(
                        "buildId",
                        "buildId is " + draft.buildId() + "; expected "
                                + before.draft().buildId() + ", because a pin stays at its build");
            }
            Pin.State next = before.state() == Pin.State.RETIRED ? Pin.State.RETIRED : Pin.State.ACTIVE;
            PinDraft wanted = atDatabasePrecision(draft);
            if (next == before.state() && wanted.equals(before.draft())) {
                return before;
            }
            if (next == Pin.State.ACTIVE) {
                checks.requireFree(draft, id);
            }
            DraftCheck fit = checks.requireFit(draft, id);
            row.setDraft(wanted);
            row.setSeen(fit.extracted());
            row.changedTo(next, actor.name(), now());
            return recordChange(row, Pin.Action.EDIT, before, actor);
        }));
    }

    /**
     * Retires a pin. No-op if it is already retired.
     *
     * @param revision the revision that the caller has seen; null for any
     * @throws ProblemException if the pin is unknown (404) or has another revision (412)
     */
    public Pin retire(UUID id, @Nullable Integer revision, Actor actor) {
        return change(id, revision, row -> retire(row, actor));
    }

    private Pin retire(PinRow row, Actor actor) {
        Pin before = row.pin();
        if (before.state() == Pin.State.RETIRED) {
            return before;
        }
        row.changedTo(Pin.State.RETIRED, actor.name(), now());
        return recordChange(row, Pin.Action.RETIRE, before, actor);
    }

    /**
     * Reactivates a pin. No-op if it is already active.
     *
     * @param revision the revision that the caller has seen; null for any
     * @throws ProblemException if the pin is unknown (404), has another revision (412) or has expired (409
     *     {@code pin_expired}), or as {@link #create}
     */
    public Pin restore(UUID id, @Nullable Integer revision, Actor actor) {
        return threads.answer(() -> change(id, revision, row -> restore(row, actor)));
    }

    private Pin restore(PinRow row, Actor actor) {
        Pin before = row.pin();
        if (before.state() == Pin.State.ACTIVE) {
            return before;
        }
        Instant expiresAt = before.draft().expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(clock.instant())) {
            throw PinProblems.expired(before);
        }
        checks.requireFree(before.draft(), before.id());
        row.setSeen(checks.requireFit(before.draft(), before.id()).extracted());
        row.changedTo(Pin.State.ACTIVE, actor.name(), now());
        return recordChange(row, Pin.Action.RESTORE, before, actor);
    }

    /**
     * Accepts the extracted value of a pin that needs a review. No-op if the pin needs none.
     *
     * @param revision the revision that the caller has seen; null for any
     * @throws ProblemException if the reason is invalid (400 {@code bad_pin}), the pin is unknown (404), has another
     *     revision (412), or another extracted value than the one shown (409 {@code pin_value_changed})
     */
    public Pin acknowledge(UUID id, @Nullable Integer revision, Pin.Acknowledgement acknowledgement, Actor actor) {
        DraftRules.wrongReason(acknowledgement.reason()).ifPresent(wrong -> {
            throw PinProblems.bad(List.of(wrong));
        });
        return change(id, revision, row -> {
            Pin before = row.pin();
            if (before.review() == null) {
                return before;
            }
            String shown = acknowledgement.shown();
            if (shown != null && !shown.equals(before.extractedText())) {
                throw PinProblems.valueChanged(before, shown);
            }
            row.acknowledge(acknowledgement.reason());
            row.changedTo(before.state(), actor.name(), now());
            return recordChange(row, Pin.Action.ACKNOWLEDGE, before, actor);
        });
    }

    /** Ends a pin if it has expired and is still active. */
    void expire(UUID id, Actor actor) {
        change(id, null, row -> rows.isDue(id) ? end(row, actor) : row.pin());
    }

    private Pin end(PinRow row, Actor actor) {
        Pin before = row.pin();
        row.changedTo(Pin.State.EXPIRED, actor.name(), now());
        return recordChange(row, Pin.Action.EXPIRE, before, actor);
    }

    /** Returns the pin with this id. */
    public Optional<Pin> find(UUID id) {
        return rows.findById(id).map(PinRow::pin);
    }

    /** Returns the revisions of a pin, the newest first; empty if the pin is unknown. */
    public List<Pin.Revision> history(UUID id) {
        return find(id).map(pin -> history(pin, Integer.MAX_VALUE, Limit.unlimited()))
                .orElse(List.of());
    }

    /** Returns the page of the revisions of a pin, the newest first. */
    public ListPage<Pin.Revision> history(Pin pin, ListQuery query) {
        int before = Math.clamp(query.numberPosition(HISTORY).orElse(Long.MAX_VALUE), 0, Integer.MAX_VALUE);
        return ListPage.read(
                query,
                HISTORY,
                limit -> history(pin, before, Limit.of(limit)),
                revision -> ListQuery.position(revision.revision()));
    }

    private List<Pin.Revision> history(Pin pin, int before, Limit limit) {
        return history.newestFirst(pin.id(), before, limit).stream()
                .map(row -> row.revision(pin))
                .toList();
    }

    /** Returns the page of a query, the newest pins first. */
    public ListPage<Pin> page(PinFilter filter, ListQuery query) {
        PinFilter.Match match = new PinFilter.Match(
                filter.with(keys::resolve), query.creationPosition(LIST).orElse(null));
        return ListPage.read(
                query,
                LIST,
                limit -> rows
                        .findBy(
                                match,
                                found -> found.sortBy(NEWEST_FIRST).limit(limit).all())
                        .stream()
                        .map(PinRow::pin)
                        .toList(),
                pin -> new CreationPosition(pin.createdAt(), pin.id()).toBytes());
    }

    /** Returns the number of active pins. */
    public long countActive() {
        return rows.countActive().stream().mapToLong(PinRows.Counted::getPins).sum();
    }

    /** Returns the number of active pins that need a review. */
    public long countToReview() {
        return rows.countToReview();
    }

    /** Returns the active pins of a build, the oldest first. */
    public List<Pin> activeOf(BuildId id) {
        return rows.activeOf(id.toBytes()).stream().map(PinRow::pin).toList();
    }

    /**
     * Checks a draft without saving it.
     *
     * @param editing the pin to edit; null for a new pin
     */
    public DraftCheck check(PinDraft draft, @Nullable UUID editing) {
        PinDraft known = draft.of(keys.resolve(draft.buildId()));
        return threads.answer(() -> checks.check(known, editing));
    }

    /**
     * Returns the active pins of a build for its answers. They may include pins made after the build was read: such a pin
     * gives the build a new generation, under which no answer is cached yet.
     */
    public BuildPins inEffect(Build build) {
        return BuildPins.of(reads.read(build.id(), () -> activeOf(build.id())));
    }

    /** Copies the active pins of another build that fit this one; 400 {@code bad_pin} if both are the same build. */
    public CopyResult copy(BuildId sentFrom, BuildId sentTo, Actor actor) {
        BuildId from = keys.resolve(sentFrom);
        BuildId to = keys.resolve(sentTo);
        if (from.equals(to)) {
            throw PinProblems.bad("to", "to is " + to + ", the same as from; expected another build");
        }
        List<Pin> pins = activeOf(from);
        if (pins.isEmpty()) {
            return new CopyResult(List.of(), List.of());
        }
        return threads.answer(() -> transaction.execute(status -> {
            builds.addAndLock(to);
            List<Pin> copied = new ArrayList<>();
            List<CopyResult.SkippedPin> leftOut = new ArrayList<>();
            for (Pin pin : pins) {
                PinDraft old = pin.draft();
                PinDraft draft = old.of(to);
                DraftCheck fit;
                try {
                    checks.validate(draft);
                    checks.requireFree(draft, null);
                    fit = checks.requireFit(draft, null);
                } catch (ProblemException e) {
                    leftOut.add(new CopyResult.SkippedPin(
                            pin, e.problem().code(), e.problem().detail()));
                    continue;
                }
                copied.add(add(draft, fit, actor.name(), Pin.Action.COPY, actor));
            }
            return new CopyResult(copied, leftOut);
        }));
    }

    /**
     * Adds pins of another server under the names of their authors. Leaves out those that have expired, do not fit the build, or
     * override an item that has another pin.
     */
    public PinImport add(BuildId build, List<PinImport.ImportedPin> pins, Actor actor) {
        return threads.run(() -> transaction.execute(status -> {
            builds.addAndLock(build);
            List<Pin> known = activeOf(build);
            List<Pin> added = new ArrayList<>();
            List<PinImport.RejectedPin> leftOut = new ArrayList<>();
            for (PinImport.ImportedPin pin : pins) {
                PinDraft draft = pin.draft().of(build);
                if (Stream.concat(known.stream(), added.stream()).anyMatch(pin::isKnownAs)) {
                    continue;
                }
                try {
                    checks.validate(draft);
                    checks.requireFree(draft, null);
                    added.add(add(draft, checks.requireFit(draft, null), pin.author(), Pin.Action.COPY, actor));
                } catch (ProblemException e) {
                    leftOut.add(new PinImport.RejectedPin(
                            draft.item(), e.problem().code(), e.problem().detail()));
                }
            }
            return new PinImport(added.size(), leftOut);
        }));
    }

    /** Change of a pin whose build is locked. */
    private interface LockedChange {

        /** Applies the change and returns the pin. */
        Pin of(PinRow row);
    }

    /** Changes a pin. A null revision skips the check for stale edits. */
    private Pin change(UUID id, @Nullable Integer revision, LockedChange change) {
        return transaction.execute(status -> {
            byte[] build = rows.buildOf(id).orElseThrow(() -> PinProblems.notFound(id.toString()));
            builds.addAndLock(BuildId.of(build));
            PinRow row = rows.findById(id).orElseThrow();
            Pin pin = row.pin();
            if (revision != null && revision != pin.revision()) {
                throw PinProblems.stale(revision, pin);
            }
            return change.of(row);
        });
    }

    /** Records a change: the revision, the change notification and the audit entry. */
    private Pin recordChange(PinRow row, Pin.Action action, @Nullable Pin before, Actor actor) {
        rows.flush();
        Pin after = row.pin();
        history.save(new PinHistoryRow(after, action, actor.caller()));
        changes.record(after.draft().buildId());
        audit.record(
                actor,
                action.audited(),
                after.id().toString(),
                before == null ? null : PinJson.tree(before),
                PinJson.tree(after));
        return after;
    }

    private static PinDraft atDatabasePrecision(PinDraft draft) {
        Instant expiresAt = draft.expiresAt();
        return expiresAt == null
                ? draft
                : new PinDraft(
                        draft.buildId(),
                        draft.item(),
                        draft.value(),
                        draft.reason(),
                        expiresAt.truncatedTo(ChronoUnit.MICROS));
    }

    /** Truncates to microseconds, as PostgreSQL does, so that responses equal later reads. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }
}
