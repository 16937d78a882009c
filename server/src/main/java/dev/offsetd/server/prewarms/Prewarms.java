package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.operations.work.SharedScheduler;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.commons.codec.digest.DigestUtils;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Prewarm batches: creation, listing and cancellation. */
@Component
public class Prewarms {

    private static final char LIST = 'w';
    private static final Duration FULL_RETRY_AFTER = Duration.ofSeconds(60);

    private final PrewarmTable table;
    private final Builds builds;
    private final BuildKeys keys;
    private final BuildCoverage coverage;
    private final AuditLog audit;
    private final SharedScheduler scheduler;
    private final ItemAttempts work;
    private final PrewarmProperties properties;
    private final TransactionTemplate transaction;

    Prewarms(
            PrewarmTable table,
            Builds builds,
            BuildKeys keys,
            BuildCoverage coverage,
            AuditLog audit,
            SharedScheduler scheduler,
            ItemAttempts work,
            PrewarmProperties properties,
            PlatformTransactionManager transactions) {
        this.table = table;
        this.builds = builds;
        this.keys = keys;
        this.coverage = coverage;
        this.audit = audit;
        this.scheduler = scheduler;
        this.work = work;
        this.properties = properties;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Creates a batch, or returns the active one with the same builds and types. Negative results of builds that are
     * not stored are discarded.
     *
     * @throws ProblemException if the draft is invalid (400 {@code bad_prewarm}), its types are too long (413), or too many builds
     *     wait (503 {@code prewarms_full})
     */
    public Prewarm create(PrewarmDraft sent, Actor actor) {
        validate(sent);
        ResolvedDraft resolved = resolve(sent);
        byte[] digest = digest(resolved.draft());
        UUID id = transaction.execute(status -> {
            table.lockCreation();
            return table.active(digest).orElseGet(() -> add(resolved, digest, actor));
        });
        // The tasks are visible to it after the commit.
        scheduler.wake(work);
        return table.find(id).orElseThrow();
    }

    /**
     * A draft with the builds that its keys name.
     *
     * @param shared keys of different programs, which stay in the draft, with the cause of their failure
     */
    private record ResolvedDraft(PrewarmDraft draft, SortedMap<BuildId, PrewarmItem.Cause> shared) {}

    private ResolvedDraft resolve(PrewarmDraft sent) {
        SortedMap<BuildId, PrewarmItem.Cause> shared = new TreeMap<>();
        List<BuildId> builds = new ArrayList<>();
        Map<BuildId, String> names = new HashMap<>();
        for (BuildId key : sent.builds()) {
            BuildId build = key;
            try {
                build = keys.resolve(key);
            } catch (ProblemException notUnique) {
                Problem problem = notUnique.problem();
                shared.put(key, new PrewarmItem.Cause(problem.code(), problem.detail()));
            }
            builds.add(build);
            String name = sent.names().get(key);
            if (name != null) {
                names.putIfAbsent(build, name);
            }
        }
        return new ResolvedDraft(new PrewarmDraft(builds, names, sent.types(), sent.priority()), shared);
    }

    private UUID add(ResolvedDraft resolved, byte[] digest, Actor actor) {
        PrewarmDraft draft = resolved.draft();
        long waiting = table.waiting();
        if (waiting + draft.builds().size() > properties.maxWaiting()) {
            throw new ProblemException(Problem.of(
                            HttpStatus.SERVICE_UNAVAILABLE,
                            "prewarms_full",
                            "Too many builds are queued",
                            waiting + " builds are queued; adding "
                                    + draft.builds().size() + " exceeds the limit of " + properties.maxWaiting())
                    .retryAfter(FULL_RETRY_AFTER));
        }
        UUID id = UUID.randomUUID();
        table.add(id, draft, digest, actor.name());
        // A query for such a key is refused, whatever it accepts.
        Boolean byConsensus = draft.types().isEmpty() ? null : false;
        resolved.shared().forEach((key, cause) -> table.failed(new PrewarmItem.Key(id, key), cause, byConsensus));
        List<BuildId> wanted = draft.builds().stream()
                .filter(build -> !resolved.shared().containsKey(build))
                .toList();
        builds.requeueMissing(wanted);
        scheduler.add(
                work,
                wanted.stream()
                        .map(build -> new PrewarmItem.Key(id, build).toString())
                        .toList(),
                draft.priority());
        audit.record(actor, "prewarm.create", id.toString(), null, described(draft));
        return id;
    }

    private void validate(PrewarmDraft draft) {
        if (draft.builds().isEmpty()) {
            throw PrewarmDraft.bad(
                    "builds", "builds is an empty array; expected 1 to " + PrewarmDraft.MAX_BUILDS + " build-ids");
        }
        if (draft.builds().size() > PrewarmDraft.MAX_BUILDS) {
            throw PrewarmDraft.bad(
                    "builds",
                    "builds has " + draft.builds().size() + " entries; expected at most " + PrewarmDraft.MAX_BUILDS);
        }
        if (draft.types().isEmpty()) {
            return;
        }
        requireShort(draft.types().stream().mapToLong(String::length).sum(), "the types have ");
        long characters;
        try {
            characters = coverage.validate(draft.types());
        } catch (ProblemException e) {
            String place = e.problem().members().get("itemNumber") instanceof Integer number
                    ? "types[" + (number - 1) + "]"
                    : "types";
            throw PrewarmDraft.bad(place, place + ": " + e.problem().detail());
        }
        requireShort(characters, "the types have, with those of their sets, ");
    }

    private static void requireShort(long characters, String subject) {
        if (characters > PrewarmDraft.MAX_TYPE_CHARACTERS) {
            throw JsonBody.tooLarge(subject + characters + " characters", PrewarmDraft.MAX_TYPE_CHARACTERS);
        }
    }

    /** Returns the same digest for all drafts of the same builds, names, types and priority, in any order. */
    private static byte[] digest(PrewarmDraft draft) {
        StringBuilder text = new StringBuilder(draft.priority().word()).append('\n');
        for (String build :
                new TreeSet<>(draft.builds().stream().map(BuildId::toString).toList())) {
            text.append(build).append('\n');
        }
        new TreeMap<>(draft.names())
                .forEach((build, name) -> text.append(build)
                        .append(' ')
                        .append(name.length())
                        .append(' ')
                        .append(name)
                        .append('\n'));
        for (String type : new TreeSet<>(draft.types())) {
            // Length-prefixed, so that the concatenation is unambiguous.
            text.append(type.length()).append(' ').append(type).append('\n');
        }
        return DigestUtils.sha256(text.toString());
    }

    private static Map<String, Object> described(PrewarmDraft draft) {
        Map<String, Object> described = new TreeMap<>();
        described.put("builds", draft.builds().size());
        described.put("types", draft.types());
        described.put("priority", draft.priority().word());
        return described;
    }

    public Optional<Prewarm> find(UUID id) {
        return table.find(id);
    }

    /** Returns the page of a query, the newest batches first. */
    public ListPage<PrewarmSummary> page(ListQuery query) {
        CreationPosition after = query.creationPosition(LIST).orElse(null);
        return ListPage.read(
                query,
                LIST,
                limit -> table.page(after, limit),
                batch -> new CreationPosition(batch.createdAt(), batch.id()).toBytes());
    }

    /**
     * Cancels a batch: waiting items end, running ones continue. A batch that has ended stays unchanged.
     *
     * @return the batch afterwards; empty if it is unknown
     */
    public Optional<Prewarm> cancel(UUID id, Actor actor) {
        transaction.executeWithoutResult(status -> table.cancel(id)
                .ifPresent(cancelled -> audit.record(
                        actor, "prewarm.cancel", id.toString(), null, Map.of("cancelled", cancelled.size()))));
        return table.find(id);
    }
}
