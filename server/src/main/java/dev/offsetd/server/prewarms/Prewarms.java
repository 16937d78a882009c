package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.audit.AuditLog;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.offsets.BuildCoverage;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ProblemException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The batches, and what people do to them. */
@Component
public class Prewarms {

    private final PrewarmTable table;
    private final Builds builds;
    private final BuildCoverage coverage;
    private final AuditLog audit;
    private final Scheduler scheduler;
    private final PrewarmProperties properties;
    private final TransactionTemplate transaction;

    Prewarms(
            PrewarmTable table,
            Builds builds,
            BuildCoverage coverage,
            AuditLog audit,
            Scheduler scheduler,
            PrewarmProperties properties,
            PlatformTransactionManager transactions) {
        this.table = table;
        this.builds = builds;
        this.coverage = coverage;
        this.audit = audit;
        this.scheduler = scheduler;
        this.properties = properties;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Makes a batch, unless the same one is active: then that is the result, and nothing changes. What sources said about
     * builds that are not stored is forgotten.
     *
     * @param requestId id of the request, or a name for what else caused the batch
     * @throws ProblemException if the draft cannot be taken (400 {@code bad_prewarm}), or too many builds wait (503 {@code
     *     prewarms_full})
     */
    public Prewarm create(PrewarmDraft draft, Caller who, String requestId) {
        requireSound(draft);
        byte[] digest = digest(draft);
        UUID id = Objects.requireNonNull(transaction.execute(status -> {
            table.beAlone();
            return table.active(digest).orElseGet(() -> add(draft, digest, who, requestId));
        }));
        // Only now can the scheduler see them.
        scheduler.triggerCheckForDueExecutions();
        return table.find(id).orElseThrow();
    }

    private UUID add(PrewarmDraft draft, byte[] digest, Caller who, String requestId) {
        long waiting = table.waiting();
        if (waiting + draft.builds().size() > properties.maxWaiting()) {
            throw PrewarmProblems.full(waiting, draft.builds().size(), properties.maxWaiting());
        }
        UUID id = UUID.randomUUID();
        table.add(id, draft, digest, who.name());
        builds.forgetOutcomesOfMissing(draft.builds());
        List<TaskInstance<?>> tasks = draft.builds().stream()
                .<TaskInstance<?>>map(build -> ItemTask.instance(id, build, draft.priority()))
                .toList();
        scheduler.scheduleBatch(tasks, Instant.now());
        audit.record(who, "prewarm.create", id.toString(), null, described(draft), requestId);
        return id;
    }

    private void requireSound(PrewarmDraft draft) {
        if (draft.builds().isEmpty()) {
            throw PrewarmProblems.bad("builds", "no build; expected 1 to " + PrewarmDraft.MAX_BUILDS);
        }
        if (draft.builds().size() > PrewarmDraft.MAX_BUILDS) {
            throw PrewarmProblems.bad(
                    "builds", draft.builds().size() + " builds; expected at most " + PrewarmDraft.MAX_BUILDS);
        }
        if (draft.types().isEmpty()) {
            return;
        }
        try {
            coverage.requireSound(draft.types());
        } catch (ProblemException e) {
            throw PrewarmProblems.bad(
                    e.problem().members().get("itemNumber") instanceof Integer number
                            ? "types[" + (number - 1) + "]"
                            : "types",
                    e.problem().detail());
        }
    }

    /** The same for every draft of the same builds and types, whatever their order. */
    private static byte[] digest(PrewarmDraft draft) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        StringBuilder text = new StringBuilder(draft.priority().word()).append('\n');
        for (String build :
                new TreeSet<>(draft.builds().stream().map(BuildId::toString).toList())) {
            text.append(build).append('\n');
        }
        for (String type : new TreeSet<>(draft.types())) {
            // With its length, so that no text can stand for two.
            text.append(type.length()).append(' ').append(type).append('\n');
        }
        return digest.digest(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> described(PrewarmDraft draft) {
        Map<String, Object> described = new TreeMap<>();
        described.put("builds", draft.builds().size());
        described.put("types", draft.types());
        described.put("priority", draft.priority().word());
        return described;
    }

    /** The batch with this id. */
    public Optional<Prewarm> find(UUID id) {
        return table.find(id);
    }

    /**
     * Batches, the newest first.
     *
     * @param after the place of the last one of the page before; empty for the first page
     * @param limit most batches to give
     */
    public List<PrewarmSummary> page(Optional<CreationPosition> after, int limit) {
        return table.page(after, limit);
    }

    /**
     * Ends a batch: what waits is cancelled, what a server works on goes on and ends as it would have. A batch that has ended
     * stays as it is.
     *
     * @return the batch as it is then; empty if there is none with this id
     */
    public Optional<Prewarm> cancel(UUID id, Caller who, String requestId) {
        transaction.executeWithoutResult(status -> table.cancel(id)
                .ifPresent(cancelled -> audit.record(
                        who, "prewarm.cancel", id.toString(), null, Map.of("cancelled", cancelled.size()), requestId)));
        return table.find(id);
    }
}
